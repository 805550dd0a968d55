import { loadShapes, requestsIn, stagesOf } from '../../contract/load/stages';
import type { PerformanceSpec } from '../../contract/run/run-spec';
import { isOpenLoop, type LoadLevel, toolsOf } from '../../contract/run/sweep';
import { getAt, setAt, type Tree } from '../../contract/trees';
import { largestOf } from '../statistics';
import { allOf, type Found, problem, type RuleFinding, unsupported } from './rule-finding';

/** As many as a replayed trace may have. */
const mostRequests = 1_000_000;

const analyzed = (performance: PerformanceSpec): boolean => toolsOf(performance).includes('perf_analyzer');

const onlyNative = (field: string, what: string): RuleFinding =>
  unsupported(
    `performance.${field}`,
    `perf_analyzer does not support ${what}`,
    'Choose "native" as the load tool, without a cross-check.',
  );

/** What perf_analyzer has no counterpart of. */
function tools(performance: PerformanceSpec): Found {
  if (!analyzed(performance)) return null;
  const { requestDistribution, stages, requestCancellationRate } = performance;
  return allOf(
    requestDistribution === 'gamma' && onlyNative('requestDistribution', 'gamma intervals'),
    stages !== undefined && onlyNative('stages', 'stages'),
    requestCancellationRate !== undefined && onlyNative('requestCancellationRate', 'cancelled requests'),
  );
}

function rates(
  performance: PerformanceSpec,
  stages: readonly string[],
  levels: readonly Pick<LoadLevel, 'requestRate'>[],
): Found {
  if (!isOpenLoop(performance)) {
    return problem(
      'performance.stages',
      'The stages are multiples of a request rate, and none is given',
      'Set the promised request rate, for example 100.',
    );
  }
  const shape = loadShapes.find((name) => stages.some((text) => text.startsWith(name)));
  const counts = levels.flatMap(({ requestRate }) =>
    requestRate === undefined ? [] : requestsIn(stagesOf(stages, requestRate)),
  );
  const most = largestOf(counts);
  return allOf(
    shape !== undefined &&
      stages.length > 1 &&
      problem(
        'performance.stages',
        `"${shape}" is a complete load shape`,
        'Give only the shape, or list the stages.',
      ),
    most > mostRequests &&
      problem(
        'performance.stages',
        `A level has ${Math.round(most)} requests, more than ${mostRequests}`,
        'Shorten the stages, or lower the rates.',
      ),
    most < 1 &&
      counts.length > 0 &&
      problem('performance.stages', 'No request is due in the stages', 'Raise the rates.'),
  );
}

/** Other loads of the same level, and ways to send that stages do not have. */
function others(performance: PerformanceSpec): Found {
  const { requestIntervalsUs, replay, search, requestCount, sharedMemory, sequences } = performance;
  const excluded = (isGiven: boolean, name: string, what: string): Found =>
    isGiven &&
    problem(`performance.${name}`, `Stages and ${what} cannot be used together`, 'Choose one of them.');
  return allOf(
    excluded(requestIntervalsUs.length > 0, 'requestIntervalsUs', 'request intervals'),
    excluded(replay !== undefined, 'replay.file', 'a replayed trace'),
    excluded(search !== 'none', 'search', 'a search over levels'),
    excluded(requestCount > 0, 'requestCount', 'a number of requests'),
    sharedMemory !== 'none' &&
      unsupported('performance.sharedMemory', 'Stages do not support shared memory', 'Choose "none".'),
    sequences !== undefined &&
      unsupported('performance.sequences', 'Stages do not support sequences', 'Measure request rates.'),
  );
}

function cancellation({ requestCancellationRate, sequences, sharedMemory }: PerformanceSpec): Found {
  if (requestCancellationRate === undefined) return null;
  const field = 'performance.requestCancellationRate';
  return allOf(
    sequences !== undefined &&
      unsupported(field, 'A cancelled request would end its sequence', 'Leave the sequences out.'),
    sharedMemory !== 'none' &&
      unsupported(
        field,
        'The server may still write a cancelled request’s outputs to shared memory',
        'Choose "none" as shared memory.',
      ),
  );
}

/** When requests are due and cancelled: what these fields cannot be combined with, by field path. */
export function arrivalFindings({
  performance,
  levels,
}: {
  readonly performance: PerformanceSpec;
  readonly levels: readonly Pick<LoadLevel, 'requestRate'>[];
}): RuleFinding[] {
  const { stages } = performance;
  return allOf(
    tools(performance),
    cancellation(performance),
    stages !== undefined && allOf(rates(performance, stages, levels), others(performance)),
  );
}

/** With an exact request count, a default warm-up is not wanted. @param tree partial specification */
export function withoutUntypedWarmup(tree: Tree, given: Tree): Tree {
  const counts = ['requestCount', 'warmupRequestCount'].map((name) => getAt(tree, ['performance', name]));
  const isCounted = counts.some((count) => typeof count === 'number' && count > 0);
  const path = ['performance', 'warmupMs'];
  return isCounted && getAt(given, path) === undefined ? setAt(tree, path, 0) : tree;
}
