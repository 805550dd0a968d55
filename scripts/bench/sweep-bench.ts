import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { loadPointSchema } from '../../main/contract/measured/results';
import { createLoadTools } from '../../main/perf/load-tools';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { analyzerLevel } from './analyzer-level';
import {
  exitCodeOf,
  factTable,
  type Judged,
  judgedTable,
  option,
  rangeText,
  say,
  shuffled,
} from './bench-facts';
import { median, pairedRatio } from './pairs';
import { startBenchTriton } from './scenarios';
import { cutText, exitWhenCut, isCut, untilCut } from './until-cut';

const repeats = Number(option('repeats', '3'));
const outFile = option('out', '');
const cli = option('cli', '');
/** More options of `perf`, to try other settings than the product's own. */
const cliOptions = option('perf-options', '').split(' ').filter(Boolean);
const referenceMs = Number(option('reference-ms', '2500'));
const concurrencies = option('levels', '1,2,3,4,5,6,7,8').split(',').map(Number);
/** 4 KB, as in the other scenarios of this model. */
const elements = 1024;
const timeLimit = 0.5;
const name = 'compute';

type Found = ReadonlyMap<number, number>;

/** One sweep with one tool. */
interface Swept {
  readonly seconds: number;
  /** p95 in microseconds by concurrency; absent where the tool gave no row. */
  readonly p95Us: Found;
  /** Levels that the tool itself calls not steady. */
  readonly unsteady: number;
}

const run = promisify(execFile);
const dir = await mkdtemp(join(tmpdir(), 'workbench-sweep-'));
const triton = await startBenchTriton(name);
const layout = homeLayout(defaultHome(process.env));
const { native } = createLoadTools({ layout, workerFile: option('worker', ''), env: process.env });

/** The product's own sweep, with what it does when nothing is said. */
async function sweepNative(): Promise<Swept> {
  const startMs = performance.now();
  // With a level that gave nothing it ends with 1 and tells of the others all the same.
  const { stdout } = await run(
    process.execPath,
    [
      cli,
      'perf',
      ...['--url', `http://${triton.httpAddress}`, '--grpc-url', triton.grpcAddress, '--model', name],
      ...['--shape', `INPUT:${elements}`, '--concurrency', shuffled(concurrencies).join(','), '--json'],
      ...cliOptions,
    ],
    { maxBuffer: 2 ** 26 },
  ).catch((error: unknown) => {
    if (error instanceof Error && 'stdout' in error && error.stdout !== '')
      return { stdout: String(error.stdout) };
    throw error;
  });
  const seconds = (performance.now() - startMs) / 1000;
  const { points } = z.object({ points: z.array(loadPointSchema) }).parse(JSON.parse(stdout));
  return {
    seconds,
    p95Us: new Map(points.map((point) => [point.concurrency, point.p95Us ?? NaN])),
    unsteady: points.filter((point) => !point.stable).length,
  };
}

const csvOf = (concurrency: number) => join(dir, `level-${concurrency}.csv`);

const analyzerArgv = (concurrency: number): readonly [string, ...string[]] => [
  layout.perfAnalyzer,
  ...['-m', name, '-u', triton.grpcAddress, '-i', 'grpc', '--shape', `INPUT:${elements}`],
  ...['--concurrency-range', `${concurrency}:${concurrency}`, '-f', csvOf(concurrency), '--verbose-csv'],
];

/** perf_analyzer's own defaults, a process a level: within one process a level that fails would end the sweep. */
async function sweepAnalyzer(): Promise<Swept> {
  const startMs = performance.now();
  const p95Us = new Map<number, number>();
  for (const concurrency of shuffled(concurrencies)) {
    const level = await analyzerLevel({
      argv: analyzerArgv(concurrency),
      csv: csvOf(concurrency),
      cwd: dir,
      env: { ...process.env, LD_LIBRARY_PATH: layout.perfAnalyzerLibraries },
    });
    if (level.p95Us !== null) p95Us.set(concurrency, level.p95Us);
    else say(`concurrency ${concurrency}: perf_analyzer gave no row, ${level.reason}`);
  }
  const seconds = (performance.now() - startMs) / 1000;
  return { seconds, p95Us, unsteady: concurrencies.length - p95Us.size };
}

