import { phaseTitle, type SlowRequests, type TracedPart } from '../../../contract/measured/slow-requests';
import { formatCount, formatMs } from '../../../contract/numbers';
import { scenarios } from '../../../contract/run/run-events';
import type { RunState } from '../../../contract/run/run-state';
import { levelText } from '../../../contract/words';

/** "resize: compute infer"; of the requested model without its name. */
export const partText = ({ model, phase }: Pick<TracedPart, 'model' | 'phase'>): string =>
  model === null ? phaseTitle[phase] : `${model}: ${phaseTitle[phase]}`;

/** The longest part of the slowest requests. */
export const longestOf = ({ parts }: Pick<SlowRequests, 'parts'>): TracedPart | null =>
  parts.reduce<TracedPart | null>(
    (longest, part) => (part.slowUs > (longest?.slowUs ?? 0) ? part : longest),
    null,
  );

/** A difference below this share of the median is called none. */
const noticedShare = 0.05;

const ms = (us: number): string => `${formatMs(us)} ms`;

/** "Of the difference of 36.1 ms, 35.0 ms are in resize: compute infer." */
function differenceText({ parts, medianUs, slowUs }: SlowRequests): string {
  const differenceUs = slowUs - medianUs;
  const [most] = parts.toSorted((a, b) => b.slowUs - b.medianUs - (a.slowUs - a.medianUs));
  if (most === undefined || differenceUs < noticedShare * medianUs) {
    return 'They are about as fast as the others.';
  }
  return `Of the difference of ${ms(differenceUs)}, ${ms(Math.max(0, most.slowUs - most.medianUs))} are in ${partText(most)}.`;
}

/** Where the slow requests spent their time, in two or three sentences. */
export function slowText(slow: SlowRequests): string {
  const { requests, slowCount, medianUs, slowUs } = slow;
  const longest = longestOf(slow);
  const total =
    slowCount === 1
      ? `The slowest of ${formatCount(requests)} traced requests took ${ms(slowUs)}`
      : `The slowest ${formatCount(slowCount)} of ${formatCount(requests)} traced requests took ${ms(slowUs)} on average`;
  return [
    `${total}, those around the median ${ms(medianUs)}.`,
    ...(longest === null ? [] : [`Their longest part is ${partText(longest)}, ${ms(longest.slowUs)}.`]),
    ...(requests < 3 ? [] : [differenceText(slow)]),
  ].join(' ');
}

/** What the figures leave out. */
export const slowNotes = ({ protocol, incomplete }: SlowRequests): readonly string[] => [
  ...(protocol === 'grpc'
    ? [
        'Triton’s trace of gRPC does not separate receiving a request from waiting for one, so it has no such part.',
      ]
    : []),
  ...(incomplete === 0
    ? []
    : [
        `${formatCount(incomplete)} ${incomplete === 1 ? 'request has' : 'requests have'} no beginning or no end in the trace and ${incomplete === 1 ? 'is' : 'are'} not counted.`,
      ]),
];

export const slowHeader = ['Part', 'Around the median (ms)', 'Slowest (ms)', 'Difference (ms)'] as const;

/** A row per part as `slowHeader` has it, and their sum. */
export function slowRows({ parts, medianUs, slowUs }: SlowRequests): readonly (readonly string[])[] {
  const cells = (name: string, median: number, slow: number) => [
    ...[name, formatMs(median), formatMs(slow), formatMs(slow - median)],
  ];
  return [
    ...parts.map((part) => cells(partText(part), part.medianUs, part.slowUs)),
    cells('all', medianUs, slowUs),
  ];
}

/** Traced requests of a measured level. */
export interface SlowLevel {
  /** "Online, concurrency 4". */
  readonly title: string;
  readonly slow: readonly SlowRequests[];
  /** Why it has none; null: it has. */
  readonly problem: string | null;
}

const scenarioTitle = { offline: 'Offline', online: 'Online' } as const;

/** Traced levels of a run that are among its results, in their order. */
export function slowLevels({
  scenarios: measured,
  traces,
}: Pick<RunState, 'scenarios' | 'traces'>): readonly SlowLevel[] {
  return scenarios.flatMap((scenario) =>
    measured[scenario].points.flatMap(({ key, point }) => {
      const traced = traces.levels.find((level) => level.key === key);
      if (traced === undefined) return [];
      const title = `${scenarioTitle[scenario]}, ${levelText(point)}`;
      return [{ title, slow: traced.slow, problem: traced.problem }];
    }),
  );
}

/** What was traced. */
export interface TracedSubject {
  readonly file?: string;
  readonly runId?: string;
  readonly deployment?: string;
  /** Folder of the files that were written. */
  readonly dir?: string;
}

/** As `--json` has it. */
export const slowDocument = (of: TracedSubject, levels: readonly SlowLevel[]) => ({
  ...{ kind: 'triton-workbench-trace' as const, version: 1 as const },
  ...of,
  levels,
});
