import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { createLoadTools } from '../../../main/perf/load-tools';
import { homeLayout } from '../../../main/platform/layout';
import {
  exitCodeOf,
  factTable,
  type Judged,
  judgedTable,
  option,
  rangeText,
  say,
  shuffled,
} from '../bench-facts';
import { endedChildrenCpuUs } from '../children-cpu';
import { pairedRatio } from '../pairs';
import { stopOfBench, untilStopped } from '../search/bench-stop';
import { cutText } from '../until-cut';
import { aiperfVersion, type Answered, type FrontendLoad, installAiperf, runAiperf } from './aiperf';
import { judgeKnownDelays } from './known-delays';
import { type ServedModel, serveModel, writePrompts } from './served-model';
import { measureAnalyzerStream, measureOwnStream, type StreamTimes } from './stream-pair';

const pairs = Number(option('pairs', '5'));
const only = option('part', '');
const outFile = option('out', '');
const home = option('home', '');
const layout = homeLayout(home);
/** Of medians, on both sides of 1. */
const timeWithin = 0.05;
/** Of AIPerf's CPU time per request. */
const cpuAtMost = 0.2;
/** What a request costs is the difference between the two, so that starting is not in it. */
const counts = { few: 20, many: 220 } as const;
const outputTokens = 16;
const concurrency = 4;
const prompts = ['What is Triton?', 'What is a token?', 'What is a stream?', 'What is a prompt?'];

const tools = createLoadTools({ layout, workerFile: option('worker', ''), env: process.env });
const signal = stopOfBench();

interface Side<Times> {
  readonly own: Times;
  readonly other: Times;
}

/** Both sides, in an order by chance. */
async function inTurn<Times>(own: () => Promise<Times>, other: () => Promise<Times>): Promise<Side<Times>> {
  const found: { own?: Times; other?: Times } = {};
  for (const side of shuffled(['own', 'other'] as const)) {
    signal.throwIfAborted();
    found[side] = await (side === 'own' ? own : other)();
  }
  return found as Side<Times>;
}

interface Counted extends Answered {
  /** Microseconds per request, of the whole tree of processes without their start. */
  readonly cpuUs: number;
  /** With their start. */
  readonly wholeCpuUs: number;
}

async function counted(run: (requests: number) => Promise<Answered>): Promise<Counted> {
  const cost = async (requests: number) => {
    const before = endedChildrenCpuUs();
    const answered = await run(requests);
    if (answered.requests !== requests) throw new Error(`${answered.requests} of ${requests} requests`);
    if (answered.tokensPerRequest !== outputTokens)
      throw new Error(`${answered.tokensPerRequest} tokens where ${outputTokens} were asked for`);
    return { answered, cpuUs: endedChildrenCpuUs() - before };
  };
  const few = await cost(counts.few);
  const many = await cost(counts.many);
  return {
    ...many.answered,
    cpuUs: (many.cpuUs - few.cpuUs) / (counts.many - counts.few),
    wholeCpuUs: many.cpuUs / counts.many,
  };
}

const documentSchema = z.looseObject({
  points: z.tuple([
    z.looseObject({
      requestCount: z.number(),
      generation: z.looseObject({
        tokensCountedBy: z.literal('server usage'),
        timeToFirstToken: z.looseObject({ p50Us: z.number() }),
        timePerOutputToken: z.looseObject({ p50Us: z.number() }),
        tokensPerRequest: z.looseObject({ avg: z.number() }),
      }),
    }),
  ]),
});

