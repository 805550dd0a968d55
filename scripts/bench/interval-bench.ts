import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureTrial, together, type Trial } from './interval-trial';
import { levelInput } from './measure';
import { option } from './option';
import { median } from './pairs';
import { type BenchScenario, scenarios, startBenchTriton } from './scenarios';
import { titleOf } from './table';

const say = (text: string) => process.stdout.write(`${text}\n`);

const trialCount = Number(option('trials', '50'));
const windowMs = Number(option('window-ms', '400'));
const workerFile = option('worker', '');
const outFile = option('out', '');
const blocksFile = option('blocks', '');
const warmupMs = 200;
/** Windows that the product merges into a level. */
const windows = 3;
/** What the stated interval promises at least. */
const promised = 0.9;
/** One whose rate the model decides, and one whose rate the machine's scheduler decides. */
const asked = ['compute, 4 KB', 'echo, 4 KB'];
const chosen = asked.map((title) =>
  scenarios.find((one) => one.title === title && one.protocol === 'grpc' && one.concurrency > 1),
);

interface Coverage {
  readonly title: string;
  readonly reference: number;
  readonly covered: number;
  readonly stated: number;
  /** Middle half width of the stated intervals over the reference. */
  readonly width: number;
}

function coverageOf(
  title: string,
  reference: number,
  trials: readonly Trial[],
  read: (trial: Trial) => { readonly value: number; readonly interval: number | null | undefined },
): Coverage {
  const stated = trials.flatMap((trial) => {
    const { value, interval } = read(trial);
    return interval === null || interval === undefined ? [] : [{ value, interval }];
  });
  return {
    title,
    reference,
    stated: stated.length,
    covered: stated.filter(({ value, interval }) => Math.abs(value - reference) <= interval).length,
    width: median(stated.map(({ interval }) => interval)) / reference,
  };
}

const blocksOf = (trial: Trial) => ({
  inferencesPerSecond: trial.result.inferencesPerSecond,
  p99Us: trial.result.p99Us,
  flags: trial.result.flags,
  windows: trial.windows.map(
    ({ durationUs, blockUs, lastBlockUs, blockCounts, blockLatencies, latencies }) => ({
      ...{ durationUs, blockUs, lastBlockUs, blockCounts, blockLatencies },
      count: latencies.total,
    }),
  ),
});

const triton = await startBenchTriton();
const dir = await mkdtemp(join(tmpdir(), 'workbench-interval-'));

/**
 * Trials, and a part of the long reference after each: what the machine does to one it does to the other. The reference is
 * all its parts together, as long as all the trials.
 */
async function runScenario(scenario: BenchScenario): Promise<{ coverages: Coverage[]; blocks: unknown }> {
  const base = await levelInput(scenario, triton, dir);
  const input = { ...base, settings: { ...base.settings, warmupMs, measurementIntervalMs: windowMs } };
  const trials: Trial[] = [];
  const parts: Trial[] = [];
  for (let index = 0; index < trialCount; index += 1) {
    trials.push(await measureTrial(workerFile, input, windows));
    parts.push(await measureTrial(workerFile, input, windows));
  }
  const reference = together(parts, 1);
  const title = titleOf(scenario);
  const coverages = [
    coverageOf(`${title}: Inferences/Second`, reference.inferencesPerSecond, trials, ({ result }) => ({
      value: result.inferencesPerSecond,
      interval: result.throughputIntervalIps,
    })),
    coverageOf(`${title}: p99 latency (us)`, reference.p99Us, trials, ({ result }) => ({
      value: result.p99Us,
      interval: result.p99IntervalUs,
    })),
  ];
  for (const { title: of, covered, stated } of coverages) say(`${of}: ${covered} of ${stated}`);
  return {
    coverages,
    blocks: { title, reference, trials: trials.map(blocksOf), parts: parts.map(blocksOf) },
  };
}

const row = ({ title, reference, covered, stated, width }: Coverage): string =>
  `| ${title} | ${reference.toPrecision(4)} | ${stated === 0 ? 'not stated: too few requests | – | –' : `${covered} of ${stated} | ${(100 * (covered / stated)).toFixed(0)} % | ± ${(100 * width).toFixed(1)} %`} |`;

try {
  const loadBefore = loadavg()[0] ?? 0;
  const results: Awaited<ReturnType<typeof runScenario>>[] = [];
  for (const scenario of chosen) if (scenario !== undefined) results.push(await runScenario(scenario));
  const coverages = results.flatMap((result) => result.coverages);
  const document = [
    '# Stated interval and long reference',
    '',
    'Written by `npm run bench -- interval`. Each trial is one level as the product measures it; the reference is measured',
    'in parts between the trials, as long as all of them together. Covered: the reference lies within the interval that the',
    'level states.',
    '',
    `${trialCount} trials of ${windows} windows of ${windowMs} ms each, ${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} logical processors, load before the start ${loadBefore.toFixed(1)}.`,
    '',
    '| value | reference | covered | share | middle half width |',
    '|---|---|---|---|---|',
    ...coverages.map(row),
    '',
  ].join('\n');
  say(`\n${document}`);
  if (outFile !== '') await writeFile(outFile, document);
  if (blocksFile !== '') await writeFile(blocksFile, JSON.stringify(results.map(({ blocks }) => blocks)));
  const short = coverages.filter(({ covered, stated }) => covered < promised * stated);
  say(
    short.length === 0
      ? 'Every interval covers its reference in 90 % of the trials or more.'
      : `Covers less: ${short.map(({ title }) => title).join('; ')}`,
  );
  process.exitCode = short.length === 0 ? 0 : 1;
} finally {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
}
