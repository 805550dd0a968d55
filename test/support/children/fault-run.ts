import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type StepId, stepsOf } from '../../../main/contract/run/run-events';
import type { ServerHandle } from '../../../main/engine/engine';
import type { LoadTool } from '../../../main/perf/load-tool';
import { Runs } from '../../../main/pipeline/runs';
import type { RunServices, Step } from '../../../main/pipeline/step';
import { offlineStep, onlineStep } from '../../../main/pipeline/steps/measure.step';
import { writeFileAtomic } from '../../../main/platform/files';
import { homeLayout } from '../../../main/platform/layout';
import { readPresets } from '../../../main/presets/presets';
import { ArtefactCache } from '../../../main/store/artefact-cache';
import { takeDevice } from '../../../main/store/device-queue';
import { sweepHomeFiles } from '../../../main/store/run-files';
import { RunKey } from '../../../main/store/run-key';
import { RunStore } from '../../../main/store/run-store';
import { environmentFixture, noServers, pointFixture, specFixture } from '../run-state';

/**
 * A run whose steps only write files, on the product's own store, journal, leases, queue, cache and pipeline: it goes
 * through all of them in a moment, so that it can be killed everywhere. fault-run.cjs HOME RESOURCES [RUN]
 */
const [, , home = '', resources = '', known] = process.argv;
const layout = homeLayout(home);
const say = (line: string) => process.stdout.write(`${line}\n`);

/** What a step leaves is decided by the step alone: a run that was killed must come to the same. */
async function writeStepFiles(id: StepId, dir: string): Promise<void> {
  await mkdir(join(dir, 'deep'), { recursive: true });
  await writeFile(join(dir, `${id}.txt`), `${id}\n`.repeat(2000));
  await writeFile(join(dir, 'deep', `${id}.bin`), Buffer.alloc(2 ** 20, id));
}

const inputData = {
  source: 'random',
  tensors: [{ name: 'x', datatype: 'FP32', shape: [3], files: ['x.bin'] }],
};

const filesStep = (id: StepId, needs: readonly StepId[]): Step => ({
  id,
  kind: 'files',
  needs,
  deadlineS: 60,
  inputs: () => Promise.resolve(id),
  async run({ dir }) {
    await writeStepFiles(id, dir);
    if (id === 'profile-data') await writeFile(join(dir, 'input-data.json'), JSON.stringify(inputData));
    return { output: { id } };
  },
});

/** Stands for a Triton that never ends: what is under test is what is written down. */
const serverWithoutTriton: ServerHandle = {
  httpAddress: 'none',
  grpcAddress: 'none',
  metricsAddress: null,
  forClients: { httpAddress: 'none', grpcAddress: 'none' },
  tritonVersion: 'none',
  exited: new Promise(() => undefined),
  pid: null,
  stop: () => Promise.resolve(),
};

const deployStep: Step = {
  id: 'deploy',
  kind: 'session',
  needs: ['configure'],
  deadlineS: 60,
  inputs: () => Promise.resolve('deploy'),
  run({ run }) {
    run.server = serverWithoutTriton;
    return Promise.resolve({});
  },
  undo(run) {
    run.server = null;
    return Promise.resolve();
  },
};

const accuracyStep: Step = {
  id: 'accuracy',
  kind: 'record',
  needs: ['deploy', 'prepare-data'],
  deadlineS: 60,
  inputs: () => Promise.resolve('accuracy'),
  run: () => Promise.resolve({ output: { passed: true } }),
};

const reportStep: Step = {
  id: 'report',
  kind: 'record',
  needs: ['online', 'offline', 'accuracy'],
  deadlineS: 60,
  inputs: () => Promise.resolve('report'),
  async run({ run }) {
    const { offline, online } = run.state().scenarios;
    const points = [...offline.points, ...online.points].map(({ key }) => key);
    await writeFileAtomic(join(run.folder.results, 'report.json'), JSON.stringify({ points }));
    await run.append({ type: 'report', files: [{ kind: 'json', path: 'report.json' }] });
    return {};
  },
};

const steps: readonly Step[] = [
  filesStep('prepare-data', []),
  filesStep('export', []),
  filesStep('convert', ['export']),
  filesStep('configure', ['convert']),
  deployStep,
  accuracyStep,
  filesStep('profile-data', ['prepare-data']),
  { ...offlineStep, needs: ['accuracy', 'profile-data', 'deploy'] },
  { ...onlineStep, needs: ['accuracy', 'profile-data', 'deploy'] },
  reportStep,
];

/** Gives each level at once. */
const loadToolWithoutLoad = {
  async measure({ level, workDir }) {
    await appendFile(join(workDir, 'measured.txt'), 'once\n');
    return pointFixture({ batchSize: level.batchSize, concurrency: level.concurrency });
  },
} as Pick<LoadTool, 'measure'> as LoadTool;

async function main(): Promise<void> {
  const preset = readPresets(resources).get('resnet50');
  if (preset === undefined) throw new Error(`No preset in ${resources}`);
  const spec = specFixture((own) => {
    own.performance.batchSizes = [1, 2, 4];
    own.performance.concurrency = [1, 2, 4];
  });
  const services = { loadTools: { native: loadToolWithoutLoad }, resources } as unknown as RunServices;
  const runs = new Runs({
    store: new RunStore(layout.runs, new RunKey(layout.runKey)),
    cache: new ArtefactCache(layout.cache),
    steps: steps.filter(({ id }) => stepsOf(spec).includes(id)),
    presetOf: () => Promise.resolve(preset),
    completed: (given) => Promise.resolve(given),
    check: () => Promise.resolve(),
    preflight: () => Promise.resolve(null),
    inputServices: () => Promise.resolve(services),
    open: () =>
      Promise.resolve({
        services,
        engineWatch: null,
        reclaim: () => Promise.resolve(),
        release: () => Promise.resolve(),
      }),
    servers: noServers,
    disks: [],
    sweep: () => Promise.resolve(),
    environmentFor: () => Promise.resolve(environmentFixture()),
    takeDevice: ({ runId }, signal, onWaiting) =>
      takeDevice({ root: layout.devices, device: 'processor', what: runId, signal, onWaiting }),
    emit: (event) => {
      if (event.type === 'journal') say(`entry ${JSON.stringify(event.entry)}`);
    },
  });
  await sweepHomeFiles(layout);
  const runId = known ?? (await runs.create(spec));
  say(`run ${runId}`);
  const { end } = await runs.execute(runId);
  const { outcome, error } = await end;
  say(`end ${outcome} ${error?.message ?? ''}`);
  if (outcome !== 'done') process.exitCode = 1;
}

void main();
