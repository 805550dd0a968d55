import { z } from 'zod';
import { later } from '../later';
import { inContainers } from '../run/engine-kinds';
import { formatFacts } from '../run/model-formats';
import type { Scenario } from '../run/run-events';
import {
  accelerators,
  formats,
  type PerformanceSpec,
  precisions,
  type PublishedGpu,
  publishedGpuOf,
  publishedGpus,
  type RunSpec,
} from '../run/run-spec';
import { isOpenLoop } from '../run/sweep';

/** Columns of a level in the list, in order: load, throughput, then milliseconds. null: not in the document. */
const publishedColumns = [
  'batchSize',
  'concurrency',
  'inferencesPerSecond',
  'clientSendMs',
  'networkMs',
  'serverQueueMs',
  'computeInputMs',
  'computeInferMs',
  'computeOutputMs',
  'clientReceiveMs',
  'p50Ms',
  'p90Ms',
  'p95Ms',
  'p99Ms',
  'avgMs',
] as const;
type PublishedColumn = (typeof publishedColumns)[number];

const load = z.int().min(1);

const levelSchema = later(() =>
  z
    .tuple([load, load, z.number().positive()])
    .rest(z.number().min(0).nullable())
    .refine((level) => level.length === publishedColumns.length, 'one value a column'),
);

const tableSchema = later(() =>
  z.strictObject({
    scenario: z.enum(['offline', 'online']),
    gpu: z.enum(publishedGpus),
    /** As the document names it: "NVIDIA DGX A100 (1x A100 80GB)". */
    hardware: z.string().min(1),
    format: z.enum(formats),
    precision: z.enum(precisions),
    /** null where the document does not say. */
    accelerator: z.enum(accelerators).nullable(),
    /** null where the document measures only one data set. */
    dataset: z.string().nullable(),
    /** By load. */
    levels: z.array(levelSchema).min(1),
  }),
);

/** `resources/baselines/<preset>.json`: every table of the preset's published document. */
export const publishedSchema = later(() =>
  z.strictObject({
    preset: z.string(),
    source: z.strictObject({
      title: z.string(),
      address: z.string(),
      date: z.string(),
      /** Circumstances that its tables leave out: how tensors were passed, how unprinted loads were found. */
      note: z.string().optional(),
    }),
    columns: z
      .array(z.enum(publishedColumns))
      .refine((names) => names.join() === publishedColumns.join(), 'not the known columns'),
    tables: z.array(tableSchema).min(1),
  }),
);
export type PublishedResults = z.infer<typeof publishedSchema>;
type PublishedTable = z.infer<typeof tableSchema>;
type PublishedLevel = PublishedTable['levels'][number];

/**
 * How a run was measured differently from the published figures, in a sentence; null: alike.
 * @param differences "Protocol, online: gRPC; published: HTTP", one text each
 */
export const otherwiseText = (differences: readonly string[]): string | null =>
  differences.length === 0
    ? null
    : `Measured under other conditions than published. ${differences.join('. ')}.`;

export function publishedValue(level: PublishedLevel, column: PublishedColumn): number | null {
  return level[publishedColumns.indexOf(column)] ?? null;
}

/** Published figures of one GPU, format and precision, to compare a run with. */
export interface Baseline {
  /** "A30/onnx/fp16". */
  readonly key: string;
  readonly gpu: PublishedGpu;
  /** "published, A30, ONNX fp16": shown with its figures, so that none is mistaken for measured. */
  readonly label: string;
  /** Full title: hardware, accelerator, data set. */
  readonly title: string;
  /** null where the document has no table of the scenario. */
  readonly offline: PublishedTable | null;
  readonly online: PublishedTable | null;
}

const acceleratorNames = {
  none: null,
  cuda: 'CUDA',
  trt: 'TensorRT accelerator',
  amp: 'automatic fp16',
} as const;

