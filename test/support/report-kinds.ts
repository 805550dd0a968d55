import type { LoadPoint } from '../../main/contract/measured/results';
import type { RunState } from '../../main/contract/run/run-state';
import {
  completeBodies,
  completeState,
  createdBodies,
  environmentFixture,
  measurementBody,
  pointFixture,
  preparationBodies,
  readingsFixture,
  specFixture,
  stateOf,
  stepBodies,
} from './run-state';
import { slicedState } from './sliced-state';

const logLines = Array.from(
  { length: 30 },
  (_value, index) => `E1121 08:17:10 http_server.cc:4692 failed to start HTTP service, line ${index + 1}`,
);

/** Triton did not start: nothing was measured. */
function failed(): RunState {
  const error = {
    code: 'server-start-failed',
    message: 'Triton ended with exit code 1 before it was ready',
    details: logLines.join('\n'),
  } as const;
  return stateOf([
    ...createdBodies(),
    ...preparationBodies().slice(0, 6),
    { type: 'step-started', step: 'deploy', attempt: 1, key: 'key-deploy' },
    { type: 'step-failed', step: 'deploy', durationUs: 2_000_000, error },
    { type: 'run-finished', outcome: 'failed', error },
  ]);
}

const edgesUs = Array.from({ length: 25 }, (_value, index) => 400 * 1.2 ** index);

/** Everything that a level of the native tool can have, and in doubt. */
const shaky = (change: Partial<LoadPoint>): LoadPoint =>
  pointFixture({
    stable: false,
    flags: ['unstable', 'client-saturated'],
    client: { cpuShare: 0.91, loopShare: 0.82, loopDelayP99Us: 2400 },
    throughputIntervalIps: 700,
    latencyIntervals: { p50Us: 100, p90Us: 400, p95Us: 700, avgUs: 120 },
    histogram: { edgesUs, counts: edgesUs.slice(1).map((_edge, index) => 400 - 15 * Math.abs(index - 8)) },
    outputChecks: { checkedCount: 57, wrongCount: 0, comparedCount: 0, finite: true },
    ...change,
  });

/** Done and verified, and no level is steady; on a GPU, in a container. */
function unsteady(): RunState {
  const environment = environmentFixture({
    engine: 'docker',
    image: `nvcr.io/nvidia/tritonserver:25.08-py3@sha256:${'0f'.repeat(32)}`,
    gpus: [{ name: 'NVIDIA A30', uuid: 'GPU-1', memoryBytes: 24 * 1024 ** 3, driver: '575.57.08' }],
  });
  const spec = specFixture();
  return stateOf([
    ...createdBodies(spec, environment),
    ...preparationBodies(),
    ...stepBodies(
      'offline',
      spec.performance.batchSizes.map((batchSize) => measurementBody('offline', shaky({ batchSize }))),
      [],
      ['5 of 5 levels did not become steady'],
    ),
    ...stepBodies(
      'online',
      spec.performance.concurrency.map((concurrency, index, all) => {
        const gpus = readingsFixture(['GPU-1'], (index + 1) / all.length);
        return measurementBody('online', shaky({ concurrency, gpus }));
      }),
    ),
    { type: 'run-finished', outcome: 'done' },
  ]);
}

const componentNames = [
  ...['clientSendUs', 'networkServerSendRecvUs', 'serverQueueUs', 'serverComputeInputUs'],
  ...['serverComputeInferUs', 'serverComputeOutputUs', 'clientRecvUs'],
];

/** A profile export of perf_analyzer: latencies only. */
function imported(): RunState {
  const [created] = createdBodies();
  if (created?.type !== 'run-created') throw new Error('The fixture begins with run-created');
  const none = Object.fromEntries(componentNames.map((name) => [name, null]));
  return stateOf([
    {
      ...created,
      imported: {
        kind: 'perf-analyzer-profile',
        fileName: 'profile.json',
        sha256: 'a'.repeat(64),
        sizeBytes: 25_977,
        notes: ['Batch size 1 is assumed.', 'The file has no columns of client and server.'],
      },
    },
    ...[1, 2, 4].map((concurrency) =>
      measurementBody('online', pointFixture({ concurrency, loadTool: 'perf_analyzer', ...none })),
    ),
    { type: 'run-finished', outcome: 'done' },
  ]);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_value, index) => index + 1);

/** Thirty batch sizes and thirty concurrencies. */
function sixtyLevels(): RunState {
  const spec = specFixture(({ configure, performance }) => {
    configure.maxBatchSize = 32;
    performance.batchSizes = upTo(30);
    performance.concurrency = upTo(30);
  });
  const certain = { stable: true, flags: [] };
  return stateOf([
    ...createdBodies(spec),
    ...preparationBodies(),
    ...stepBodies(
      'offline',
      upTo(30).map((batchSize) =>
        measurementBody('offline', shaky({ batchSize, ...(batchSize % 7 === 0 ? {} : certain) })),
      ),
    ),
    ...stepBodies(
      'online',
      upTo(30).map((concurrency) => measurementBody('online', pointFixture({ concurrency }))),
    ),
    { type: 'run-finished', outcome: 'done' },
  ]);
}

/** A model of 45 inputs, as Wide & Deep has many. */
function manyInputs(): RunState {
  const inputs = upTo(45).map((at) => ({
    name: 'Input',
    value: `document_id_sim_categories_${at} FP32 [-1, 1]`,
  }));
  return stateOf(
    completeBodies().map((body) =>
      body.type === 'step-finished' && ['export', 'convert'].includes(body.step)
        ? { ...body, facts: [...body.facts, ...inputs] }
        : body,
    ),
  );
}

/** Stages, refused requests and padded texts: every column of a level. */
function paddedSlices(): RunState {
  const state = slicedState();
  const { online } = state.scenarios;
  const points = online.points.map((measured) => ({
    ...measured,
    point: { ...shaky(measured.point), requestCount: 1_234_567, paddingShare: 0.31 },
  }));
  return { ...state, scenarios: { ...state.scenarios, online: { ...online, points } } };
}

/** The kinds of runs whose report must be fit to hand over. */
export const reportKinds = {
  complete: completeState,
  failed,
  unsteady,
  imported,
  sixtyLevels,
  manyInputs,
  sliced: paddedSlices,
} as const;
