import { rm, writeFile } from 'node:fs/promises';
import { option } from '../option';
import { median, pairedText } from '../pairs';
import { largeRun, ordinaryRuns, prepareHome } from './bench-homes';
import { coldStart, formatMs, machineRows } from './cold-start';

const executable = option('program', '');
const toolchainHome = option('home', '');
const outFile = option('out', '');
/** Another package, to be started in turn with this one; '': none. */
const against = option('against', '');
const programs = against === '' ? [executable] : [executable, against];
const repeats = Number(option('repeats', '10'));
/** Only what a start takes on a home whose list is known. */
const isCold = process.argv.includes('--cold');
const runCount = 200;
/** Milliseconds. */
const limits = { start: 1200, afterUpdate: 1500 } as const;

type Prepared = Parameters<typeof prepareHome>;

/** The first start on such a home, each on a home of its own, and `again` later ones on the last. */
async function starts([runs, rows]: readonly [Prepared[1], Prepared[2]], firsts: number, again = 0) {
  const sides = programs.map((program) => ({ program, first: [] as number[], later: [] as number[] }));
  for (let at = 0; at < firsts; at += 1) {
    const homes = await Promise.all(sides.map(() => prepareHome(toolchainHome, runs, rows)));
    try {
      const rounds = at === firsts - 1 ? 1 + again : 1;
      for (let round = 0; round < rounds; round += 1) {
        const order = [...sides.entries()];
        // The first of a pair by turns: a machine that drifts does so for both.
        for (const [which, { program, first, later }] of round % 2 === 0 ? order : order.reverse()) {
          (round === 0 ? first : later).push(await coldStart(program, homes[which] ?? ''));
        }
      }
    } finally {
      for (const home of homes) await rm(home, { recursive: true, force: true });
    }
  }
  return { first: sides.map(({ first }) => first), later: sides.map(({ later }) => later) };
}

const ordinary = ordinaryRuns(runCount, option('without', '').split(','));
const withLarge = [...ordinary.slice(1), largeRun];
const firsts = isCold ? 1 : Math.min(3, repeats);
const { first: updated, later } = await starts([ordinary, 'other'], firsts, repeats);
const further: readonly (readonly [string, Prepared[1], Prepared[2]])[] = isCold
  ? []
  : [
      ['The same with a run of 100,000 windows among them', withLarge, 'other'],
      ['The first start after an update, without rows that can be shown', ordinary, 'none'],
      ['The same with a run of 100,000 windows among them', withLarge, 'none'],
    ];
const others: (readonly [string, readonly (readonly number[])[], number])[] = [];
for (const [what, runs, known] of further) {
  const { first } = await starts([runs, known], firsts);
  others.push([what, first, limits.afterUpdate]);
}
const ms = (values: readonly number[]) => formatMs(values, 'starts');
const rows = [
  [`Cold start to interactive, ${runCount} runs`, later, limits.start],
  ['The first start after an update, with rows of the version before', updated, limits.afterUpdate],
  ...others,
] as const;
const document = [
  '# How fast the window starts',
  '',
  'Written by `npm run bench -- start`. The packaged program on a home with finished runs, from its start to a list of runs that',
  'can be clicked, driven by Playwright, whose connection is part of the figure. Median, and the smallest and largest.',
  ...(against === ''
    ? []
    : ['Before: an earlier package, started in turn with this one on the same machine.']),
  '',
  ...machineRows(),
  '',
  `| | measured |${against === '' ? '' : ' before |'} at most |`,
  `|---|---|${against === '' ? '' : '---|'}---|`,
  ...rows.map(
    ([what, sides, most]) =>
      `| ${what} | ${sides.map(ms).join(' | ')} | ${most.toLocaleString('en-US')} ms |`,
  ),
  '',
  ...(against === '' ? [] : [`Cold start, now / before: ${pairedText(later[0] ?? [], later[1] ?? [])}`, '']),
].join('\n');
process.stdout.write(document);
if (outFile !== '') await writeFile(outFile, document);
const missed = rows.filter(([, [values = []], most]) => median([...values]) > most);
for (const [what] of missed) process.stdout.write(`Too slow: ${what}\n`);
process.exitCode = missed.length === 0 ? 0 : 1;
