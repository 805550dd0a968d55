import type { Environment, LoadPoint } from '../../main/contract/measured/results';
import {
  type JournalBody,
  type JournalEntry,
  journalEntrySchema,
  type Scenario,
} from '../../main/contract/run/run-events';
import { type DeployedSource, isDeployed } from '../../main/contract/run/run-source';
import { defaultRequestSeed, type RunSpec, runSpecSchema } from '../../main/contract/run/run-spec';
import { type DeployedRun, reduceRun, type RunState } from '../../main/contract/run/run-state';
import type { Servers } from '../../main/pipeline/server-run';

/** A complete specification of a quick ResNet50; `change` gets a copy of its own to alter. */
export function specFixture(change: (spec: RunSpec) => void = () => undefined): RunSpec {
  const spec: RunSpec = {
    version: 1,
    model: { preset: 'resnet50', profile: 'quick', args: { classes: '10', width: '64' } },
    format: 'onnx',
    precision: 'fp16',
    onnxOpset: 13,
    engine: { kind: 'local' },
    configure: {
      modelName: 'resnet50',
      modelVersion: 1,
      maxBatchSize: 16,
      batching: 'dynamic',
      preferredBatchSizes: [8, 16],
      maxQueueDelayUs: 100,
      instances: 1,
      instanceKind: 'KIND_CPU',
      backendAccelerator: 'none',
      captureCudaGraph: false,
      configPatch: {},
      threads: 2,
    },
    accuracy: {
      atol: { '*': 0.01 },
      rtol: { '*': 0.05 },
      maxMetricDelta: 0.01,
      thresholds: { top1: 0.9 },
      allowUnverified: false,
    },
    performance: {
      loadTool: 'native',
      protocol: 'grpc',
      inputData: 'dataset',
      checkOutputs: 'form',
      batchSizes: [1, 2, 4, 8, 16],
      onlineBatchSize: 1,
      concurrency: [1, 2, 4, 8, 16, 32, 64],
      requestRates: [],
      requestDistribution: 'constant',
      requestSeed: defaultRequestSeed,
      requestIntervalsUs: [],
      search: 'none',
      latencyThresholdMs: 0,
      sharedMemory: 'none',
      outputSharedMemoryBytes: 102_400,
      measurementMode: 'time_windows',
      measurementIntervalMs: 1000,
      measurementRequestCount: 50,
      requestCount: 0,
      errorPercentage: 1,
      stabilityPercentage: 10,
      percentile: 0,
      maxTrials: 10,
      warmupMs: 500,
      warmupRequestCount: 0,
      repeats: 1,
      crossCheck: false,
    },
    deadlines: {},
  };
  change(spec);
  return runSpecSchema.parse(spec);
}

export function environmentFixture(change: Partial<Environment> = {}): Environment {
  return {
    workbenchVersion: '0.1.0',
    engine: 'local',
    tritonVersion: 'Triton Inference Server 2.51.0',
    image: null,
    images: [],
    os: 'Debian GNU/Linux 12 (bookworm), Linux 6.1.0',
    cpu: 'AMD EPYC 7B13',
    cpuCount: 2,
    memoryBytes: 8_589_934_592,
    gpus: [],
    packages: { torch: '2.13.0', onnx: '1.21.0', onnxruntime: '1.23.2', numpy: '2.2.6' },
    ...change,
  };
}

/**
 * A plausible level of a server that saturates: service time grows with the batch, waiting grows with the concurrency.
 * Components add up to the mean, as a real tool's do.
 */
