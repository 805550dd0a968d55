import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatFixed } from '../../../main/contract/numbers';
import type { SoakFigure } from '../../../main/contract/study/soak';
import type { SoakAnswer } from '../../../main/domain/study/soak/soak-answer';
import { createLocalTriton } from '../../../main/engine/local/local-triton';
import { homeLayout } from '../../../main/platform/layout';
import { createTritonClient } from '../../../main/triton/client';
import { exitCodeOf, factTable, type Judged, judgedTable, option, say } from '../bench-facts';
import { stopOfBench, untilStopped } from '../search/bench-stop';
import { planted, writeLeakingModels } from './leaking-models';

const minutes = Number(option('minutes', '20'));
const rate = Number(option('rate', '100'));
const reloadS = Number(option('reload-s', '10'));
const only = option('case', '');
const outFile = option('out', '');
/** Of the planted value, where the interval misses it. */
const tolerance = 0.1;

interface Case {
  readonly model: 'stub' | 'plain' | 'server';
  readonly title: string;
  readonly reloads: boolean;
  /** Whose resident memory grows; null: nobody's. */
  readonly culprit: 'stub' | 'server' | null;
}

const cases: readonly Case[] = [
  { model: 'stub', title: 'stub keeps 1 MB per 1,000 requests', reloads: false, culprit: 'stub' },
  { model: 'server', title: 'server keeps 2 MB per load of a model', reloads: true, culprit: 'server' },
  { model: 'plain', title: 'none', reloads: false, culprit: null },
];

const home = option('home', '');
const signal = stopOfBench();
const folder = await mkdtemp(join(tmpdir(), 'twb-production-soak-'));
const facts = { tritonVersion: '' };

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN);
}

/** Exit codes are those of the verdict, and not an error. */
function soak(url: string, { model, reloads }: Case): Promise<{ readonly answer: SoakAnswer }> {
  const args = [
    ...[
      'soak',
      '--protocol',
      'http',
      '--url',
      url,
      '--model',
      model,
      '--for',
      `${60 * minutes}s`,
      '--rate',
      String(rate),
    ],
    ...(reloads ? ['--reload-every', `${reloadS}s`, '--yes'] : []),
    ...['--name', `bench-${model}`, '--json'],
  ];
  const env = { ...process.env, TRITON_WORKBENCH_HOME: join(folder, `home-${model}`) };
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [option('cli', ''), ...args],
      { env, maxBuffer: 2 ** 28, signal },
      (error, stdout) => {
        const read = stdout === '' ? {} : (JSON.parse(stdout) as { answer?: SoakAnswer });
        if (read.answer !== undefined) resolve({ answer: read.answer });
        else reject(new Error(`The soak failed: ${stdout}`, { cause: error }));
      },
    );
    child.stderr?.pipe(process.stderr);
  });
}

const figure: SoakFigure = 'rss';

/** Bytes by time, in milliseconds since the epoch, as /proc has them. */
type Witness = readonly (readonly [atMs: number, bytes: number])[];

type Growth = NonNullable<SoakAnswer['rows'][number]['growth']['rss']['perHour']>;

/** Bytes per hour that a row should have grown by: as planted, or as /proc has it over what was judged. */
function dueOf({ culprit }: Case, row: SoakAnswer['rows'][number], witness: Witness): number {
  if (culprit === 'stub') return planted.perRequest * (row.requestsPerHour ?? Number.NaN);
  const judged = witness.filter(([atMs]) => atMs >= row.growth.rss.sinceMs);
  const [from, to] = [judged[0], judged.at(-1)];
  return from === undefined || to === undefined
    ? Number.NaN
    : (3.6e6 * (to[1] - from[1])) / (to[0] - from[0]);
}

function slopeOf({ culprit, title }: Case, { value, low, high }: Growth, due: number): Judged {
  const inMb = (bytes: number) => formatFixed(bytes / 1e6, 2);
  return {
    name: `${title}: MB per hour`,
    value: `${inMb(value)} [${inMb(low)}, ${inMb(high)}]`,
    limit: `${inMb(due)} (${culprit === 'stub' ? 'planted' : 'by /proc'}), within the interval or 10 %`,
    kept: (low <= due && due <= high) || Math.abs(value - due) <= tolerance * Math.abs(due),
  };
}

function judge(one: Case, answer: SoakAnswer, witness: Witness): Judged[] {
  const { culprit, title } = one;
  const found = answer.culprits.filter((of) => of.figure === figure).map(({ row }) => row.role);
  const expected = culprit === null ? [] : [culprit];
  const named: Judged = {
    name: `${title}: who grows`,
    value: `${found.join(', ') || 'nobody'}; ${answer.sentence}`,
    limit: expected.join(', ') || 'nobody',
    kept: found.join() === expected.join() && (culprit !== null || answer.verdict === 'flat'),
  };
  if (culprit === null) return [named];
  const row = answer.rows.find(({ role }) => role === culprit);
  const perHour = row?.growth.rss.perHour ?? null;
  return row === undefined || perHour === null
    ? [named, { name: title, value: '–', limit: 'a slope', kept: false }]
    : [named, slopeOf(one, perHour, dueOf(one, row, witness))];
}

async function measured(one: Case): Promise<Judged[]> {
  const repository = join(folder, `models-${one.model}`);
  await writeLeakingModels(repository);
  const triton = createLocalTriton({
    layout: homeLayout(home),
    resources: join(option('app', ''), 'resources'),
    env: process.env,
  });
  const server = await triton.startServer({
    ...{ runId: `bench-${one.model}`, key: one.model, repository, asIs: true, signal },
    logPath: join(folder, one.model, 'triton.log'),
    ...{ onLog: () => undefined, onCommand: () => undefined },
  });
  facts.tritonVersion = server.tritonVersion;
  const began = performance.now();
  const witness: [number, number][] = [];
  const reading = setInterval(() => {
    void residentBytes(server.pid ?? 0).then((bytes) => witness.push([performance.now() - began, bytes]));
  }, 1000);
  try {
    await createTritonClient(server.httpAddress).loadModel(one.model);
    const { answer } = await soak(server.httpAddress, one);
    say(`${one.title}: ${answer.sentence}`);
    return judge(one, answer, witness);
  } finally {
    clearInterval(reading);
    await server.stop();
  }
}

const rows: Judged[] = [];
try {
  await untilStopped(signal, async () => {
    // Beside each other: memory is read of each process by itself, and no latency is judged.
    const due = cases.filter(({ model }) => only === '' || model === only);
    rows.push(...(await Promise.all(due.map(measured))).flat());
  });
  const text = [
    '# Soak: planted leaks',
    '',
    'Written by `npm run bench -- production-soak`. A soak of each of three models on a local Triton of its own, all at the same time.',
    '',
    ...factTable(facts.tritonVersion, [
      ['Each', `${minutes} min at ${rate} requests/s`],
      ['Reloads', `every ${reloadS} s, of the model whose backend keeps memory`],
    ]),
    '',
    ...judgedTable(rows),
    '',
  ].join('\n');
  say(text);
  if (outFile !== '' && !signal.aborted) await writeFile(outFile, text);
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = signal.aborted ? 130 : exitCodeOf(rows);