/** A look at each level, whatever its windows' spread; all looks together are the reference. */
async function readLevels(): Promise<Found> {
  const found = new Map<number, number>();
  for (const concurrency of shuffled(concurrencies)) {
    const point = await native.measure({
      httpAddress: triton.httpAddress,
      grpcAddress: triton.grpcAddress,
      protocol: 'grpc',
      modelName: name,
      modelVersion: '1',
      inputData: {
        source: 'random',
        tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [elements], files: ['values.bin'] }],
      },
      inputDataDir: dir,
      level: { batchSize: 1, concurrency },
      batched: false,
      settings: {
        measurementMode: 'time_windows',
        measurementIntervalMs: referenceMs,
        measurementRequestCount: 50,
        stabilityPercentage: 1e6,
        maxTrials: 3,
        warmupMs: 1000,
      },
      workDir: await mkdtemp(join(dir, 'reference-')),
      signal: new AbortController().signal,
      onWindow: () => undefined,
      onLog: () => undefined,
      onCommand: () => undefined,
    });
    found.set(concurrency, point.p95Us ?? NaN);
  }
  return found;
}

const tools = ['native', 'perf_analyzer'] as const;
type Tool = (typeof tools)[number];

try {
  const values = Float32Array.from({ length: elements }, (_unused, index) => ((index * 37) % 101) / 101);
  await writeFile(join(dir, 'values.bin'), Buffer.from(values.buffer));
  const server = await createTritonClient(triton.httpAddress).serverMetadata();
  const readings: Found[] = [];
  const swept: Record<Tool, Swept[]> = { native: [], perf_analyzer: [] };
  const cut = await untilCut(async () => {
    readings.push(await readLevels());
    for (let repeat = 1; repeat <= repeats && !isCut(); repeat += 1) {
      for (const tool of shuffled(tools)) {
        const one = tool === 'native' ? await sweepNative() : await sweepAnalyzer();
        if (isCut()) return;
        swept[tool].push(one);
        say(`${repeat} of ${repeats}, ${tool}: ${one.p95Us.size} points in ${one.seconds.toFixed(1)} s`);
        readings.push(await readLevels());
      }
    }
  });
  // A repeat that was cut between the two tools is no pair.
  const pairs = Math.min(...tools.map((tool) => swept[tool].length));
  for (const tool of tools) swept[tool].splice(pairs);
  const readingsUs = (concurrency: number) => readings.map((found) => found.get(concurrency) ?? NaN);
  const referenceUs = (concurrency: number) =>
    readingsUs(concurrency).reduce((sum, p95Us) => sum + p95Us, 0) / readings.length;
  const drifts = concurrencies.flatMap((one) =>
    readingsUs(one).map((p95Us) => 100 * Math.abs(p95Us / referenceUs(one) - 1)),
  );
  const errorsOf = (tool: Tool, wanted: readonly number[] = concurrencies) =>
    swept[tool].flatMap((one) =>
      [...one.p95Us]
        .filter(([concurrency]) => wanted.includes(concurrency))
        .map(([concurrency, p95Us]) => 100 * Math.abs(p95Us / referenceUs(concurrency) - 1)),
    );
  const ratio = pairedRatio(
    swept.native.map((one, index) => [one.seconds, swept.perf_analyzer[index]?.seconds ?? NaN]),
  );
  const errors = { native: errorsOf('native'), perf_analyzer: errorsOf('perf_analyzer') };
  const counts = (tool: Tool) => swept[tool].map((one) => one.p95Us.size);
  const seconds = (tool: Tool) =>
    rangeText(
      swept[tool].map((one) => one.seconds),
      1,
    );
  const all = concurrencies.length;
  const rows: readonly Judged[] = [
    {
      name: 'Points delivered, native',
      value: rangeText(counts('native'), 0),
      limit: `${all} of ${all} each time`,
      kept: counts('native').every((count) => count === all),
    },
    {
      name: 'Points delivered, perf_analyzer',
      value: rangeText(counts('perf_analyzer'), 0),
      limit: '',
      kept: true,
    },
    { name: 'Time of the sweep, native, s', value: seconds('native'), limit: '', kept: true },
    { name: 'Time of the sweep, perf_analyzer, s', value: seconds('perf_analyzer'), limit: '', kept: true },
    {
      name: 'Time, native / perf_analyzer, paired',
      value: `${ratio.median.toFixed(2)} [${ratio.lowest.toFixed(2)}–${ratio.highest.toFixed(2)}]`,
      limit: `at most ${timeLimit}`,
      kept: ratio.median <= timeLimit,
    },
    {
      name: 'p95 off the reference, native, %',
      value: rangeText(errors.native, 1),
      limit: "median at most perf_analyzer's",
      // Without a row of perf_analyzer there is nothing to be worse than.
      kept: errors.perf_analyzer.length === 0 || median(errors.native) <= median(errors.perf_analyzer),
    },
    {
      name: 'p95 off the reference, perf_analyzer, %',
      value: rangeText(errors.perf_analyzer, 1),
      limit: '',
      kept: true,
    },
  ];
  const perLevel = concurrencies.map((concurrency) => {
    const off = (tool: Tool) => rangeText(errorsOf(tool, [concurrency]), 1);
    const found = rangeText(
      readingsUs(concurrency).map((p95Us) => p95Us / 1000),
      2,
    );
    const mean = (referenceUs(concurrency) / 1000).toFixed(2);
    return `| ${concurrency} | ${mean} | ${found} | ${off('native')} | ${off('perf_analyzer')} |`;
  });
  const unsteady = (tool: Tool) => swept[tool].reduce((sum, one) => sum + one.unsteady, 0);
  const document = [
    '# A sweep of eight levels, native and perf_analyzer',
    '',
    `Written by \`npm run bench -- sweep\`. The same model (about 5 ms of arithmetic, one instance, 4 KB, gRPC) at concurrency ${concurrencies.join(', ')}:`,
    `by \`perf\` of the command line with the product's defaults (levels in turns, three windows of 2 s each)${cliOptions.length === 0 ? '' : ` but ${cliOptions.join(' ')}`}, and by perf_analyzer with its own (windows of 5 s and a fifth, 10 %,`,
    'ten trials), one process a level so that a level without a row does not end its sweep. Levels are shuffled, the tool',
    'that begins is chosen by chance. Times are of whole processes. The reference is the built-in load generator over three windows',
    `of ${referenceMs / 1000} s a level before, between and after all sweeps, the mean of ${readings.length} such looks: ${((readings.length * 3 * referenceMs) / 1000).toFixed(0)} s a level, spread over`,
    'the whole time, so that it is what the machine does in the mean. An error counts where a point was delivered.',
    'Median [lowest–highest].',
    '',
    ...(cut ? cutText(`${pairs} of ${repeats} repeats measured`) : []),
    ...factTable(server.version, [['Repeats', String(pairs)]]),
    '',
    ...judgedTable(rows),
    '',
    `Levels that did not become steady: native ${unsteady('native')} (delivered and marked), perf_analyzer ${unsteady('perf_analyzer')}`,
    `(no row) of ${all * pairs}. A single look was off the mean of all by ${rangeText(drifts, 1)} %.`,
    '',
    '| concurrency | reference, p95 ms | its looks | native off by % | perf_analyzer off by % |',
    '|---|---|---|---|---|',
    ...perLevel,
    '',
  ].join('\n');
  if (pairs > 0) say(`\n${document}`);
  if (pairs > 0 && outFile !== '') await writeFile(outFile, document);
  if (cut) say(`Interrupted: ${pairs} of ${repeats} repeats measured; nothing was judged.`);
  else process.exitCode = exitCodeOf(rows);
} finally {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
}
exitWhenCut();
