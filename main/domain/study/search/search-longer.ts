import type { Replay } from '../../../contract/run/run-spec';
import {
  type Candidate,
  candidateFields,
  type SearchRequest,
  type SearchSpace,
  type SearchStrategy,
} from '../../../contract/study/search';
import { present, sameValue } from '../../../contract/trees';
import { largestOf } from '../../statistics';
import { configuredOf } from './candidates';

const longerTimes = 2;

type Field = keyof Candidate;

/** Each value once, in their order. */
const valuesOf = (candidates: readonly Candidate[], field: Field): readonly unknown[] =>
  candidates
    .map((one) => one[field])
    .filter((value) => value !== undefined)
    .filter((value, at, all) => all.findIndex((other) => sameValue(value, other)) === at);

/** Candidates that are not dynamic, or whose largest batch is smaller, have lost some of these values. */
function telling(candidates: readonly Candidate[], field: Field): readonly Candidate[] {
  const dynamic = candidates.filter(({ batching }) => batching === 'dynamic');
  if (dynamic.length === 0 || (field !== 'preferredBatchSizes' && field !== 'maxQueueDelayUs'))
    return candidates;
  if (field === 'maxQueueDelayUs') return dynamic;
  const largest = largestOf(dynamic.map(({ maxBatchSize }) => maxBatchSize));
  return dynamic.filter(({ maxBatchSize }) => maxBatchSize === largest);
}

/** One accelerator of each format is that of its preset. */
const hasUsualAccelerators = (candidates: readonly Candidate[]): boolean =>
  valuesOf(candidates, 'backendAccelerator').length > 1 &&
  valuesOf(candidates, 'format').every((format) => {
    const ofFormat = candidates.filter((one) => one.format === format);
    return valuesOf(ofFormat, 'backendAccelerator').length === 1;
  });

/** The values whose combinations the candidates are; the present configuration is among them in any case. */
function spaceOf(candidates: readonly Candidate[]): SearchSpace {
  const [own] = candidates;
  const others = candidates.filter(
    (one) => own === undefined || !sameValue(configuredOf(one), configuredOf(own)),
  );
  const tried = others.length === 0 ? candidates : others;
  const isConfigured = (field: Field): boolean => own !== undefined && field in configuredOf(own);
  const values = candidateFields
    .filter((field) => field !== 'backendAccelerator' || !hasUsualAccelerators(candidates))
    .map(
      (field) => [field, valuesOf(isConfigured(field) ? telling(tried, field) : candidates, field)] as const,
    );
  return Object.fromEntries(values.filter(([, all]) => all.length > 0));
}

/** Read again, as the file may be another one by now. */
const asRecorded = ({ file, speed, fromS, toS }: Replay): Replay => ({
  ...{ file, speed, fromS },
  ...present({ toS }),
});

/** The same search with twice its time under load; null: what is made first is not known by it. Pure. */
export function longerSearch(search: SearchStrategy): SearchRequest | null {
  const { runId, part, candidates, load, target, objective, memory, server, host, budgetS } = search;
  if (runId === null) return null;
  const { percentile, latencyUs, errorPercentage } = target;
  const isOpen = load.kind === 'open';
  const replay = isOpen ? load.replay : undefined;
  return {
    ...{ runId, space: spaceOf(candidates), load: load.kind },
    ...{ percentile, errorPercentage, budgetS: longerTimes * budgetS },
    ...present({
      ...{ part, latencyUs, objective, memory, host },
      // A trace with sizes has them for each of its requests.
      batchSize: replay?.read.largestBatchSize === undefined ? load.batchSize : undefined,
      rate: isOpen && replay === undefined ? load.rate : undefined,
      concurrency: isOpen ? undefined : load.concurrency,
      replay: replay && asRecorded(replay),
      server: server && { url: server.url, metrics: server.metrics, ...present({ tls: server.tls }) },
    }),
  };
}
