import { basename, dirname, join } from 'node:path';
import type { RunSpec } from '../../contract/run-spec';
import { PathMap } from './path-map';
import type { PathPair } from './path-map';

/** An own model, and the weights beside its file. */
function sourcePairs({ source }: RunSpec['model']): PathPair[] {
  if (source === undefined) return [];
  const inside = '/workbench/input/model';
  const files = [basename(source.path), ...source.externalFiles];
  return files.map((file) => ({ host: join(dirname(source.path), file), container: `${inside}/${file}` }));
}

/** The user's own model, weights and data set, where they are given. */
export function inputPairs(spec: RunSpec): PathPair[] {
  const { checkpoint, dataset } = spec.model;
  const pair = (kind: string, host: string | undefined): PathPair[] =>
    host === undefined ? [] : [{ host, container: `/workbench/input/${kind}/${basename(host)}` }];
  return [...sourcePairs(spec.model), ...pair('checkpoint', checkpoint), ...pair('dataset', dataset)];
}

export interface ContainerPathsInput {
  readonly runDir: string;
  /** `resources` of the product. */
  readonly resources: string;
  /** Folder of the product's bundles. */
  readonly bundles: string;
  readonly spec: RunSpec;
}

/** What a run's containers see of this machine, and where. */
export function containerPaths(input: ContainerPathsInput): PathMap {
  return new PathMap([
    { host: input.runDir, container: '/workbench/run' },
    { host: input.resources, container: '/workbench/resources' },
    { host: input.bundles, container: '/workbench/app' },
    ...inputPairs(input.spec),
  ]);
}