export function pointFixture(change: Partial<LoadPoint> = {}): LoadPoint {
  const batchSize = change.batchSize ?? 1;
  const concurrency = change.concurrency ?? 1;
  const inferUs = 2100 + 1450.25 * batchSize;
  const queueUs = 40 + Math.max(0, concurrency - 2) * inferUs * 0.42;
  const parts = {
    clientSendUs: 18.5 + 6.25 * batchSize,
    networkServerSendRecvUs: 240 + 55.5 * batchSize,
    serverQueueUs: queueUs,
    serverComputeInputUs: 35 + 12 * batchSize,
    serverComputeInferUs: inferUs,
    serverComputeOutputUs: 22 + 2 * batchSize,
    clientRecvUs: 9.75 + batchSize,
  };
  const avgUs = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const inferencesPerSecond = (concurrency * batchSize * 1e6) / avgUs;
  const requestCount = Math.round((inferencesPerSecond / batchSize) * 3);
  const window = {
    durationUs: 1_000_000,
    requestCount: Math.round(requestCount / 3),
    errorCount: 0,
    inferencesPerSecond,
    avgUs,
    p50Us: avgUs * 0.97,
    p99Us: avgUs * 1.42,
  };
  return {
    batchSize,
    concurrency,
    inferencesPerSecond,
    ...parts,
    p50Us: avgUs * 0.97,
    p90Us: avgUs * 1.12,
    p95Us: avgUs * 1.21,
    p99Us: avgUs * 1.42,
    avgUs,
    requestCount,
    errorCount: 0,
    stable: true,
    flags: [],
    loadTool: 'native',
    protocol: 'grpc',
    meanServerBatch: Math.min(16, Math.max(1, concurrency * 0.7)) * batchSize,
    throughputIntervalIps: inferencesPerSecond * 0.021,
    windows: [window, window, window],
    elapsedUs: 3_640_000,
    ...change,
  };
}

/** What a level read of GPUs at work: more load, power and heat with each; the last one is held down by heat from 0.8 on. */
export const readingsFixture = (uuids: readonly string[], load: number): NonNullable<LoadPoint['gpus']> =>
  uuids.map((uuid, index) => {
    const isHot = index === uuids.length - 1 && load >= 0.8;
    return {
      uuid,
      utilization: Math.min(1, load * (1 - 0.1 * index)),
      powerW: 60 + 180 * load,
      maxMemoryBytes: (4 + 8 * load) * 1024 ** 3,
      totalMemoryBytes: 24 * 1024 ** 3,
      smClockMHz: isHot ? 1185 : 1440,
      throttledShare: isHot ? 0.4 : 0,
      throttledBy: isHot ? ['temperature'] : [],
    };
  });

/** Numbers and dates the bodies, checks each against the journal's schema. */
export function journalFixture(bodies: readonly JournalBody[]): readonly JournalEntry[] {
  const start = Date.parse('2025-11-21T08:17:00.000Z');
  return bodies.map((body, index) =>
    journalEntrySchema.parse({ seq: index + 1, at: new Date(start + index * 1500).toISOString(), ...body }),
  );
}

/** A run that deploys its model; throws for any other. */
export function deployed(state: RunState): DeployedRun {
  if (isDeployed(state)) return state;
  throw new Error(`The run has no specification: ${state.source.kind}`);
}

/** What a run of this specification is of. */
export const sourceFixture = (spec: RunSpec = specFixture()): DeployedSource => ({
  kind: 'deployed',
  spec,
  specHash: 'f'.repeat(64),
});

/** The state that the one reducer makes of the bodies; the first must be `run-created`. */
export function stateOf(bodies: readonly JournalBody[]): RunState {
  const state = journalFixture(bodies).reduce<RunState | null>(reduceRun, null);
  if (state === null) throw new Error('The first journal body is not run-created');
  return state;
}

export function createdBodies(
  spec: RunSpec = specFixture(),
  environment: Environment = environmentFixture(),
): readonly JournalBody[] {
  return [
    {
      type: 'run-created',
      runId: '20251121-081700-resnet50-onnx-fp16-a1b2c3',
      spec,
      specHash: 'f'.repeat(64),
      environment,
    },
    { type: 'run-started', attempt: 1, pid: 4242 },
  ];
}

/** A run that exists and has done nothing yet. */
export function runCreated(spec: RunSpec = specFixture()): DeployedRun {
  return deployed(stateOf(createdBodies(spec).slice(0, 1)));
}

export function stepBodies(
  step: Extract<JournalBody, { type: 'step-started' }>['step'],
  inside: readonly JournalBody[] = [],
  facts: readonly { readonly name: string; readonly value: string }[] = [],
  warnings: readonly string[] = [],
): readonly JournalBody[] {
  return [
    { type: 'step-started', step, attempt: 1, key: `key-${step}` },
    ...inside,
    {
      type: 'step-finished',
      step,
      key: `key-${step}`,
      durationUs: 1_234_567,
      facts: [...facts],
      warnings: [...warnings],
    },
  ];
}

export function measurementBody(scenario: Scenario, point: LoadPoint): JournalBody {
  return { type: 'measurement', scenario, key: `${scenario}-${point.batchSize}-${point.concurrency}`, point };
}