function baselineOf(key: string, tables: readonly PublishedTable[], first: PublishedTable): Baseline {
  const { gpu, hardware, format, precision, accelerator, dataset } = first;
  const what = `${formatFacts[format].title} ${precision}`;
  const extras = [accelerator === null ? null : acceleratorNames[accelerator], dataset].filter(
    (part) => part !== null,
  );
  return {
    key,
    gpu,
    label: `published, ${gpu}, ${what}`,
    title: `${hardware}, ${what}${extras.length === 0 ? '' : ` (${extras.join(', ')})`}`,
    offline: tables.find(({ scenario }) => scenario === 'offline') ?? null,
    online: tables.find(({ scenario }) => scenario === 'online') ?? null,
  };
}

type Wanted = Pick<RunSpec, 'model' | 'format' | 'precision'>;

/** The run's own format and precision first; empty for a user's own model, whatever its name. */
export function baselinesOf(published: PublishedResults | null, spec: Wanted): readonly Baseline[] {
  if (published === null || spec.model.source !== undefined || published.preset !== spec.model.preset)
    return [];
  const dataset = spec.model.args['data_set'];
  const groups = new Map<string, PublishedTable[]>();
  for (const table of published.tables) {
    if (table.dataset !== null && table.dataset !== dataset) continue;
    const key = `${table.gpu}/${table.format}/${table.precision}`;
    groups.set(key, [...(groups.get(key) ?? []), table]);
  }
  const found = [...groups].flatMap(([key, tables]) => {
    const [first] = tables;
    return first === undefined ? [] : [baselineOf(key, tables, first)];
  });
  const same = (baseline: Baseline) => baseline.key.endsWith(`/${spec.format}/${spec.precision}`);
  return [...found.filter(same), ...found.filter((baseline) => !same(baseline))];
}

/** Default GPU of the comparison: the one chosen for the run, else the one it was measured on. */
export function baselineGpu(spec: RunSpec, gpuNames: readonly string[]): PublishedGpu | null {
  if (spec.targetGpu !== undefined) return spec.targetGpu;
  // Measured figures of a small model, or of a server on the CPU, say nothing about the published ones.
  if (spec.model.profile !== 'full' || !inContainers(spec.engine) || spec.engine.gpus.length === 0)
    return null;
  const [name] = gpuNames;
  return name === undefined ? null : publishedGpuOf(name);
}

/** The figures of the run's own format and precision on that GPU; null where none are published. */
export function defaultBaseline(
  baselines: readonly Baseline[],
  spec: RunSpec,
  gpuNames: readonly string[],
): Baseline | null {
  const key = `${String(baselineGpu(spec, gpuNames))}/${spec.format}/${spec.precision}`;
  return baselines.find((baseline) => baseline.key === key) ?? null;
}

export interface BaselineSeries {
  /** Hardware, and the batch size per request where the run's differs. */
  readonly label: string;
  readonly points: readonly BaselinePoint[];
}

/** Times in milliseconds; null where nothing is published. */
export interface BaselinePoint {
  /** Batch size offline, concurrency online. */
  readonly load: number;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly inferencesPerSecond: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

function pointOf(level: PublishedLevel, scenario: Scenario): BaselinePoint {
  const [batchSize, concurrency, inferencesPerSecond] = level;
  return {
    load: scenario === 'offline' ? batchSize : concurrency,
    batchSize,
    concurrency,
    inferencesPerSecond,
    p50Ms: publishedValue(level, 'p50Ms'),
    p95Ms: publishedValue(level, 'p95Ms'),
    p99Ms: publishedValue(level, 'p99Ms'),
  };
}

const batchOf = (table: PublishedTable): number => table.levels[0]?.[0] ?? 1;

/** null where the scenario is not published, or the run sends at request rates. */
export function baselineSeries(
  baseline: Baseline | null,
  scenario: Scenario,
  performance: PerformanceSpec | null,
): BaselineSeries | null {
  const table = baseline?.[scenario] ?? null;
  if (baseline === null || table === null || performance === null) return null;
  const { onlineBatchSize } = performance;
  if (scenario === 'online' && isOpenLoop(performance)) return null;
  const otherBatch = scenario === 'online' && batchOf(table) !== onlineBatchSize;
  return {
    label: otherBatch ? `${baseline.label}, batch ${batchOf(table)}` : baseline.label,
    points: table.levels.map((level) => pointOf(level, scenario)),
  };
}
