import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { journalEntrySchema } from '../../main/contract/run/run-events';
import { homeLayout } from '../../main/platform/layout';

/** One way through the pipeline, in seconds of wall time. */
export interface Passage {
  /** Of the whole process, the load tool's time taken off. */
  readonly ownS: number;
  readonly loadS: number;
  /** In the order of their ends. */
  readonly steps: readonly (readonly [name: string, seconds: number])[];
}

export interface PipelineSides {
  /** The repository: holds `out`, `resources` and `scripts`. */
  readonly app: string;
  /** A workbench home with the prepared tools, for this bench alone. */
  readonly home: string;
  readonly batchSizes: string;
  readonly concurrency: string;
  readonly intervalMs: number;
}

interface Ended {
  readonly seconds: number;
  readonly stdout: string;
  readonly startMs: number;
}

/** Throws with the last lines when it does not end with 0. */
async function runProcess(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const startMs = Date.now();
  const start = performance.now();
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { out: '', all: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    text.out += chunk.toString();
    text.all += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    text.all += chunk.toString();
  });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const seconds = (performance.now() - start) / 1000;
  if (exitCode !== 0)
    throw new Error(`${program} ${args[0] ?? ''} ended with ${exitCode}:\n${text.all.slice(-4000)}`);
  return { seconds, stdout: text.out, startMs };
}

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(address !== null && typeof address === 'object' ? address.port : 0);
}

/** A script of `scripts/bench`, in an empty folder that is removed again. */
export async function runScript(sides: PipelineSides, script: string): Promise<Passage> {
  const layout = homeLayout(sides.home);
  const work = await mkdtemp(join(sides.home, 'script-'));
  const libraries = (await readFile(layout.libraryPathFile, 'utf8')).trim().split('\n').join(delimiter);
  try {
    const ended = await runProcess('bash', [join(sides.app, 'scripts', 'bench', script)], {
      // As the toolkit gets it from `run`: nothing that sets threads or paths of one side alone.
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PYTHON: layout.python,
      TRITON: layout.tritonServer,
      BACKENDS: layout.tritonBackends,
      LIBRARIES: libraries,
      PERF_ANALYZER: layout.perfAnalyzer,
      ANALYZER_LIBRARIES: layout.perfAnalyzerLibraries,
      RESOURCES: join(sides.app, 'resources'),
      WORK: work,
      HTTP_PORT: await freePort(),
      GRPC_PORT: await freePort(),
      METRICS_PORT: await freePort(),
      BATCH_SIZES: sides.batchSizes,
      CONCURRENCY: sides.concurrency,
      INTERVAL_MS: String(sides.intervalMs),
    });
    const steps = [...ended.stdout.matchAll(/^TIME (\S+) (\S+)$/gm)].map(
      ([, name = '', seconds = '']) => [name, Number(seconds)] as const,
    );
    const loadS = steps.find(([name]) => name === 'load')?.[1];
    if (loadS === undefined) throw new Error(`${script} did not say how long the load took`);
    return { ownS: ended.seconds - loadS, loadS, steps: steps.filter(([name]) => name !== 'load') };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** `run` of the command line with perf_analyzer, without anything in the cache; its run folder is removed again. */
export async function runWorkbench(sides: PipelineSides): Promise<Passage> {
  const folder = join(sides.home, 'run');
  for (const path of [folder, homeLayout(sides.home).cache]) await rm(path, { recursive: true, force: true });
  const ended = await runProcess(
    process.execPath,
    [
      join(sides.app, 'out', 'main', 'cli.cjs'),
      ...['run', 'resnet50', '--profile', 'full', '--load-tool', 'perf_analyzer', '--out', folder, '--json'],
      ...['--batch-sizes', sides.batchSizes, '--concurrency', sides.concurrency],
      ...['--measurement-interval-ms', String(sides.intervalMs)],
      // As the scripts have it: three windows, whatever their spread.
      ...['--set', 'performance.stabilityPercentage=1000000', '--set', 'performance.maxTrials=3'],
    ],
    {
      ...process.env,
      TRITON_WORKBENCH_HOME: sides.home,
      TRITON_WORKBENCH_RESOURCES: join(sides.app, 'resources'),
      TRITON_WORKBENCH_APP: sides.app,
    },
  );
  const text = await readFile(join(folder, 'journal.jsonl'), 'utf8');
  const entries = text
    .trim()
    .split('\n')
    .map((line) => z.intersection(z.looseObject({}), journalEntrySchema).parse(JSON.parse(line)));
  const loadS = entries.reduce(
    (sum, entry) => sum + (entry.type === 'measurement' ? (entry.point.elapsedUs ?? NaN) / 1e6 : 0),
    0,
  );
  const steps: (readonly [string, number])[] = [];
  let loadSinceStep = 0;
  for (const entry of entries) {
    if (entry.type === 'measurement') loadSinceStep += (entry.point.elapsedUs ?? NaN) / 1e6;
    if (entry.type !== 'step-finished') continue;
    steps.push([entry.step, entry.durationUs / 1e6 - loadSinceStep]);
    loadSinceStep = 0;
  }
  const [first] = entries;
  const last = entries.at(-1);
  const toFirstS = (Date.parse(first?.at ?? '') - ended.startMs) / 1000;
  const fromLastS = ended.seconds - (Date.parse(last?.at ?? '') - ended.startMs) / 1000;
  const ownS = ended.seconds - loadS;
  const known = steps.reduce((sum, [, seconds]) => sum + seconds, 0) + toFirstS + fromLastS;
  await rm(folder, { recursive: true, force: true });
  return {
    ownS,
    loadS,
    steps: [
      ['until the first line of the journal', toFirstS],
      ...steps,
      ['between the steps', ownS - known],
      ['from the last line to the end', fromLastS],
    ],
  };
}
