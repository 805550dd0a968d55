import { isLoopback, withScheme } from './address';
import { isJobEngine } from './job/run-job';
import { engineRows } from './run/engine-rows';
import { engines } from './run/run-spec';
import { getAt } from './trees';

/** One thing outside of the workbench that a specification names. */
export interface Reached {
  /** Where the specification names it: "model.dataset". */
  readonly field: string;
  /** A path, an image reference, the name of a machine, or "Slurm". */
  readonly value: string;
}

/** What a run of a specification would use outside of the workbench. A run writes nothing outside of its own folder. */
export interface Reach {
  /** Files and folders that are read, and that containers see read-only. */
  readonly paths: readonly Reached[];
  /** Images that are pulled where they are missing, and whose programs run. */
  readonly images: readonly Reached[];
  /** Other machines that the load falls on. */
  readonly hosts: readonly Reached[];
  /** Where its programs run, if not on this machine: a host of the home by its name, "Slurm", or names of a Kubernetes cluster. */
  readonly machines: readonly Reached[];
}

export const emptyReach: Reach = { paths: [], images: [], hosts: [], machines: [] };

const pathFields = [
  'model.source.path',
  'model.checkpoint',
  'model.dataset',
  'performance.inputDataFile',
  'engine.tls.caFile',
  'engine.tls.certFile',
  'engine.tls.keyFile',
] as const;
const imageFields = engines.flatMap((kind) => engineRows[kind].imageFields.map((name) => `engine.${name}`));
/** A name, or the path of a file. */
const profileField = 'engine.profile';

const valueAt = (tree: unknown, field: string): unknown => getAt(tree, field.split('.'));

function textsAt(tree: unknown, fields: readonly string[]): Reached[] {
  return fields.flatMap((field) => {
    const value = valueAt(tree, field);
    return typeof value === 'string' && value !== '' ? [{ field, value }] : [];
  });
}

/** Arguments of the model's own code that name a place: a full path, or one that leads upwards. */
function argumentPaths(tree: unknown): Reached[] {
  const args = valueAt(tree, 'model.args');
  if (typeof args !== 'object' || args === null) return [];
  return Object.entries(args as Readonly<Record<string, unknown>>).flatMap(([name, value]) =>
    typeof value === 'string' && /^[/~]|(^|\/)\.\.(\/|$)/.test(value)
      ? [{ field: `model.args.${name}`, value }]
      : [],
  );
}

/** Host name of an address, without port; null where it is none, which is told where the address stands. */
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
  // Names of hosts have no capital letters.
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

/** All of it, of every kind. */
export const allOfReach = ({ paths, images, hosts, machines: places }: Reach): readonly Reached[] => [
  ...paths,
  ...images,
  ...hosts,
  ...places,
];

export const isEmptyReach = (reach: Reach): boolean => allOfReach(reach).length === 0;

/** One line for each thing, as messages list them: "model.dataset: /data/set". Pure. */
export function reachLines({ paths, images, hosts, machines: places }: Reach): readonly string[] {
  const line = (what: string) => (reached: Reached) => `${what} ${reached.value} (${reached.field})`;
  return [
    ...paths.map(line('Read')),
    ...images.map(line('Run the image')),
    ...hosts.map(line('Send load to')),
    ...places.map(line('Run on')),
  ];
}
