import type { LoadPoint, pointFlags } from './results';

type PointFlag = (typeof pointFlags)[number];

/** Why a level does not count as steady, for people. */
export const flagText: Readonly<Record<PointFlag, string>> = {
  unstable: 'Throughput or latency still drifted after the last allowed window.',
  errors: 'More than 1 % of the requests failed.',
  'client-saturated': 'The load generator itself was the limit: the server may be faster than this.',
  'machine-busy': 'Other work on this machine held up the load generator: latencies may read too high.',
  'server-restarted': 'The server restarted while this level was measured.',
  drifting: 'Throughput or latency went one way over the merged windows.',
  'rate-not-reached': 'The requests asked for could not all be sent: the server is slower than the rate.',
};

/** All reasons of a point; none for a steady one. */
export function reasonsOf(point: LoadPoint): readonly string[] {
  const reasons = point.flags.map((flag) => flagText[flag]);
  return !point.stable && !point.flags.includes('unstable') ? [flagText.unstable, ...reasons] : reasons;
}

/** The flags as short words; a point that is not stable always has "unstable" among them. */
export function marksOf(point: LoadPoint): readonly string[] {
  return !point.stable && !point.flags.includes('unstable') ? ['unstable', ...point.flags] : point.flags;
}