/** The built command line, in a home of its own. */
async function runPerf(load: FrontendLoad, dir: string): Promise<Answered> {
  const args = [
    ...[option('cli', ''), 'perf', '-u', `http://${load.address}`, '-m', 'lm', '--endpoint', 'chat'],
    ...['--prompts', load.prompts, '--output-tokens', String(load.outputTokens)],
    ...['--concurrency', String(load.concurrency), '--request-count', String(load.requests), '--json'],
  ];
  const app = option('app', '.');
  const env = {
    ...process.env,
    ...{ TRITON_WORKBENCH_HOME: join(dir, 'home'), TRITON_WORKBENCH_APP: app },
    TRITON_WORKBENCH_RESOURCES: join(app, 'resources'),
  };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 26, signal });
  const [{ requestCount, generation }] = documentSchema.parse(JSON.parse(stdout)).points;
  return {
    requests: requestCount,
    ttftMs: generation.timeToFirstToken.p50Us / 1000,
    perTokenMs: generation.timePerOutputToken.p50Us / 1000,
    tokensPerRequest: generation.tokensPerRequest.avg,
  };
}

async function frontendPair(program: string, served: ServedModel, dir: string): Promise<Side<Counted>> {
  const path = await writePrompts(dir, prompts);
  const load = { address: served.frontend.address, prompts: path, outputTokens, concurrency };
  return inTurn(
    () => counted((requests) => runPerf({ ...load, requests }, dir)),
    () => counted((requests) => runAiperf(program, { ...load, requests }, dir, signal)),
  );
}

function judgedRatio<Times>(
  name: string,
  all: readonly Side<Times>[],
  read: (times: Times) => number,
  limit: { readonly within: number } | { readonly atMost: number } | null,
): Judged {
  const ratio = pairedRatio(all.map(({ own, other }) => [read(own), read(other)]));
  const value = `${ratio.median.toFixed(3)} [${ratio.lowest.toFixed(3)}–${ratio.highest.toFixed(3)}]`;
  if (limit === null) return { name, value, limit: '', kept: true };
  return 'within' in limit
    ? {
        ...{ name, value },
        limit: `median within ${100 * limit.within} % of 1`,
        kept: Math.abs(ratio.median - 1) <= limit.within,
      }
    : { name, value, limit: `median at most ${limit.atMost}`, kept: ratio.median <= limit.atMost };
}

const judgedStreams = (all: readonly Side<StreamTimes>[]): readonly Judged[] => [
  judgedRatio('TTFT, median, perf / perf_analyzer', all, ({ ttftMs }) => ttftMs, { within: timeWithin }),
  judgedRatio('ITL, median, perf / perf_analyzer', all, ({ itlMs }) => itlMs, { within: timeWithin }),
];

const judgedFrontends = (all: readonly Side<Counted>[]): readonly Judged[] => [
  judgedRatio('TTFT, median, perf / AIPerf', all, ({ ttftMs }) => ttftMs, { within: timeWithin }),
  judgedRatio('TPOT, median, perf / AIPerf', all, ({ perTokenMs }) => perTokenMs, { within: timeWithin }),
  judgedRatio('CPU per request, perf / AIPerf', all, ({ cpuUs }) => cpuUs, { atMost: cpuAtMost }),
  judgedRatio('CPU per request with start, perf / AIPerf', all, ({ wholeCpuUs }) => wholeCpuUs, null),
];

interface Found {
  readonly delays: Judged[];
  readonly streams: Side<StreamTimes>[];
  readonly frontends: Side<Counted>[];
}

const judgedOf = ({ delays, streams, frontends }: Found): readonly Judged[] => [
  ...delays,
  ...(streams.length === 0 ? [] : judgedStreams(streams)),
  ...(frontends.length === 0 ? [] : judgedFrontends(frontends)),
];

const timesRow = (name: string, columns: readonly (readonly number[])[]): string =>
  `| ${[name, ...columns.map((values) => rangeText(values, 2))].join(' | ')} |`;

const streamRow = (name: string, all: readonly StreamTimes[]): string =>
  timesRow(name, [all.map(({ ttftMs }) => ttftMs), all.map(({ itlMs }) => itlMs)]);

const frontendRow = (name: string, all: readonly Counted[]): string =>
  timesRow(name, [
    all.map(({ ttftMs }) => ttftMs),
    all.map(({ perTokenMs }) => perTokenMs),
    all.map(({ cpuUs }) => cpuUs / 1000),
    all.map(({ wholeCpuUs }) => wholeCpuUs / 1000),
  ]);

