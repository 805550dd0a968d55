import { isAbsolute } from 'node:path';
import { parseRemoteUrl } from '../contract/address';
import type { Handlers } from '../contract/api';
import { toWire, type WireError } from '../contract/errors';
import { localHost } from '../contract/host/host-name';
import { type HostFit, onHost } from '../contract/host/host-text';
import { isJobEngine } from '../contract/job/run-job';
import { emptyReach, isEmptyReach, reachOf } from '../contract/reach';
import { imageFamily, inContainers, isElsewhere, jobAbilities } from '../contract/run/engine-kinds';
import type { JournalBody } from '../contract/run/run-events';
import type { DockerEngineSpec, RunSpec } from '../contract/run/run-spec';
import { problemError, type StartProblem } from '../contract/run/spec-tools';
import type { Settings } from '../contract/settings/settings';
import type { OfType } from '../contract/trees';
import { type HostFacts, readEngineMachine, releaseNeeds, usualRelease } from '../engine/docker/run-images';
import { preflightProblems, type RunPreflight } from '../engine/docker/run-preflight';
import { hostFit, type HostNeeds } from '../engine/docker-over-ssh/host-reach';
import type { JobScheduler } from '../engine/job';
import { withProfile } from '../engine/job-profile';
import { refuseStart, startProblems } from '../engine/start-check';
import { readReleases } from '../machine/releases';
import { replayKey } from '../perf/replay/read-replay';
import type { StartHow } from '../pipeline/run-options';
import { generatedConfig } from '../specification/read-choice';
import { type Approvals, pathReach } from '../store/approvals';
import type { ModelConfig } from '../triton/model-config';
import { applyConfigPatch } from '../triton/served-config';
import type { TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';

type Parts = Pick<CoreParts, 'engines' | 'hosts' | 'presetOf' | 'options'>;
type Check = Handlers['runs.check'];

const mebibyte = 2 ** 20;

const refused = (host: string, error: WireError): HostFit => ({
  host,
  fits: false,
  reason: error.message,
  error,
});

/** The error that a start on it would raise. */
async function problemOf(check: Check, spec: RunSpec, skipPreflight: boolean): Promise<WireError | null> {
  const found = await check({ spec });
  const first = found.find(
    ({ severity, preflight = false }) => severity === 'problem' && !(skipPreflight && preflight),
  );
  return first === undefined ? null : problemError(first);
}

/** null without a host. Throws host-unknown. */
type HostFactsOf = (spec: Pick<RunSpec, 'engine'>) => Promise<HostFacts | null>;

/** Facts are cached for this long. */
const hostFactsMs = 10_000;

interface Asked {
  readonly facts: Promise<HostFacts>;
  /** null while pending: an unreachable host is waited for until its timeout. */
  answeredMs: number | null;
}

/** Shares one request per host between a start, the form and the runs of a matrix. */
function createHostFacts({ hosts }: Pick<CoreParts, 'hosts'>): HostFactsOf {
  const asked = new Map<string, Asked>();
  // An unreachable host is reported by its engine.
  const ask = async (name: string): Promise<HostFacts> => {
    const status = await hosts.status(await hosts.get(name));
    if (!status.reachable) return { docker: await (await hosts.link(name)).facts(), gpus: null };
    const { docker, gpus, diskFreeBytes } = status;
    return { gpus, docker: docker.reachable ? { ...docker, rootFreeBytes: diskFreeBytes } : docker };
  };
  return async ({ engine }) => {
    if (!inContainers(engine) || engine.host === undefined) return null;
    const { host } = engine;
    const known = asked.get(host);
    const isFresh = (one: Asked): boolean =>
      one.answeredMs === null || performance.now() - one.answeredMs < hostFactsMs;
    if (known !== undefined && isFresh(known)) return known.facts;
    const facts = ask(host);
    const own: Asked = { facts, answeredMs: null };
    asked.set(host, own);
    try {
      return await facts;
    } finally {
      own.answeredMs = performance.now();
    }
  };
}

/** For a run in containers; says why a host does not fit. */
function createHostFits(parts: Parts, factsOf: HostFactsOf, check: Check): TrustedCalls['hosts.fit'] {
  const { resources, env } = parts.options;
  const machineOf = async (spec: RunSpec): Promise<HostFacts> => {
    const host = await factsOf(spec);
    if (host !== null) return host;
    const { docker, gpus, isKnown } = await readEngineMachine({
      env,
      host,
      link: await parts.engines.linkOf(spec.engine),
    });
    return { docker, gpus: isKnown ? gpus : null };
  };
  const needsOf = async (
    spec: RunSpec & { engine: DockerEngineSpec },
    { modelOfGpu, skipPreflight }: { readonly modelOfGpu: boolean; readonly skipPreflight: boolean },
  ): Promise<HostNeeds> => {
    const { engine, format, targetGpu = null } = spec;
    const { preset } = await parts.presetOf(spec.model);
    const releases = await readReleases(resources);
    return {
      engine,
      targetGpu: modelOfGpu ? targetGpu : null,
      gpuMemoryBytes: preset.gpuMemoryMiB === undefined ? null : preset.gpuMemoryMiB * mebibyte,
      release: skipPreflight ? null : { needs: releaseNeeds(engine, format, preset.ngcRelease), releases },
    };
  };
  return ({ spec, hosts, modelOfGpu, skipPreflight = false }) => {
    const { engine } = spec;
    if (!inContainers(engine)) return Promise.resolve([]);
    const fitOf = async (host: string): Promise<HostFit> => {
      const there = onHost(spec, engine, host);
      // Without ssh, Triton's ports there are unreachable.
      if (host !== localHost && (await parts.hosts.ssh(host)) === null) {
        return { host, fits: false, reason: 'It is not reached by ssh', error: null };
      }
      const facts = await machineOf(there);
      if (!facts.docker.reachable) {
        const code = facts.docker.reason === 'permission' ? 'docker-permission' : 'docker-unreachable';
        const remedy =
          host === localHost ? undefined : `Check it with "triton-workbench hosts check ${host}".`;
        const { message } = facts.docker;
        return refused(host, {
          code,
          message,
          where: 'engine.host',
          ...(remedy === undefined ? {} : { remedy }),
        });
      }
      const fit = hostFit(await needsOf(there, { modelOfGpu, skipPreflight }), facts);
      if (fit.misfit !== null) return { host, fits: false, reason: fit.misfit, error: null };
      const { gpus } = fit;
      const asked = gpus === null ? there : { ...there, engine: { ...there.engine, gpus: [...gpus] } };
      const problem = await problemOf(check, asked, skipPreflight);
      return problem === null ? { host, fits: true, gpus } : refused(host, problem);
    };
    return Promise.all(
      hosts.map((host) => fitOf(host).catch((error: unknown) => refused(host, toWire(error)))),
    );
  };
}

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
  // The file of a trace that nobody agreed to is not read.
  const traced = async (spec: RunSpec, isNew: boolean): Promise<RunSpec> => {
    const { replay } = spec.performance;
    if (replay === undefined) return spec;
    const { file, fromS, toS } = replay;
    const part = { file, fromS, toS, models: [spec.configure.modelName] };
    if (!isNew && replay.read?.of === replayKey(part)) return spec;
    if (!isEmptyReach(await parts.approvals.missing(pathReach('performance.replay.file', file)))) return spec;
    const read = await parts.reading.readers.replayRead(part);
    return { ...spec, performance: { ...spec.performance, replay: { ...replay, read } } };
  };
  const completed: StartCalls['completed'] = async (given, how) => {
    const spec = await traced(given, how !== undefined);
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
    if (!('engine' in spec)) return [startProblem('engine.profile', spec)];
    const known = await traced(spec, false).catch((error: unknown) => toWire(error));
    if (!('engine' in known)) return [startProblem('performance.replay.file', known)];
    const [found, result] = await Promise.all([check(known), completed(known).then(preflightOf)]);
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

const startProblem = (field: string, { code, message, remedy }: WireError): StartProblem => ({
  field,
  code,
  message,
  remedy: remedy ?? null,
  severity: 'problem',
  fixes: [],
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
