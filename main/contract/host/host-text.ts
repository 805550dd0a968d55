import { toWire, type WireError, WorkbenchError } from '../errors';
import type { GpuReport } from '../machine';
import { formatBytes, missing } from '../numbers';
import type { DockerEngineSpec, RunSpec } from '../run/run-spec';
import { localHost } from './host-name';
import type { HostStatus } from './hosts';

export function onHost(
  spec: RunSpec,
  engine: DockerEngineSpec,
  host: string,
): RunSpec & { engine: DockerEngineSpec } {
  return { ...spec, engine: { ...engine, host: host === localHost ? undefined : host } };
}

export type HostFit = {
  readonly host: string;
} & (
  | {
      readonly fits: true;
      /** GPUs that fit, where the run would otherwise choose from others too; null: as the run asks. */
      readonly gpus: readonly string[] | null;
    }
  /** Can never run there. */
  | { readonly fits: false; readonly reason: string; readonly error: null }
  /** Cannot run there now. */
  | { readonly fits: false; readonly reason: string; readonly error: WireError }
);

interface Placement {
  readonly hosts: readonly string[];
  readonly leftOut: string | null;
  readonly error: WireError | null;
}

const withStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Left out where the run can never run on any of the hosts. */
export function placementOf(fits: readonly HostFit[]): Placement {
  const hosts = fits.filter((fit) => fit.fits).map(({ host }) => host);
  if (hosts.length > 0) return { hosts, leftOut: null, error: null };
  const misfits = fits.flatMap((fit) => (fit.fits ? [] : [fit]));
  const [only] = misfits;
  const said = misfits.map(({ host, reason }) => `${host}: ${withStop(reason)}`).join(' ');
  const first = misfits.find(({ error }) => error !== null)?.error ?? null;
  if (misfits.length === 1 && only?.error !== undefined && only.error !== null) {
    return { hosts, leftOut: null, error: only.error };
  }
  const text = misfits.length === 1 ? said : `No host fits. ${said}`;
  if (first === null) return { hosts, leftOut: text, error: null };
  const remedy = 'Fix the problem of one of them, or name other hosts.';
  const error = toWire(new WorkbenchError(first.code, text.replace(/\.$/, ''), { where: 'hosts', remedy }));
  return { hosts, leftOut: null, error };
}

/** A run that waits for one of several hosts; each measures one run at a time. */
interface Waiting {
  readonly places: readonly string[];
}

/** The next run for a free host: the one with the fewest other hosts, of equals the first; null: none fits. */
export function nextRun<Run extends Waiting>(place: string, waiting: readonly Run[]): Run | null {
  return waiting
    .filter(({ places }) => places.includes(place))
    .reduce<Run | null>(
      (best, run) => (best === null || run.places.length < best.places.length ? run : best),
      null,
    );
}

/** "2 × NVIDIA A10G (22.5 GiB), Tesla T4"; "none", or that it is not known. */
export function gpusText(report: GpuReport | null): string {
  if (report === null) return 'not known';
  if (report.gpus.length === 0) return 'none';
  const counts = new Map<string, number>();
  for (const { name, memoryTotalBytes } of report.gpus) {
    const text = memoryTotalBytes === null ? name : `${name} (${formatBytes(memoryTotalBytes)})`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => (count === 1 ? text : `${count} × ${text}`)).join(', ');
}

/** "2 runs, 1 deployment"; null: nothing of this home; "not known" where Docker cannot be asked. */
export function usesText({
  runs,
  deployments,
}: Pick<Extract<HostStatus, { reachable: true }>, 'runs' | 'deployments'>): string | null {
  if (runs === null || deployments === null) return 'not known';
  const count = (ids: readonly string[], noun: string) =>
    ids.length === 0 ? [] : [`${ids.length} ${noun}${ids.length === 1 ? '' : 's'}`];
  const parts = [...count(runs, 'run'), ...count(deployments, 'deployment')];
  return parts.length === 0 ? null : parts.join(', ');
}

export function hostStateText(status: HostStatus): string {
  if (!status.reachable) {
    switch (status.reason) {
      case 'host-key':
        return 'host key not known';
      case 'login':
        return 'login refused';
      case 'timeout':
        return 'no answer';
      case 'address':
      case 'other':
        return 'unreachable';
    }
  }
  return status.docker.reachable ? 'reachable' : 'no Docker';
}

type FactList = readonly (readonly [name: string, value: string])[];

export function hostFacts(status: Extract<HostStatus, { reachable: true }>): FactList {
  const { docker, gpus, diskFreeBytes, images } = status;
  const rootless = docker.reachable && docker.rootless ? ', rootless' : '';
  return [
    ['Docker', docker.reachable ? `${docker.serverVersion}${rootless}` : docker.message],
    [
      'GPUs',
      gpus !== null && gpus.gpus.length === 0 && gpus.problem !== null ? gpus.problem : gpusText(gpus),
    ],
    ...(gpus === null || gpus.driverVersion === null ? [] : [['Driver', gpus.driverVersion] as const]),
    ['Disk', diskFreeBytes === null ? 'not known' : `${formatBytes(diskFreeBytes)} free`],
    ['Images', images === null ? missing : String(images)],
    ['In use by', usesText(status) ?? 'nothing of this workbench'],
  ];
}