function documentOf(found: Found, version: string, note: readonly string[]): string {
  const { streams, frontends } = found;
  return [
    '# Tokens of a language model',
    '',
    'Written by `npm run bench -- generation`. A model of the Python backend sends the first token 80 ms after the request and each further one',
    `20 ± 5 ms after the one before, and writes the time of each into its answer. Every output has ${outputTokens} tokens (max_tokens, ignore_eos, temperature 0) at a`,
    `concurrency of ${concurrency}. The server of OpenAI's protocol is a thin one in front of the same Triton, not Triton's own frontend. Orders within a pair`,
    'are by chance. Median [lowest–highest] of the pairs.',
    '',
    ...note,
    ...factTable(version, [
      ['Pairs', `${streams.length} with perf_analyzer, ${frontends.length} with AIPerf ${aiperfVersion}`],
    ]),
    '',
    '## gRPC stream beside perf_analyzer',
    '',
    'perf_analyzer states no times of tokens: these are from its export of each answer.',
    '',
    '| | TTFT p50, ms | ITL p50, ms |',
    '|---|---|---|',
    streamRow(
      '`perf --endpoint grpc-stream`',
      streams.map(({ own }) => own),
    ),
    streamRow(
      'perf_analyzer',
      streams.map(({ other }) => other),
    ),
    '',
    '## OpenAI server beside AIPerf',
    '',
    `CPU time is that of all processes of each tool: the difference between ${counts.many} and ${counts.few} requests, so that starting is not in it. TPOT is what AIPerf calls`,
    'inter token latency.',
    '',
    '| | TTFT p50, ms | TPOT p50, ms | CPU per request, ms | with start, ms |',
    '|---|---|---|---|---|',
    frontendRow(
      '`perf --endpoint chat`',
      frontends.map(({ own }) => own),
    ),
    frontendRow(
      `AIPerf ${aiperfVersion}`,
      frontends.map(({ other }) => other),
    ),
    '',
    '## What is asked of it',
    '',
    ...judgedTable(judgedOf(found)),
    '',
  ].join('\n');
}

const parts = ['delays', 'streams', 'frontends'] as const;
if (only !== '' && !parts.some((part) => part === only)) {
  process.stderr.write(`--part is one of ${parts.join(', ')}\n`);
  process.exit(2);
}
const isAsked = (part: (typeof parts)[number]): boolean => only === '' || only === part;

const dir = await mkdtemp(join(tmpdir(), 'workbench-generation-'));
const found: Found = { delays: [], streams: [], frontends: [] };
try {
  const program = isAsked('frontends') ? await installAiperf(layout.python, join(home, 'bench')) : '';
  const served = await serveModel();
  try {
    const cut = await untilStopped(signal, async () => {
      if (isAsked('delays')) found.delays.push(...(await judgeKnownDelays(tools.native, served, dir)));
      for (let pair = 1; isAsked('streams') && pair <= pairs; pair += 1) {
        const own = () => measureOwnStream(tools.native, served, dir);
        const other = () => measureAnalyzerStream(tools.perf_analyzer, served, dir);
        found.streams.push(await inTurn(own, other));
        say(`${pair} of ${pairs}, beside perf_analyzer`);
      }
      for (let pair = 1; isAsked('frontends') && pair <= pairs; pair += 1) {
        found.frontends.push(await frontendPair(program, served, dir));
        say(`${pair} of ${pairs}, beside AIPerf`);
      }
    });
    const note = cut ? cutText(`${found.streams.length} and ${found.frontends.length} pairs measured`) : [];
    const document = documentOf(found, served.version, note);
    say(`\n${document}`);
    if (outFile !== '' && only === '') await writeFile(outFile, document);
    process.exitCode = cut ? 130 : exitCodeOf(judgedOf(found));
  } finally {
    await served.stop();
  }
} finally {
  await rm(dir, { recursive: true, force: true });
}
