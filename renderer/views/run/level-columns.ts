import type { Column } from '../../../main/contract/column';
import {
  achieved,
  components,
  delayed,
  fromSend,
  latencies,
  meanBatch,
  scheduled,
} from '../../../main/contract/columns';
import {
  checks,
  partsOf,
  responseRates,
  responseTimes,
  sequenceRate,
  tls,
} from '../../../main/contract/detail-columns';
import type { LoadPoint } from '../../../main/contract/results';
import type { Sweep } from '../../../main/contract/sweep';

/** The table of its own below has the other percentiles, and the final response. */
const streams = [
  ...responseRates,
  ...responseTimes
    .slice(0, 2)
    .flatMap(({ columns }) => columns.filter(({ short }) => short === 'p50' || short === 'p99')),
];

/** By request rate both latencies are beside each other: from the send and from the schedule. */
const ofRates = [
  achieved,
  ...latencies.map(fromSend),
  ...scheduled.filter(({ short }) => short !== 'avg'),
  delayed,
];

/**
 * The columns of a sweep, and those that streams, sequences and checks add where a level has them. The components of the
 * latency are behind it, where they are asked for: a chart of their own shows them.
 */
export const levelColumns = (
  sweep: Sweep,
  points: readonly LoadPoint[],
  withComponents: boolean,
): readonly Column[] => [
  ...(sweep === 'requestRate' ? ofRates : latencies),
  ...(withComponents ? components : []),
  meanBatch,
  ...partsOf(points, [
    ['sequences', [sequenceRate]],
    ['streaming', streams],
    ['outputChecks', checks],
    ['tls', [tls]],
  ]),
];
