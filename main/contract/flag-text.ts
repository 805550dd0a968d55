import type { LoadPoint, pointFlags } from './measured/results';

const plain = /^[\w@%+=:,./-]+$/;

/** One word of a POSIX shell. */
export const shellWord = (word: string): string =>
  plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** argv as one line that a POSIX shell takes apart again into the same words. */
export function shellLine(argv: readonly string[]): string {
  return argv.map(shellWord).join(' ');
}

type PointFlag = (typeof pointFlags)[number];

/** Flags of a level whose throughput and latency would be others if it were measured again. */
const unsteadyFlags: ReadonlySet<PointFlag> = new Set(['unstable', 'drifting', 'server-restarted']);

/** One word per doubt, the same in tables, charts, CSV, verdict and lists. */
const flagWord: Readonly<Record<PointFlag, string>> = {
  unstable: 'not steady',
  drifting: 'not steady',
  'server-restarted': 'not steady',
  errors: 'errors',
  'client-saturated': 'client-limited',
  'machine-busy': 'machine busy',
  'rate-not-reached': 'rate not reached',
  'clocks-throttled': 'clocks throttled',
  'gpu-idle': 'GPU idle',
};

/** What is in doubt about a level, for people. */
const flagText: Readonly<Record<PointFlag, string>> = {
  unstable: 'Not steady: throughput or latency still changed after the last allowed window.',
  errors: 'Errors: more than 1 % of the requests failed.',
  'client-saturated': 'Client-limited: the load generator was the limit, so the server may be faster.',
  'machine-busy':
    'Machine busy: other work on this machine held up the load generator, so latencies may read too high.',
  'server-restarted': 'Not steady: the server restarted while this level was measured.',
  drifting: 'Not steady: throughput or latency moved one way over the merged windows.',
  'rate-not-reached':
    'Rate not reached: the server is slower than the request rate, so not all requests could be sent.',
  'clocks-throttled':
    'Clocks throttled: power, temperature or the hardware held the clocks of a GPU down, so a cooler or less limited one is faster.',
  'gpu-idle':
    'GPU idle: Triton computed most of the time while its GPU was busy for less than 5 % of it, so the work is on the CPU, or kernels are chosen anew for each batch size.',
};

type Judged = Pick<LoadPoint, 'stable' | 'flags'>;

/** Flags as they are journaled; a point that is not stable always has `unstable` among them. */
const flagsOf = ({ stable, flags }: Judged): readonly PointFlag[] =>
  !stable && !flags.includes('unstable') ? ['unstable', ...flags] : flags;

/** The stability rule held, nothing drifted and the server did not restart: measured again, it comes out alike. */
export const isSteady = (point: Judged): boolean => !flagsOf(point).some((flag) => unsteadyFlags.has(flag));

/** Steady, and at most 1 % of the requests failed: what a decision can rest on. */
export const isSound = (point: Judged): boolean => isSteady(point) && !point.flags.includes('errors');

/** All doubts about a point in sentences; none for a steady one without any. */
export const reasonsOf = (point: Judged): readonly string[] => flagsOf(point).map((flag) => flagText[flag]);

/** All doubts about a point in a word each: "not steady", "client-limited", "errors", … */
export const marksOf = (point: Judged): readonly string[] => [
  ...new Set(flagsOf(point).map((flag) => flagWord[flag])),
];

/** The state of a level in words: "steady", "steady, client-limited", "not steady, errors". */
export const stateWords = (point: Judged): string =>
  [...(isSteady(point) ? ['steady'] : []), ...marksOf(point)].join(', ');
