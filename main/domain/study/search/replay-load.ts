import { invalidInput } from '../../../contract/errors';
import { formatCount, formatDuration, formatRate, formatTyped } from '../../../contract/numbers';
import type { Replay, RunSpec } from '../../../contract/run/run-spec';
import { rateOfReplay } from '../../../contract/run/sweep';
import type { SearchRequest, SearchStrategy } from '../../../contract/study/search';
import { replayFindings } from '../../run/replay-rules';

type SearchReplay = NonNullable<Extract<SearchStrategy['load'], { readonly kind: 'open' }>['replay']>;

/** The trace whose requests are the open load; null: they arrive as a Poisson process, or the load is closed. */
export const replayIn = ({ load }: Pick<SearchStrategy, 'load'>): SearchReplay | null =>
  load.kind === 'open' ? (load.replay ?? null) : null;

/** Mean requests a second of the trace as recorded. */
export const recordedRate = (replay: Replay): number => rateOfReplay({ ...replay, speed: 1 });

/** "2.4 times as fast as recorded"; null: no trace is replayed, or the rate is not known. */
export function speedText(search: Pick<SearchStrategy, 'load'>, requestRate: number | null): string | null {
  const replay = replayIn(search);
  if (replay === null || requestRate === null) return null;
  const speed = Number((requestRate / recordedRate(replay)).toPrecision(3));
  return speed === 1 ? 'as recorded' : `${formatTyped(speed)} times as fast as recorded`;
}

/** "with Poisson arrivals": when the requests of an open load are sent. */
export const timesText = (search: Pick<SearchStrategy, 'load'>): string =>
  replayIn(search) === null ? 'with Poisson arrivals' : 'at the times of the trace, sent faster or slower';

/** What was asked for, once it was read. Throws input-invalid where it was not. */
export function replayOf({ replay }: Pick<SearchRequest, 'replay'>): SearchReplay | null {
  if (replay === undefined) return null;
  const { read } = replay;
  if (read === undefined) throw invalidInput('--replay', 'The trace was not read');
  return { ...replay, read };
}

/** A percentile of fewer requests is that of a handful. */
const fewRequests = 400;

/** What is sent of the trace, a sentence each without its full stop. */
export function replayLines(replay: SearchReplay): readonly string[] {
  const { requests, seconds } = replay.read;
  const all = `${formatCount(requests)} requests in ${formatDuration(seconds * 1e6)}`;
  return [
    `Trace: ${all}, on average ${formatRate(recordedRate(replay))} requests/s as recorded; a measurement that is shorter sends its busiest part`,
    ...(requests < fewRequests
      ? [
          `A percentile of ${formatCount(requests)} requests rests on a handful of them: a longer part is more reliable`,
        ]
      : []),
  ];
}

/** Throws input-invalid for what a trace cannot be searched with. */
function requireAlone({ replay, load, rate, objective, batchSize, space }: SearchRequest): void {
  const hasSizes = replay?.read?.largestBatchSize !== undefined;
  if (load === 'closed') {
    throw invalidInput('--replay', 'A replayed trace is an open load', 'Leave --load out.');
  }
  if (rate !== undefined) {
    throw invalidInput(
      '--rate',
      'The rate of a trace is set by its speed',
      'Give --speed in place of --rate.',
    );
  }
  if (replay?.speed !== 1 && objective?.kind !== 'latency') {
    const message = '--speed applies only with --objective latency; otherwise the search finds the speed';
    throw invalidInput('--speed', message, 'Leave --speed out, or add --objective latency.');
  }
  if (hasSizes && (batchSize !== undefined || space.batchSize !== undefined)) {
    const flag = batchSize === undefined ? '--batch-sizes' : '--batch-size';
    throw invalidInput(flag, 'The trace has a batch size for each request', `Leave ${flag} out.`);
  }
}

/** Throws input-invalid where the trace cannot be the load of a search, or of this model. */
export function requireReplayable(request: SearchRequest, { performance, configure }: RunSpec): void {
  const { replay } = request;
  if (replay === undefined) return;
  requireAlone(request);
  const [found] = [
    replayFindings({
      performance: {
        ...performance,
        ...{ replay, requestRates: [], requestIntervalsUs: [], search: 'none', requestCount: 0 },
        ...{ loadTool: 'native', crossCheck: false },
      },
      model: {
        name: configure.modelName,
        maxBatchSize: configure.batching === 'disabled' ? 1 : configure.maxBatchSize,
      },
      isServer: false,
    }),
  ].flat();
  if (found === undefined || found === null || found === false) return;
  const flags: Readonly<Record<string, string>> = {
    'performance.replay.file': '--replay',
    'performance.replay.toS': '--to',
  };
  throw invalidInput(flags[found.field] ?? found.field, found.message, found.remedy ?? undefined);
}
