import { toWire, type WireError, WorkbenchError } from '../errors';
import type { DockerEngineSpec, RunSpec } from '../run/run-spec';
import { localHost } from './host-name';

/** The same run on this host, or on this machine. Pure. */
export function onHost(
  spec: RunSpec,
  engine: DockerEngineSpec,
  host: string,
): RunSpec & { engine: DockerEngineSpec } {
  return { ...spec, engine: { ...engine, host: host === localHost ? undefined : host } };
}

/** Whether a run can be given to a host. */
export type HostFit = {
  /** Name in the list of hosts, or "local" for this machine. */
  readonly host: string;
} & (
  | {
      readonly fits: true;
      /** The GPUs there that fit, where the run would otherwise choose among others too; null: as the run asks. */
      readonly gpus: readonly string[] | null;
    }
  /** It can never run there. */
  | { readonly fits: false; readonly reason: string; readonly error: null }
  /** It cannot run there now. */
  | { readonly fits: false; readonly reason: string; readonly error: WireError }
);

/** Where a run can be measured; without a host, why it cannot be run at all, or not now. */
export interface Placement {
  readonly hosts: readonly string[];
  readonly leftOut: string | null;
  readonly error: WireError | null;
}

const withStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The hosts that a run fits on. It is left out where it can never run on any of them. Pure. */
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

/** A run that waits for one of these places; each of them measures one run at a time. */
export interface Waiting {
  readonly places: readonly string[];
}

/**
 * The run that a free place takes next: of those that fit there the one with the fewest other places, of equals the first.
 * null: none fits there. Pure.
 */
export function nextRun<Run extends Waiting>(place: string, waiting: readonly Run[]): Run | null {
  return waiting
    .filter(({ places }) => places.includes(place))
    .reduce<Run | null>(
      (best, run) => (best === null || run.places.length < best.places.length ? run : best),
      null,
    );
}
