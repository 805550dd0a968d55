import type { ImportSource } from './imported';
import type { PerformanceSpec, RunSpec } from './run-spec';
import { performanceOfLoad, servedName, type ServerLoad, serverUrl } from './server-load';

export interface DeployedSource {
  readonly kind: 'deployed';
  readonly spec: RunSpec;
  readonly specHash: string;
}

export interface ServerSource {
  readonly kind: 'server';
  readonly load: ServerLoad;
}

/** Figures of a file; nothing else is known of their measurement. */
export interface ImportedSource {
  readonly kind: 'imported';
  readonly file: ImportSource;
  /** As named by the file or by whoever imported it. */
  readonly model: string;
}

/** Origin of a run's figures, with all that is known of how they were measured. */
export type RunSource = DeployedSource | ServerSource | ImportedSource;

interface Sourced {
  readonly source: RunSource;
}

/** Part of a run's state, of a run with a specification. */
export type Deployed<Run extends Sourced> = Run & { readonly source: DeployedSource };

export const isDeployed = <Run extends Sourced>(run: Run): run is Deployed<Run> =>
  run.source.kind === 'deployed';

/** One case per kind of source; the compiler asks for all three. */
export function bySource<Result>(
  source: RunSource,
  cases: {
    readonly deployed: (spec: RunSpec) => Result;
    readonly server: (load: ServerLoad) => Result;
    readonly imported: (file: ImportSource, model: string) => Result;
  },
): Result {
  switch (source.kind) {
    case 'deployed':
      return cases.deployed(source.spec);
    case 'server':
      return cases.server(source.load);
    case 'imported':
      return cases.imported(source.file, source.model);
  }
}

/** null for servers and imports. */
export const specOf = ({ source }: Sourced): RunSpec | null =>
  source.kind === 'deployed' ? source.spec : null;

/** null for other runs. */
export const serverLoadOf = ({ source }: Sourced): ServerLoad | null =>
  source.kind === 'server' ? source.load : null;

/** null where the workbench measured. */
export const importedFileOf = ({ source }: Sourced): ImportSource | null =>
  source.kind === 'imported' ? source.file : null;

/** Preset or model name for ids and lists: "resnet50", "resnet50-and-bert". */
export const modelOf = ({ source }: Sourced): string =>
  bySource(source, {
    deployed: ({ model }) => model.preset,
    server: servedName,
    imported: (_file, model) => model,
  });

/** All parameters of a deployed run, address and load of a server, nothing of a file. */
export type KnownParameters = RunSpec | Pick<RunSpec, 'engine' | 'performance'> | null;

export const knownParameters = ({ source }: Sourced): KnownParameters =>
  bySource<KnownParameters>(source, {
    deployed: (spec) => spec,
    server: (load) => ({
      engine: { kind: 'remote', url: serverUrl(load) },
      performance: performanceOfLoad(load),
    }),
    imported: () => null,
  });

/** null where only figures are known. */
export const performanceOf = (run: Sourced): PerformanceSpec | null =>
  knownParameters(run)?.performance ?? null;

/** null where only figures are known. */
export const engineOf = (run: Sourced): RunSpec['engine'] | null => knownParameters(run)?.engine ?? null;
