import type { Environment, LoadPoint } from '../contract/measured/results';
import type { ImportSource } from '../contract/run/imported';
import type { JournalBody, Scenario } from '../contract/run/run-events';
import { type RunSpec, runSpecSchema } from '../contract/run/run-spec';
import { loadKey } from '../contract/run/scenario-levels';
import { hashValue } from '../platform/files';
import type { RunStore } from './run-store';

interface ImportedFigures {
  readonly source: ImportSource;
  readonly model: string;
  readonly points: readonly LoadPoint[];
}

/**
 * Every run has a specification; of an imported one only the model's name and the levels are true, and nothing else of it
 * is shown.
 */
function placeholderSpec({ model, points }: ImportedFigures): RunSpec {
  const rates = points.flatMap(({ requestRate }) => requestRate ?? []);
  const concurrency = points.flatMap((point) => (point.requestRate === undefined ? [point.concurrency] : []));
  const [first] = points;
  return runSpecSchema.parse({
    version: 1,
    model: { preset: model, profile: 'full', args: {} },
    format: 'onnx',
    precision: 'fp32',
    onnxOpset: 17,
    engine: { kind: 'local' },
    configure: {
      modelName: model,
      modelVersion: 1,
      maxBatchSize: 0,
      batching: 'disabled',
      preferredBatchSizes: [],
      maxQueueDelayUs: 0,
      instances: 1,
      instanceKind: 'KIND_AUTO',
      backendAccelerator: 'none',
      captureCudaGraph: false,
      threads: 0,
    },
    accuracy: { atol: {}, rtol: {}, maxMetricDelta: 0, thresholds: {}, allowUnverified: true },
    performance: {
      loadTool: 'perf_analyzer',
      protocol: 'grpc',
      inputData: 'random',
      batchSizes: [...new Set(points.map(({ batchSize }) => batchSize))],
      onlineBatchSize: first?.batchSize ?? 1,
      concurrency: concurrency.length === 0 ? [1] : concurrency,
      requestRates: rates,
      measurementMode: 'time_windows',
      measurementIntervalMs: 5000,
      measurementRequestCount: 50,
      stabilityPercentage: 10,
      maxTrials: 10,
      warmupMs: 0,
    },
    deadlines: {},
  });
}

/** Nothing is known of the machine but its GPUs, where the tool named them. */
function unknownEnvironment({ points }: ImportedFigures, workbenchVersion: string): Environment {
  const gpus = new Map(points.flatMap(({ gpus: all = [] }) => all.map((gpu) => [gpu.uuid, gpu] as const)));
  return {
    workbenchVersion,
    engine: '',
    tritonVersion: null,
    image: null,
    images: [],
    os: '',
    cpu: '',
    cpuCount: 0,
    memoryBytes: 0,
    gpus: [...gpus.values()].map(({ uuid, totalMemoryBytes }) => ({
      name: '',
      uuid,
      memoryBytes: Math.round(totalMemoryBytes ?? 0),
      driver: '',
    })),
    packages: {},
  };
}

/** One request at a time, several batch sizes: that is the offline sweep. */
function scenarioOfPoints(points: readonly LoadPoint[]): Scenario {
  const alone = points.every(
    ({ concurrency, requestRate }) => concurrency === 1 && requestRate === undefined,
  );
  return alone && new Set(points.map(({ batchSize }) => batchSize)).size > 1 ? 'offline' : 'online';
}

/** Stores the figures as a run that is done and marked as imported. @returns the run's id. */
export async function importRun(
  store: RunStore,
  figures: ImportedFigures,
  workbenchVersion: string,
): Promise<string> {
  const spec = placeholderSpec(figures);
  const environment = unknownEnvironment(figures, workbenchVersion);
  const { state } = await store.create(spec, environment, undefined, { imported: figures.source });
  const { runId } = state;
  const scenario = scenarioOfPoints(figures.points);
  const measured = figures.points.map((point): JournalBody => {
    const key = hashValue([figures.source.sha256, loadKey(point)]).slice(0, 32);
    return { type: 'measurement', scenario, key, point };
  });
  await store.appendAll(runId, [...measured, { type: 'run-finished', outcome: 'done' }]);
  return runId;
}
