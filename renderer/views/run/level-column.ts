import type { LatencyName } from '../../../main/contract/latency-intervals';
import type { repeatedColumns } from '../../../main/contract/repeats';
import type { LoadPoint, ScheduledLatency } from '../../../main/contract/results';

/** A column of the table of levels between throughput and request count. */
export interface LevelColumn {
  readonly title: string;
  /** One line, shown when the heading is pointed at. */
  readonly help: string;
  readonly text: (point: LoadPoint) => string;
  /** Of repeats its range stands below. */
  readonly ranged?: (typeof repeatedColumns)[number];
  readonly rangedSchedule?: ScheduledLatency;
  /** Of a level measured once half the width of its interval stands below. */
  readonly interval?: LatencyName;
  /** Something to look at: wrong answers, a certificate that nobody checked. */
  readonly doubtful?: (point: LoadPoint) => boolean;
}
