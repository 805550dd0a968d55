import type { LoadPoint } from '../../main/contract/measured/results';
import type { Sample } from './measure';
import { median, type PairedRatio, pairedRatio } from './pairs';
import type { BenchScenario } from './scenarios';

export interface ScenarioResult {
  readonly scenario: BenchScenario;
  /** Pairs that were wanted. */
  readonly repeats: number;
  readonly native: readonly Sample[];
  readonly analyzer: readonly Sample[];
  /** Why a pair gave nothing. */
  readonly lost: readonly string[];
}

/**
 * A difference below this is none: perf_analyzer cuts columns down to whole microseconds, and what is less than a
 * hundredth of the latency is mostly the scheduler's noise.
 */
const columnFloor = { us: 5, shareOfLatency: 0.01 };
const throughputLimit = 0.15;
const columnLimit = 0.1;
const memoryLimitMiB = 150;
const partsLimitUs = 5;
const rateOf = (sample: Sample): number => sample.point.inferencesPerSecond;

const serverColumns = [
  ['Server Queue', 'serverQueueUs'],
  ['Server Compute Input', 'serverComputeInputUs'],
  ['Server Compute Infer', 'serverComputeInferUs'],
  ['Server Compute Output', 'serverComputeOutputUs'],
] as const satisfies readonly (readonly [string, keyof LoadPoint])[];

/** Share of the time in which the model's one instance works, by the server's own columns: near 1 its times decide the rate. */
const busyOf = ({ point }: Sample): number =>
  (point.inferencesPerSecond *
    ((point.serverComputeInputUs ?? NaN) +
      (point.serverComputeInferUs ?? NaN) +
      (point.serverComputeOutputUs ?? NaN))) /
  1e6;

