import type { LoadPoint } from '../../main/contract/results';
import type { Sample } from './measure';
import { median, pairedRatio } from './pairs';
import type { PairedRatio } from './pairs';
import type { BenchScenario } from './scenarios';

export interface ScenarioResult {
  readonly scenario: BenchScenario;
  readonly native: readonly Sample[];
  readonly analyzer: readonly Sample[];
  /** Why a pair gave nothing and was taken again. */
  readonly lost: readonly string[];
}

/**
 * A difference below this is none: perf_analyzer cuts columns down to whole microseconds, and what is less than a
 * hundredth of the latency is mostly the scheduler's noise.
 */
const columnFloor = { us: 5, shareOfLatency: 0.01 };
const throughputLimit = 0.15;
const columnLimit = 0.1;

const serverColumns = [
  ['Server Queue', 'serverQueueUs'],
  ['Server Compute Input', 'serverComputeInputUs'],
  ['Server Compute Infer', 'serverComputeInferUs'],
  ['Server Compute Output', 'serverComputeOutputUs'],
] as const satisfies readonly (readonly [string, keyof LoadPoint])[];

const rows: readonly (readonly [string, (sample: Sample) => number])[] = [
  ['Inferences/Second', (sample) => sample.point.inferencesPerSecond],
  ['Avg latency (us)', (sample) => sample.point.avgUs],
  ['p50 (us)', (sample) => sample.point.p50Us],
  ['p99 (us)', (sample) => sample.point.p99Us],
  ['Client CPU per request (us)', (sample) => sample.clientCpuUs],
  ...serverColumns.map(([title, key]) => [`${title} (us)`, (sample: Sample) => sample.point[key]] as const),
];

const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
const ratioText = (ratio: PairedRatio): string =>
  Number.isFinite(ratio.median)
    ? `${ratio.median.toFixed(2)} [${ratio.lowest.toFixed(2)}–${ratio.highest.toFixed(2)}]`
    : '–';

function ratioOf(result: ScenarioResult, read: (sample: Sample) => number): PairedRatio {
  return pairedRatio(
    result.native.map((sample, index) => {
      const other = result.analyzer[index];
      return [read(sample), other === undefined ? NaN : read(other)] as const;
    }),
  );
}

/** Where native and perf_analyzer disagree beyond the limits; empty where they agree or the scenario is not judged. */
export function disagreements(result: ScenarioResult): readonly string[] {
  if (!result.scenario.judged) return [];
  const found: string[] = [];
  const throughput = ratioOf(result, (sample) => sample.point.inferencesPerSecond);
  if (Math.abs(throughput.median - 1) > throughputLimit)
    found.push(`Inferences/Second ${ratioText(throughput)}`);
  const latencyUs = median(result.analyzer.map((sample) => sample.point.avgUs));
  const floorUs = Math.max(columnFloor.us, columnFloor.shareOfLatency * latencyUs);
  for (const [title, key] of serverColumns) {
    const native = median(result.native.map((sample) => sample.point[key]));
    const analyzer = median(result.analyzer.map((sample) => sample.point[key]));
    if (Math.abs(native - analyzer) <= floorUs) continue;
    const ratio = ratioOf(result, (sample) => sample.point[key]);
    if (Math.abs(ratio.median - 1) > columnLimit) found.push(`${title} ${ratioText(ratio)}`);
  }
  return found;
}

export const titleOf = (scenario: BenchScenario): string =>
  `${scenario.title}, ${scenario.protocol === 'grpc' ? 'gRPC' : 'HTTP'}, concurrency ${scenario.concurrency}`;

const unsteady = (samples: readonly Sample[]) => samples.filter((sample) => !sample.point.stable).length;

/** One scenario as a Markdown section. */
export function formatScenario(result: ScenarioResult): string {
  const { scenario, native, analyzer } = result;
  const wrong = disagreements(result);
  const verdict = !scenario.judged
    ? 'Not judged: the rate depends on how much of the shared processors the tool itself takes.'
    : wrong.length === 0
      ? 'Throughput within 15 %, server columns within 10 % (or 1 % of the latency): yes.'
      : `Throughput within 15 %, server columns within 10 % (or 1 % of the latency): no: ${wrong.join('; ')}.`;
  return [
    `### ${titleOf(scenario)}`,
    '',
    '| | native, median | perf_analyzer, median | native / perf_analyzer, paired median [range] |',
    '|---|---|---|---|',
    ...rows.map(
      ([title, read]) =>
        `| ${title} | ${shown(median(native.map(read)))} | ${shown(median(analyzer.map(read)))} | ${ratioText(ratioOf(result, read))} |`,
    ),
    '',
    `${verdict} Levels that did not become steady: native ${unsteady(native)}, perf_analyzer ${unsteady(analyzer)} of ${native.length}.`,
    ...(result.lost.length === 0 ? [] : [`Pairs lost and taken again: ${result.lost.join('; ')}.`]),
    '',
  ].join('\n');
}
