import type { ImportSource } from './imported';
import type { PerformanceSpec, RunSpec } from './run-spec';
import { performanceOfLoad, servedName, type ServerLoad, serverUrl } from './server-load';

/** The run makes its model and deploys it, as this specification says now. */
export interface DeployedSource {
  readonly kind: 'deployed';
  readonly spec: RunSpec;
  readonly specHash: string;
}

/** The run measures a Triton that was there already. */
export interface ServerSource {
  readonly kind: 'server';
  readonly load: ServerLoad;
}

/** The figures are those of a file. Nothing else is known of what they were measured on. */
export interface ImportedSource {
  readonly kind: 'imported';
  readonly file: ImportSource;
  /** Name of the model, as the file or whoever imported it says. */
  readonly model: string;
}

/** Where the figures of a run come from, with everything that is known of how they were measured. */
export type RunSource = DeployedSource | ServerSource | ImportedSource;

interface Sourced {
  readonly source: RunSource;
}

/** A part of a run's state that only a run with a specification has. */
export type Deployed<Run extends Sourced> = Run & { readonly source: DeployedSource };

/** A specification decides the run. */
export const isDeployed = <Run extends Sourced>(run: Run): run is Deployed<Run> =>
  run.source.kind === 'deployed';

/** What each kind of source gives; the compiler asks for all three. */
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

/** The specification of a run; null where none decides it. */
export const specOf = ({ source }: Sourced): RunSpec | null =>
  source.kind === 'deployed' ? source.spec : null;

/** What a run measures on a Triton that was there already; null of any other run. */
export const serverLoadOf = ({ source }: Sourced): ServerLoad | null =>
  source.kind === 'server' ? source.load : null;

/** The file that the figures are from; null where the workbench measured them. */
export const importedFileOf = ({ source }: Sourced): ImportSource | null =>
  source.kind === 'imported' ? source.file : null;

/** The preset, or the name of what was measured, as ids and lists have it: "resnet50", "resnet50-and-bert". */
export const modelOf = ({ source }: Sourced): string =>
  bySource(source, {
    deployed: ({ model }) => model.preset,
    server: servedName,
    imported: (_file, model) => model,
  });

/** What is known of how a run was deployed and measured: all, of a server its address and load, of a file nothing. */
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

/** How the run was measured; null where only the figures are known. */
export const performanceOf = (run: Sourced): PerformanceSpec | null =>
  knownParameters(run)?.performance ?? null;

/** Where the model was served; null where only the figures are known. */
export const engineOf = (run: Sourced): RunSpec['engine'] | null => knownParameters(run)?.engine ?? null;
