import { isLoopback, withScheme } from './address';
import { isJobEngine } from './job/run-job';
import { engineRows } from './run/engine-rows';
import { engines } from './run/run-spec';
import { getAt } from './trees';

export interface Reached {
  /** "model.dataset". */
  readonly field: string;
  /** A path, an image reference, a machine name, or "Slurm". */
  readonly value: string;
}

/** What a run uses outside the workbench. It writes only to its own folder. */
export interface Reach {
  /** Read, and mounted read-only into containers. */
  readonly paths: readonly Reached[];
  /** Pulled where missing and executed. */
  readonly images: readonly Reached[];
  /** Machines that receive load. */
  readonly hosts: readonly Reached[];
  /** Where its programs run, if not here: a host's name, "Slurm", or names of a Kubernetes cluster. */
  readonly machines: readonly Reached[];
}

export const emptyReach: Reach = { paths: [], images: [], hosts: [], machines: [] };

const pathFields = [
  'model.source.path',
  'model.checkpoint',
  'model.dataset',
  'accuracy.golden',
  'performance.inputDataFile',
  'performance.replay.file',
  'performance.generation.promptsFile',
  'performance.generation.tokenizerFile',
  'engine.tls.caFile',
  'engine.tls.certFile',
  'engine.tls.keyFile',
] as const;
const imageFields = engines.flatMap((kind) => engineRows[kind].imageFields.map((name) => `engine.${name}`));
const profileField = 'engine.profile';

const valueAt = (tree: unknown, field: string): unknown => getAt(tree, field.split('.'));

function textsAt(tree: unknown, fields: readonly string[]): Reached[] {
  return fields.flatMap((field) => {
    const value = valueAt(tree, field);
    return typeof value === 'string' && value !== '' ? [{ field, value }] : [];
  });
}

/** Arguments of the model's code that are paths: absolute or leading upwards. */
function argumentPaths(tree: unknown): Reached[] {
  const args = valueAt(tree, 'model.args');
  if (typeof args !== 'object' || args === null) return [];
  return Object.entries(args as Readonly<Record<string, unknown>>).flatMap(([name, value]) =>
    typeof value === 'string' && /^[/~]|(^|\/)\.\.(\/|$)/.test(value)
      ? [{ field: `model.args.${name}`, value }]
      : [],
  );
}

/** Host without port; null where there is none. */
export function hostOf(address: string): string | null {
  try {
    return new URL(withScheme(address)).hostname || null;
  } catch {
    return null;
  }
}

function hosts(tree: unknown): Reached[] {
  if (valueAt(tree, 'engine.kind') !== 'remote') return [];
  const url = valueAt(tree, 'engine.url');
  const host = typeof url === 'string' ? hostOf(url) : null;
  return host === null || isLoopback(host) ? [] : [{ field: 'engine.url', value: host }];
}

function machines(tree: unknown): Reached[] {
  const kind = engines.find((one) => one === valueAt(tree, 'engine.kind'));
  if (kind === undefined) return [];
  const named = Object.entries(engineRows[kind].machineFields).flatMap(([name, before]) =>
    textsAt(tree, [`engine.${name}`]).map(({ field, value }) => ({ field, value: `${before}${value}` })),
  );
  // Host names have no capital letters.
  const cluster = isJobEngine({ kind }) ? [{ field: 'engine.kind', value: engineRows[kind].name }] : [];
  return [...named, ...cluster];
}

/** What a specification, or a part of one, reaches. Pure. */
export function reachOf(spec: unknown): Reach {
  return {
    paths: [
      ...textsAt(spec, pathFields),
      ...textsAt(spec, [profileField]).filter(({ value }) => value.startsWith('/')),
      ...argumentPaths(spec),
    ],
    images: textsAt(spec, imageFields),
    hosts: hosts(spec),
    machines: machines(spec),
  };
}

export const allOfReach = ({ paths, images, hosts, machines: places }: Reach): readonly Reached[] => [
  ...paths,
  ...images,
  ...hosts,
  ...places,
];

export const isEmptyReach = (reach: Reach): boolean => allOfReach(reach).length === 0;

export function reachLines({ paths, images, hosts, machines: places }: Reach): readonly string[] {
  const line = (what: string) => (reached: Reached) => `${what} ${reached.value} (${reached.field})`;
  return [
    ...paths.map(line('Read')),
    ...images.map(line('Run the image')),
    ...hosts.map(line('Send load to')),
    ...places.map(line('Run on')),
  ];
}
