import { isAbsolute } from 'node:path';
import { parseRemoteUrl } from '../contract/address';
import type { Handlers } from '../contract/api';
import { toWire, type WireError } from '../contract/errors';
import { isJobEngine } from '../contract/job/run-job';
import { emptyReach, isEmptyReach, reachOf } from '../contract/reach';
import { imageFamily, inContainers, isElsewhere, jobAbilities } from '../contract/run/engine-kinds';
import type { JournalBody } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import type { StartProblem } from '../contract/run/spec-tools';
import type { Settings } from '../contract/settings/settings';
import type { OfType } from '../contract/trees';
import { usualRelease } from '../engine/docker/run-images';
import { preflightProblems, type RunPreflight } from '../engine/docker/run-preflight';
import type { JobScheduler } from '../engine/job';
import { withProfile } from '../engine/job-profile';
import { refuseStart, startProblems } from '../engine/start-check';
import type { StartHow } from '../pipeline/run-options';
import { generatedConfig } from '../specification/read-choice';
import type { Approvals } from '../store/approvals';
import type { ModelConfig } from '../triton/model-config';
import { applyConfigPatch } from '../triton/served-config';
import type { TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';
import { createHostFacts, createHostFits } from './host-fits';

export interface StartCalls {
  readonly handlers: Pick<Handlers, 'runs.check'> & Pick<TrustedCalls, 'hosts.fit'>;
  /** Throws the first problem. */
  refuse(spec: RunSpec): Promise<void>;
  /** Adds a release that fits this machine, unless it names one. */
  readonly completed: (spec: RunSpec, how?: Pick<StartHow, 'ofFile'>) => Promise<RunSpec>;
  /** Throws the first problem unless skipped. Returns the journal record, null for engines without containers. */
  readonly preflight: (spec: RunSpec, how: StartHow) => Promise<JournalBody | null>;
}

/** Without consent a cluster is not asked, because its client may execute programs of the user's configuration. */
export const askedJobs = ({
  jobs,
  approvals,
}: {
  readonly jobs: Pick<JobScheduler, 'refusal'>;
  readonly approvals: Pick<Approvals, 'missing'>;
}): Pick<JobScheduler, 'refusal'> => ({
  refusal: async (engine) => {
    if (jobAbilities(engine.kind)?.startsPrograms !== true) return jobs.refusal(engine);
    const { machines } = reachOf({ engine });
    return isEmptyReach(await approvals.missing({ ...emptyReach, machines })) ? jobs.refusal(engine) : null;
  },
});

export function createStartCalls(parts: CoreParts): StartCalls {
  const { layout, engines, presetOf, monitor, tools, settings } = parts;
  const { home } = parts.options;
  const hostFor = createHostFacts(parts);
  const placesOf = async (spec: RunSpec) => ({ presetOf, host: await hostFor(spec) });
  /** null: a remote server is compared by the model's name only. */
  const configOf = async (spec: RunSpec): Promise<ModelConfig | null> => {
    if (!isElsewhere(spec.engine)) return null;
    try {
      return applyConfigPatch(generatedConfig(await presetOf(spec.model), spec), spec.configure.configPatch);
    } catch {
      // Field problems are reported with their fields.
      return null;
    }
  };
  const monitored = async (): Promise<string | null> => {
    const { source } = await monitor.handlers['monitor.state'](undefined);
    return source?.kind === 'live' && source.host === undefined ? parseRemoteUrl(source.url).http : null;
  };
  const check = async (spec: RunSpec) =>
    startProblems(spec, await configOf(spec), {
      layout,
      docker: await engines.linkOf(spec.engine),
      monitored,
      jobs: askedJobs(parts),
      tools: () => tools.facts(),
    });
  const completed: StartCalls['completed'] = async (spec, how) => {
    const { ofFile = false } = how ?? {};
    if (isJobEngine(spec.engine)) {
      // An existing run already has its profile's values in its specification.
      if (how === undefined) return spec;
      const { engine, profile } = await withProfile(spec.engine, home);
      const { kind, profile: name = '' } = spec.engine;
      // The user wrote the profiles of the home, which counts as consent.
      if (!isAbsolute(name)) await parts.approvals.add(reachOf({ engine: { ...profile, kind } }));
      return { ...spec, engine };
    }
    const released = ofFile ? spec : withUsualRelease(spec, (await settings.read()).values);
    return engines.completed(released, await placesOf(spec));
  };
  const profiled = async (spec: RunSpec): Promise<RunSpec> =>
    isJobEngine(spec.engine) ? { ...spec, engine: (await withProfile(spec.engine, home)).engine } : spec;
  const preflightOf = async (spec: RunSpec): Promise<RunPreflight | null> =>
    engines.preflight(spec, await placesOf(spec));
  const checked: Handlers['runs.check'] = async ({ spec: given }) => {
    const spec = await profiled(given).catch((error: unknown) => toWire(error));
    if (!('engine' in spec)) return [profileProblem(spec)];
    const [found, result] = await Promise.all([check(spec), completed(spec).then(preflightOf)]);
    return [...found, ...preflightProblems(result), ...releaseNote(result)];
  };
  return {
    handlers: { 'runs.check': checked, 'hosts.fit': createHostFits(parts, hostFor, checked) },
    refuse: async (spec) => {
      refuseStart(await check(spec), spec);
    },
    completed,
    preflight: async (spec, how) => {
      const result = await preflightOf(spec);
      return result === null ? null : passedPreflight(spec, result, how);
    },
  };
}

/** Throws the first problem, unless skipped or passed before. Returns the journal record. */
export function passedPreflight(
  spec: RunSpec,
  { reason, problems }: RunPreflight,
  { skipPreflight = false, passed = [] }: Pick<StartHow, 'skipPreflight' | 'passed'>,
): OfType<JournalBody, 'preflight'> {
  const others = problems.filter(({ title }) => !passed.includes(title));
  if (!skipPreflight) refuseStart(preflightProblems({ reason, problems: others }), spec);
  const skipped = skipPreflight || problems.length > 0;
  const found = problems.map(({ title, finding }) => ({ title, finding }));
  return { type: 'preflight', release: reason, skipped, problems: found };
}

/** Applies the settings' release to runs on NVIDIA's images that name none, if it supports their format. */
export function withUsualRelease(
  spec: RunSpec,
  { 'deployment.release': release }: Pick<Settings, 'deployment.release'>,
): RunSpec {
  const { engine } = spec;
  if (release === null || !inContainers(engine) || imageFamily(engine) === 'cpu') return spec;
  if (engine.release !== undefined || engine.tritonImage !== undefined) return spec;
  if (usualRelease(spec.format, release) !== release) return spec;
  return { ...spec, engine: { ...engine, release } };
}

const profileProblem = ({ code, message, remedy }: WireError): StartProblem => ({
  ...{ field: 'engine.profile', code, message, remedy: remedy ?? null },
  ...{ severity: 'problem', fixes: [] },
});

/** Which release the run will have, and why. */
function releaseNote(result: RunPreflight | null): readonly StartProblem[] {
  if (result === null || result.reason === null) return [];
  return [
    {
      field: 'engine.release',
      code: 'combination-unsupported',
      severity: 'note',
      message: result.reason.replace(/\.$/, ''),
      remedy: null,
    },
  ];
}
