import { invalidInput } from '../../../contract/errors';
import { isFaulty } from '../../../contract/flag-text';
import { formatDuration, formatShortShare, formatTyped } from '../../../contract/numbers';
import type { DeployedRun } from '../../../contract/run/run-state';
import type {
  AskedSoakLoad,
  SoakLevel,
  SoakRequest,
  SoakStrategy,
  SoakSubject,
} from '../../../contract/study/soak';
import type { SoakPlan } from '../../../contract/study/study';
import { present } from '../../../contract/trees';
import { answerOf } from '../../measured/answer';
import { highest, measuredPoints } from '../../measured/points';
import { parseSoakCriterion } from './soak-criteria';
import { soakLevelText } from './soak-text';

const usualLoad: AskedSoakLoad = { share: 0.6 };
/** Shorter than this nothing can be told. */
const shortestMs = 10_000;
const read = { usual: 5000, shortest: 250, parts: 120 } as const;
/** Medians of so many readings at least. */
const readingsOfBlock = 2;
const block = { longest: 300_000, parts: 96 } as const;
const slice = { longest: 900_000, shortest: 2000, parts: 16 } as const;
const shortestReloadMs = 500;

const within = (value: number, least: number, most: number): number =>
  Math.round(Math.min(most, Math.max(least, value)));

/** How often is read, and what is put together, by how long it takes. Pure. */
export function soakTimes(
  forMs: number,
  given: number | undefined,
): Pick<SoakStrategy, 'readMs' | 'blockMs' | 'sliceMs'> {
  const readMs = given ?? within(forMs / read.parts, read.shortest, read.usual);
  return {
    readMs,
    blockMs: Math.max(readingsOfBlock * readMs, within(forMs / block.parts, 0, block.longest)),
    sliceMs: within(forMs / slice.parts, slice.shortest, slice.longest),
  };
}

/** Requests per second that the run held best, and of what size; null: it answered none. */
function heldBy(run: DeployedRun): { readonly requestsPerSecond: number; readonly batchSize: number } | null {
  const answered = answerOf(run)?.level ?? null;
  const sound = measuredPoints(run).filter(({ point }) => !isFaulty(point));
  const best = answered ?? highest(sound.filter(({ scenario }) => scenario === 'online')) ?? highest(sound);
  if (best === null || best.point.inferencesPerSecond <= 0) return null;
  const { inferencesPerSecond, batchSize } = best.point;
  return { requestsPerSecond: inferencesPerSecond / batchSize, batchSize };
}

function levelOf(
  { load = usualLoad, batchSize }: Pick<SoakRequest, 'load' | 'batchSize'>,
  run: DeployedRun | null,
): { readonly level: SoakLevel; readonly note: string | null } {
  const held = run === null ? null : heldBy(run);
  const size = batchSize ?? held?.batchSize ?? 1;
  if ('concurrency' in load) return { level: { batchSize: size, concurrency: load.concurrency }, note: null };
  if ('requestRate' in load) return { level: { batchSize: size, requestRate: load.requestRate }, note: null };
  if (held === null) {
    throw invalidInput(
      '--rate',
      run === null
        ? 'The capacity of the server is not known, so a share of it is not a rate'
        : 'The run has no level to take a share of',
      'Give requests per second, for example --rate 50.',
    );
  }
  // Of another size in proportion to its rows.
  const perSecond = (held.requestsPerSecond * held.batchSize) / size;
  const requestRate = Number((load.share * perSecond).toPrecision(4));
  const note = `Load: ${formatTyped(requestRate)} requests/s, ${formatShortShare(load.share)} of the ${formatTyped(Number(perSecond.toPrecision(4)))} that the run held at batch size ${size}.`;
  return { level: { batchSize: size, requestRate }, note };
}

function requireFits(level: SoakLevel, run: DeployedRun | null): void {
  if (run === null) return;
  const { batching, maxBatchSize } = run.source.spec.configure;
  const most = batching === 'disabled' ? 1 : Math.max(1, maxBatchSize);
  if (level.batchSize <= most) return;
  const message = `The model takes at most ${most} rows in a request, not ${level.batchSize}`;
  throw invalidInput('--batch-size', message, `Give --batch-size ${most} or less.`);
}

function reloadMsOf({ reloadEvery, forMs }: SoakRequest, level: SoakLevel): number | undefined {
  if (reloadEvery === undefined) return undefined;
  if ('requests' in reloadEvery && 'concurrency' in level) {
    throw invalidInput(
      '--reload-every',
      'A number of requests applies only with --rate',
      'Give a time, for example --reload-every 30s.',
    );
  }
  const ms =
    'ms' in reloadEvery
      ? reloadEvery.ms
      : (1000 * reloadEvery.requests) / ('requestRate' in level ? level.requestRate : 1);
  if (ms >= shortestReloadMs && ms <= forMs / 2) return Math.round(ms);
  throw invalidInput(
    '--reload-every',
    `A reload every ${formatDuration(ms * 1000)} is out of range`,
    'Give at least half a second, and at most half of the total time.',
  );
}

/** The soak that a request asks for. Throws input-invalid. @param run whose inputs are sent; null: a server of others. Pure. */
export function planSoak(
  request: SoakRequest & { readonly name: string },
  of: { readonly subject: SoakSubject; readonly title: string; readonly run: DeployedRun | null },
): SoakPlan {
  const { name, forMs, criteria = [], readMs } = request;
  if (forMs < shortestMs) {
    throw invalidInput(
      '--for',
      `${formatDuration(forMs * 1000)} is too short for a result`,
      'Give at least 10s.',
    );
  }
  const { level, note } = levelOf(request, of.run);
  requireFits(level, of.run);
  const soak: SoakStrategy = {
    ...{ kind: 'soak', subject: of.subject, title: of.title, level, forMs },
    ...soakTimes(forMs, readMs),
    ...present({ reloadMs: reloadMsOf(request, level) }),
    criteria: criteria.map((text) => parseSoakCriterion(text).text),
  };
  const { sliceMs } = soak;
  const reload =
    soak.reloadMs === undefined
      ? []
      : [
          `The model is unloaded and loaded every ${formatDuration(soak.reloadMs * 1000)}; meanwhile nothing is sent.`,
        ];
  return {
    soak,
    spec: { name, strategy: { ...soak, trials: [] }, hosts: null },
    notes: [
      note ?? `Load: ${soakLevelText(level)}.`,
      `Memory is read every ${formatDuration(soak.readMs * 1000)}; latency and throughput are stated per ${formatDuration(sliceMs * 1000)}.`,
      ...reload,
    ],
  };
}