const rows: readonly (readonly [string, (sample: Sample) => number])[] = [
  ['Inferences/Second', rateOf],
  ['Avg latency (us)', (sample) => sample.point.avgUs ?? NaN],
  ['p50 (us)', (sample) => sample.point.p50Us ?? NaN],
  ['p99 (us)', (sample) => sample.point.p99Us],
  ['Client CPU per request (us)', (sample) => sample.clientCpuUs],
  ['Client CPU per request with start-up (us)', (sample) => sample.wholeCpuUs],
  ...serverColumns.map(
    ([title, key]) => [`${title} (us)`, (sample: Sample) => sample.point[key] ?? NaN] as const,
  ),
  ['Model busy (%)', (sample) => 100 * busyOf(sample)],
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

/** Where both must find the same: what differs beyond the limits. */
function disagreements(result: ScenarioResult): readonly string[] {
  const found: string[] = [];
  const throughput = ratioOf(result, rateOf);
  if (Math.abs(throughput.median - 1) > throughputLimit)
    found.push(`Inferences/Second ${ratioText(throughput)}`);
  const latencyUs = median(result.analyzer.map((sample) => sample.point.avgUs ?? NaN));
  const floorUs = Math.max(columnFloor.us, columnFloor.shareOfLatency * latencyUs);
  for (const [title, key] of serverColumns) {
    const native = median(result.native.map((sample) => sample.point[key] ?? NaN));
    const analyzer = median(result.analyzer.map((sample) => sample.point[key] ?? NaN));
    if (Math.abs(native - analyzer) <= floorUs) continue;
    const ratio = ratioOf(result, (sample) => sample.point[key] ?? NaN);
    if (Math.abs(ratio.median - 1) > columnLimit) found.push(`${title} ${ratioText(ratio)}`);
  }
  return found;
}

/** One sentence a goal, and whether it is met. */
interface Verdict {
  readonly text: string;
  readonly met: boolean;
}

/** Bytes that the requests in flight hold of themselves: their input, and an answer of the same size where there is one. */
const inFlightBytes = ({ model, elements, concurrency }: BenchScenario): number =>
  (model === 'sink' ? 1 : 2) * 4 * elements * concurrency;

const parts = [
  'clientSendUs',
  'networkServerSendRecvUs',
  'serverQueueUs',
  'serverComputeInputUs',
  'serverComputeInferUs',
  'serverComputeOutputUs',
  'clientRecvUs',
] as const satisfies readonly (keyof LoadPoint)[];

/** Average less the sum of its parts, microseconds; NaN where one is missing, which meets no limit. */
const offUsOf = (point: LoadPoint): number =>
  Math.abs((point.avgUs ?? NaN) - parts.reduce((sum, key) => sum + (point[key] ?? NaN), 0));

/** What holds of the built-in load generator alone, whatever the scenario. */
function ownVerdicts({ scenario, native }: ScenarioResult): readonly Verdict[] {
  const own = native.flatMap((sample) => sample.own ?? []);
  const memoryMiB = Math.max(...own.map(({ memoryBytes }) => memoryBytes)) / 2 ** 20;
  const roomMiB = memoryLimitMiB + inFlightBytes(scenario) / 2 ** 20;
  const offUs = Math.max(...native.map(({ point }) => offUsOf(point)));
  const uncounted = own.filter(({ counted, served }) => counted !== served);
  return [
    {
      text: `memory ${memoryMiB.toFixed(0)} MiB at most (limit ${roomMiB.toFixed(0)}: ${memoryLimitMiB} and what is in flight)`,
      met: memoryMiB <= roomMiB,
    },
    {
      text: `average less sum of its parts ${offUs.toFixed(1)} us (limit ${partsLimitUs})`,
      met: offUs <= partsLimitUs,
    },
    {
      text:
        uncounted.length === 0
          ? 'requests counted as the server counts them'
          : `requests counted otherwise than by the server: ${uncounted.map(({ counted, served }) => `${counted} of ${served}`).join(', ')}`,
      met: uncounted.length === 0,
    },
  ];
}

function goalVerdicts(result: ScenarioResult): readonly Verdict[] {
  const { goals } = result.scenario;
  const atMost = (title: string, limit: number | undefined, read: (sample: Sample) => number) => {
    const ratio = ratioOf(result, read);
    return limit === undefined
      ? []
      : [{ text: `${title} ${ratioText(ratio)} (at most ${limit})`, met: ratio.median <= limit }];
  };
  const throughput = ratioOf(result, rateOf);
  const least = goals.throughputAtLeast;
  const differences = goals.sameColumns === true ? disagreements(result) : [];
  return [
    ...(least === undefined
      ? []
      : [
          {
            text: `throughput ${ratioText(throughput)} (at least ${least})`,
            met: throughput.median >= least,
          },
        ]),
    ...atMost('client CPU per request', goals.cpuAtMost, (sample) => sample.clientCpuUs),
    ...atMost('p50', goals.p50AtMost, (sample) => sample.point.p50Us ?? NaN),
    ...atMost('p99', goals.p99AtMost, (sample) => sample.point.p99Us),
    ...(goals.sameColumns === true
      ? [
          {
            text: `throughput within 15 %, server columns within 10 % (or 1 % of the latency)${differences.length === 0 ? '' : `: ${differences.join('; ')}`}`,
            met: differences.length === 0,
          },
        ]
      : []),
  ];
}

function verdictsOf(result: ScenarioResult): readonly Verdict[] {
  const { native, repeats, lost } = result;
  const pairs = { text: `${native.length} of ${repeats} pairs; ${lost.length} were lost`, met: false };
  if (native.length === 0) return [pairs];
  return [...goalVerdicts(result), ...ownVerdicts(result), ...(native.length < repeats ? [pairs] : [])];
}

/** Goals of a scenario that were missed, in words. */
export const missed = (result: ScenarioResult): readonly string[] =>
  verdictsOf(result)
    .filter(({ met }) => !met)
    .map(({ text }) => `${titleOf(result.scenario)}: ${text}`);

export const titleOf = (scenario: BenchScenario): string =>
  `${scenario.title}, ${scenario.protocol === 'grpc' ? 'gRPC' : 'HTTP'}, concurrency ${scenario.concurrency}`;

const unsteady = (samples: readonly Sample[]) => samples.filter((sample) => !sample.point.stable).length;

/** One scenario as a Markdown section. */
export function formatScenario(result: ScenarioResult): string {
  const { scenario, native, analyzer } = result;
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
    ...verdictsOf(result).map(({ text, met }) => `- ${met ? 'met' : '**missed**'}: ${text}`),
    '',
    `Levels that did not become steady: native ${unsteady(native)}, perf_analyzer ${unsteady(analyzer)} of ${native.length}.`,
    ...(result.lost.length === 0 ? [] : [`Pairs lost: ${result.lost.join('; ')}.`]),
    '',
  ].join('\n');
}
