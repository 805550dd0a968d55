import { tmpdir } from 'node:os';
import { WorkbenchError } from '../contract/errors';
import { allOfReach, emptyReach, isEmptyReach, reachLines, reachOf } from '../contract/reach';
import { inContainers, isElsewhere } from '../contract/run/engine-kinds';
import type { RunSpec } from '../contract/run/run-spec';
import { hostEngine } from '../engine/engine';
import { requireInertPatch } from '../formats/inert-config';
import { watchGpus } from '../machine/watch-gpus';
import { missingDataset } from '../own/folder-data';
import { checkExternalFiles } from '../own/onnx-source';
import type { ReadingSources } from '../perf/readings';
import type { TakeDevice } from '../pipeline/device-turn';
import { JobRuns } from '../pipeline/jobs/job-runs';
import { Runs } from '../pipeline/runs';
import { steps } from '../pipeline/steps';
import { requireRules } from '../presets/resolve-spec';
import type { Approvals } from '../store/approvals';
import { takeDevice } from '../store/device-queue';
import { createToolkit } from '../toolkit/toolkit';
import { type CoreParts, ownProgram } from './core-parts';
import { createMeasuredServers, runEnvironment } from './measured-servers';
import type { StartCalls } from './start-calls';

/** Throws not-trusted with everything that the run would use without consent. */
/** Throws not-trusted. */
export async function requireApproved(approvals: Approvals, spec: RunSpec): Promise<void> {
  const missing = await approvals.missing(reachOf(spec));
  if (isEmptyReach(missing)) return;
  const { paths, images, hosts, machines } = missing;
  const [first] = allOfReach(missing);
  const ways = [
    ...(paths.length + images.length + machines.length > 0 ? ['--trust'] : []),
    ...(hosts.length > 0 ? ['--allow-remote-load'] : []),
  ];
  throw new WorkbenchError('not-trusted', `The run would ${reachLines(missing).map(lowered).join('; ')}`, {
    where: first?.field,
    remedy: `To approve, start it again in the window and confirm, or on the command line with ${ways.join(' and ')}.`,
  });
}

const lowered = (line: string): string => line.charAt(0).toLowerCase() + line.slice(1);

/** Checked before each start, because a run.yaml or a run folder may come from anywhere. */
export async function requireSoundSpec(
  { own, presetOf, approvals }: CoreParts,
  spec: RunSpec,
): Promise<void> {
  const { model, format, configure } = spec;
  if (model.source !== undefined) {
    const { path, externalFiles } = model.source;
    await own.trust.require({ ...model.source, format });
    // A link may have replaced a file since the model was opened.
    if (externalFiles.length > 0) await checkExternalFiles(path, new Set(externalFiles));
  }
  const unmade = await missingDataset(model);
  if (unmade !== null) throw unmade;
  requireInertPatch(configure);
  requireRules((await presetOf(model)).preset, spec);
  await requireApproved(approvals, spec);
}

/** For another machine, Triton's metrics report the GPUs. */
const seesGpus = ({ engine }: RunSpec): boolean =>
  inContainers(engine) ? engine.host === undefined : !isElsewhere(engine);

/** Checks at the start of a run. Consent to a machine precedes any request to it; throws not-trusted. */
const pickStart = (
  { completed, preflight }: StartCalls,
  approvals: Approvals,
): Pick<StartCalls, 'completed' | 'preflight'> => ({
  completed: async (spec, how) => {
    // Planning a change asks only what its form asks; approval follows when it is made.
    if (how === undefined) return completed(spec);
    const { machines } = reachOf(spec);
    if (!isEmptyReach(await approvals.missing({ ...emptyReach, machines }))) {
      await requireApproved(approvals, spec);
    }
    return completed(spec, how);
  },
  preflight,
});

/** A job runs this program, with a home of the same name on the node. */
function jobRunsOf({ options, store, jobs, ownJob, emit }: CoreParts): JobRuns {
  const { env, follow = false } = options;
  const own = ownProgram(options);
  const kept = ['TRITON_WORKBENCH_APP', 'TRITON_WORKBENCH_RESOURCES'] as const;
  const passed = kept.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const program = {
    argv: [...own.argv, 'resume'],
    env: { ...Object.fromEntries(passed), ...own.env },
  };
  return new JobRuns({ store, scheduler: jobs, ownJob, program, emit, emitsEntries: !follow });
}

/** The queue for the device of a run. */
const takeDeviceBy =
  ({ layout, engines }: CoreParts, jobs: JobRuns): TakeDevice =>
  async ({ runId, spec, host }, signal, onWaiting) => {
    const waited = { some: false };
    const release = await takeDevice({
      root: layout.devices,
      device: await engines.deviceOf(host === undefined ? spec.engine : hostEngine(host), jobs.nodeOf(spec)),
      what: runId,
      signal,
      onWaiting: (forWhat) => {
        waited.some = true;
        return onWaiting(forWhat);
      },
    });
    try {
      // A killed holder may have left a Triton running there.
      const there = host === undefined ? spec : { engine: hostEngine(host) };
      if (waited.some) await engines.sweep({ all: true, except: runId, spec: there });
      return release;
    } catch (error) {
      await release();
      throw error;
    }
  };

/** The runs of this process: what each may use, where it executes, and its place in the device's queue. */
export function createCoreRuns(parts: CoreParts, start: StartCalls): Runs {
  const { layout, engines, now } = parts;
  const { env, resources, printPdf } = parts.options;
  const requireSound = (spec: RunSpec) => requireSoundSpec(parts, spec);
  const watched: ReadingSources['watchGpus'] = (onReading, signal) => watchGpus(env, onReading, signal);
  const jobs = jobRunsOf(parts);
  if (parts.options.follow === true) void jobs.watch();
  return new Runs({
    jobs,
    store: parts.store,
    cache: parts.cache,
    steps,
    disks: [parts.options.home, tmpdir()],
    presetOf: parts.presetOf,
    check: async (spec) => {
      await requireSound(spec);
      await engines.check(spec);
      await start.refuse(spec);
      // Consent for this session is kept, so that the next session can resume the run.
      await parts.approvals.add(reachOf(spec));
    },
    ...pickStart(start, parts.approvals),
    open: async (spec, run) => {
      await requireSound(spec);
      const executor = await engines.openExecutor(spec, run);
      const { loadTools, imageNames, prepareImages, engineWatch } = executor;
      return {
        services: {
          toolkit: createToolkit(executor.launchPython),
          startServer: (input) => executor.startServer(input),
          readers: parts.reading.readers,
          loadTools,
          imageNames,
          prepareImages,
          resources,
          ...engines.planPlaces(spec.engine),
          ...(seesGpus(spec) ? { watchGpus: watched } : {}),
          printPdf,
          now,
          reportSettings: layout.reportSettings,
        },
        engineWatch,
        reclaim: () => executor.reclaim(),
        release: () => executor.release(),
      };
    },
    inputServices: async (spec, framework) => {
      // Step keys depend on the user's files.
      await requireSound(spec);
      return {
        resources,
        readers: parts.reading.readers,
        imageNames: await engines.imageNames(spec, framework),
        gpuNames: engines.planPlaces(spec.engine).gpuNames,
      };
    },
    sweep: async (except, spec) => {
      await engines.sweep({ all: true, except, spec });
    },
    environmentFor: (spec) => runEnvironment(parts, spec),
    takeDevice: takeDeviceBy(parts, jobs),
    servers: createMeasuredServers(parts),
    emit: parts.emit,
  });
}