export function accuracyBody(
  change: Partial<Extract<JournalBody, { type: 'accuracy' }>['result']> = {},
): JournalBody {
  return {
    type: 'accuracy',
    key: 'key-accuracy',
    result: {
      outputs: [
        {
          output: 'OUTPUT__0',
          atol: 0.01,
          rtol: 0.05,
          maxAbsDiff: 0.00413,
          maxRelDiff: 0.0214,
          nanCount: 0,
          infCount: 0,
          worstSample: 'class_07/00031.jpg',
          sampleCount: 200,
          passed: true,
          vacuous: false,
        },
      ],
      metrics: [
        { name: 'top1', framework: 0.965, triton: 0.965, threshold: 0.9, passed: true },
        { name: 'top5', framework: 1, triton: 1, threshold: null, passed: true },
      ],
      sampleCount: 200,
      passed: true,
      reasons: [],
      warnings: [],
      ...change,
    },
  };
}

/** Steps up to the accuracy gate, with the facts and commands that people read. */
export function preparationBodies(accuracy: JournalBody = accuracyBody()): readonly JournalBody[] {
  const toolkit = ['python', '-m', 'toolkit'];
  return [
    ...stepBodies(
      'prepare-data',
      [
        {
          type: 'command',
          step: 'prepare-data',
          argv: [...toolkit, 'make-dataset', '--output', 'data set/images', '--seed', '1'],
        },
      ],
      [
        { name: 'Samples', value: '1,200' },
        { name: 'Classes', value: '10' },
      ],
    ),
    ...stepBodies(
      'export',
      [
        {
          type: 'command',
          step: 'export',
          note: 'fp32 source',
          argv: [...toolkit, 'export', '--format', 'onnx', '--opset', '13'],
        },
      ],
      [
        { name: 'Parameters', value: '1,412,106' },
        { name: 'Model file', value: 'model.onnx, 5.4 MiB' },
      ],
    ),
    ...stepBodies(
      'convert',
      [
        {
          type: 'command',
          step: 'convert',
          argv: [...toolkit, 'convert', '--format', 'onnx', '--precision', 'fp16'],
        },
      ],
      [{ name: 'Model file', value: 'model.onnx, 2.7 MiB' }],
    ),
    ...stepBodies('configure', [], [{ name: 'Batching', value: 'dynamic, at most 16' }]),
    ...stepBodies(
      'deploy',
      [
        {
          type: 'command',
          step: 'deploy',
          argv: [
            'tritonserver',
            '--model-repository=model-repository',
            '--model-control-mode=explicit',
            '--http-port=18000',
            '--grpc-port=18001',
          ],
        },
      ],
      [
        { name: 'Server', value: 'ready after 2.1 s' },
        { name: 'Canary', value: 'answered in 14 ms' },
      ],
    ),
    ...stepBodies('accuracy', [accuracy], [{ name: 'Samples', value: '200' }]),
    ...stepBodies('profile-data', [], [{ name: 'Source', value: 'dataset, 16 samples' }]),
  ];
}

/** A whole run, done, with an unsteady level and a hole: offline batch 8 and online concurrency 32. */
export function completeBodies(): readonly JournalBody[] {
  const offline = [1, 2, 4, 8, 16].map((batchSize) =>
    measurementBody(
      'offline',
      pointFixture({ batchSize, ...(batchSize === 8 ? { stable: false, flags: ['unstable'] } : {}) }),
    ),
  );
  const online = [1, 2, 4, 8, 16, 64].map((concurrency) =>
    measurementBody('online', pointFixture({ concurrency })),
  );
  return [
    ...createdBodies(),
    ...preparationBodies(),
    ...stepBodies('offline', offline, [{ name: 'Levels', value: '5 of 5' }]),
    ...stepBodies('online', [
      ...online,
      {
        type: 'measurement-missing',
        scenario: 'online',
        key: 'online-1-32',
        batchSize: 1,
        concurrency: 32,
        error: { code: 'load-tool-failed', message: 'The load tool ended with exit code 99' },
      },
    ]),
    { type: 'step-started', step: 'report', attempt: 1, key: 'key-report' },
  ];
}

export function completeState(): DeployedRun {
  return deployed(stateOf(completeBodies()));
}

/** For runs that deploy their model: nothing else is measured. */
export const noServers: Servers = {
  environmentFor: () => Promise.reject(new Error('no Triton is measured here')),
  measureServer: () => Promise.reject(new Error('no Triton is measured here')),
};
