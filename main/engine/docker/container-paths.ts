import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import { innerPathSchema, type RunSpec } from '../../contract/run/run-spec';

/** A folder or file of this machine and where a container sees it. */
interface PathPair {
  readonly host: string;
  readonly container: string;
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** The names as whole paths: not "/workbench/runner" or "/workbench/run.old", but "/workbench/run" before a full stop. */
const wholePaths = (names: readonly string[]) =>
  new RegExp(`(?<![\\w-])(?:${names.map(escapeRegExp).join('|')})(?![\\w-]|\\.\\w)`, 'g');

const holds = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);

/** Translates paths between this machine and a container; pure. Longer paths win over the folders that they are in. */
export class PathMap {
  private readonly pairs: readonly PathPair[];
  private readonly toHostOf: ReadonlyMap<string, string>;
  private readonly named: RegExp;

  constructor(pairs: readonly PathPair[]) {
    this.pairs = [...pairs].sort((a, b) => b.host.length - a.host.length);
    this.toHostOf = new Map(pairs.map((pair) => [pair.container, pair.host]));
    this.named = wholePaths([...this.toHostOf.keys()]);
  }

  /** A text that is a path below a mapped one; any other text as it is. */
  toContainer(text: string): string {
    const pair = this.pairs.find((candidate) => holds(candidate.host, text));
    return pair === undefined ? text : `${pair.container}${text.slice(pair.host.length)}`;
  }

  /** Every mapped path that the text mentions, as this machine knows it. */
  toHost(text: string): string {
    // In one pass: what a path of this machine looks like is not looked into.
    return text.replace(this.named, (name) => this.toHostOf.get(name) ?? name);
  }
}

/** A path with a name of its own: "/" would be the whole machine, and a relative one whatever folder this process is in. */
function requireNamed(field: string, path: string): void {
  if (isAbsolute(path) && !path.includes('\0') && resolve(path) !== '/') return;
  throw new WorkbenchError('spec-invalid', `${JSON.stringify(path)} cannot be mounted into a container`, {
    where: field,
    remedy: 'Use the absolute path of a file or folder.',
  });
}

/** Weights beside a model file. The schema says the same of a specification; this holds for every caller. */
function requireInner(path: string): void {
  if (innerPathSchema.safeParse(path).success) return;
  throw new WorkbenchError('spec-invalid', `${JSON.stringify(path)} is not in the model folder`, {
    where: 'model.source.externalFiles',
    remedy: 'Put the weights file beside the model, and open the model again.',
  });
}

/** An own model, and the weights beside its file. */
function sourcePairs({ source }: RunSpec['model']): PathPair[] {
  if (source === undefined) return [];
  requireNamed('model.source.path', source.path);
  for (const file of source.externalFiles) requireInner(file);
  const inside = '/workbench/input/model';
  const files = [basename(source.path), ...source.externalFiles];
  return files.map((file) => ({ host: join(dirname(source.path), file), container: `${inside}/${file}` }));
}

/** The user's own model, weights and data set, where they are given. Throws spec-invalid for a place outside of them. */
export function inputPairs(spec: RunSpec): PathPair[] {
  const { checkpoint, dataset } = spec.model;
  const pair = (kind: string, host: string | undefined): PathPair[] => {
    if (host === undefined) return [];
    requireNamed(`model.${kind}`, host);
    return [{ host, container: `/workbench/input/${kind}/${basename(host)}` }];
  };
  return [...sourcePairs(spec.model), ...pair('checkpoint', checkpoint), ...pair('dataset', dataset)];
}

interface ContainerPathsInput {
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
