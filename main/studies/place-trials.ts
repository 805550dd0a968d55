import type { WireError } from '../contract/errors';
import { localHost } from '../contract/host/host-name';
import { type HostFit, onHost, placementOf } from '../contract/host/host-text';
import { isEmptyReach, reachLines, reachOf } from '../contract/reach';
import { inContainers } from '../contract/run/engine-kinds';
import { specOf } from '../contract/run/run-source';
import type { RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import { problemError } from '../contract/run/spec-tools';
import { mergeTrees } from '../contract/trees';
import {
  type HostAllocation,
  type PlacedTrial,
  type PlannedTrial,
  type StudySession,
  typedOf,
} from './study-hands';

const hasMeasured = ({ scenarios }: RunState): boolean =>
  Object.values(scenarios).some(({ points, missing }) => points.length + missing.length > 0);

/** Host of a run in containers ("local": this machine); null for other engines. */
function hostOf({ engine }: RunSpec): string | null {
  return inContainers(engine) ? (engine.host ?? localHost) : null;
}

/** Hosts typed on the command line are consented to; those of a file are not. */
async function reachError(
  session: StudySession,
  spec: RunSpec,
  number: number,
  hosts: readonly string[],
): Promise<WireError | null> {
  const { hands, consent } = session;
  const { trust, allowRemoteLoad, file } = consent;
  for (const host of hosts.length === 0 ? [localHost] : hosts) {
    const there = inContainers(spec.engine) ? onHost(spec, spec.engine, host) : spec;
    const named = consent.hosts !== true || host === localHost ? {} : { engine: { kind: 'docker', host } };
    const typed = mergeTrees(typedOf(session, number), named);
    await hands.approve(there, { trust, allowRemoteLoad, file, typed });
    const reach = reachOf(there);
    const missing = await hands.approvals.missing(reach);
    // Keeps session consent, because the study may continue in another session.
    if (isEmptyReach(missing)) await hands.approvals.add(reach);
    else {
      const message = `The run would do this: ${reachLines(missing).join('; ')}`;
      const remedy = 'To approve, add --trust, and for another machine --allow-remote-load.';
      return { code: 'not-trusted', message, remedy };
    }
  }
  return null;
}

/** Why it cannot start on this machine now. */
async function startError(session: StudySession, spec: RunSpec): Promise<WireError | null> {
  if (session.spec.skipPreflight === true) return null;
  const [first] = (await session.hands.check({ spec })).filter(({ severity }) => severity === 'problem');
  return first === undefined ? null : problemError(first);
}

/** Candidate hosts; a text: why none fits; null: not distributed. */
function candidatesOf(
  { axes }: PlannedTrial,
  { engine }: RunSpec,
  hosts: StudySession['hosts'],
): readonly string[] | string | null {
  const own =
    (inContainers(engine) ? engine.host : undefined) ??
    axes.find(({ field }) => field === 'engine.host')?.value;
  if (hosts === null) return own === undefined ? null : [own];
  if (!inContainers(engine)) {
    return `Hosts run only containers (engine docker); the engine of this run is ${engine.kind}.`;
  }
  if (own === undefined) return hosts;
  return hosts.includes(own) ? [own] : `Its host ${own} is not one of the hosts of this matrix.`;
}

function fitsOf(session: StudySession, spec: RunSpec, hosts: readonly string[]): Promise<readonly HostFit[]> {
  const { skipPreflight = false } = session.spec;
  // Naming a run's host also chooses its GPU.
  const modelOfGpu = session.hosts !== null && inContainers(spec.engine) && spec.engine.host === undefined;
  return session.hands.hostFits({ spec, hosts, modelOfGpu, skipPreflight });
}

const allocationsOf = (fits: readonly HostFit[]): readonly HostAllocation[] =>
  fits.flatMap((fit) => (fit.fits ? [{ host: fit.host, gpus: fit.gpus }] : []));

/** The place, or why none. Partially measured runs stay on their host. */
async function placedOn(
  session: StudySession,
  run: PlannedTrial,
  spec: RunSpec,
  candidates: readonly string[],
): Promise<PlacedTrial> {
  const { state } = run;
  const begun = state === null ? null : specOf(state);
  const own = begun === null ? null : hostOf(begun);
  if (state !== null && begun !== null && own !== null) {
    const fits = await fitsOf(session, begun, [own]);
    const { hosts, error, leftOut } = placementOf(fits);
    if (hosts.length > 0) return { ...run, hosts, allocations: allocationsOf(fits), notes: [] };
    const others = candidates.filter((host) => host !== own);
    if (hasMeasured(state) || others.length === 0) {
      // Has figures, but counts as a run of this matrix.
      const misfit: WireError = {
        code: 'combination-unsupported',
        message: leftOut ?? '',
        where: 'engine.host',
      };
      return { ...run, hosts: [own], error: error ?? misfit, allocations: [], notes: [] };
    }
    return placedOn(session, { ...run, state: null }, spec, others);
  }
  const fits = await fitsOf(session, spec, candidates);
  const { hosts, leftOut, error } = placementOf(fits);
  const notes =
    hosts.length === 0 ? [] : fits.flatMap((fit) => (fit.fits ? [] : [`not on ${fit.host}. ${fit.reason}`]));
  return {
    ...run,
    hosts: hosts.length > 0 ? hosts : candidates,
    leftOut,
    error,
    allocations: allocationsOf(fits),
    notes,
  };
}

/** Adds start problems and candidate hosts. */
export async function placed(session: StudySession, run: PlannedTrial): Promise<PlacedTrial> {
  const { spec, leftOut, state, number } = run;
  const unplaced: PlacedTrial = { ...run, allocations: null, notes: [] };
  if (spec === null || leftOut !== null) return unplaced;
  const candidates = candidatesOf(run, spec, session.hosts);
  if (state?.status === 'done') {
    const done = specOf(state);
    const own = candidates === null || done === null ? null : hostOf(done);
    return own === null ? unplaced : { ...unplaced, hosts: [own] };
  }
  if (typeof candidates === 'string') return { ...unplaced, leftOut: candidates };
  const unapproved = await reachError(session, spec, number, candidates ?? []);
  if (unapproved !== null) return { ...unplaced, error: unapproved };
  if (candidates === null) return { ...unplaced, error: await startError(session, spec) };
  return placedOn(session, run, spec, candidates);
}
