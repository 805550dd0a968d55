import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { LoadTool as LoadToolId, Protocol } from '../../main/contract/run/run-spec';
import { createLoadTools } from '../../main/perf/load-tools';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { startTestTriton, type TestTriton } from '../../test/support/triton';
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
import { cutText, exitWhenCut, isCut, untilCut } from './until-cut';

const repeats = Number(option('repeats', '5'));
const outFile = option('out', '');
const pauseMs = 1000;
const windowMs = 2000;
const rate = 200;
/** Of the p99 from the schedule: a thirtieth of the requests falls into the pause and a hundredth waits for most of it. */
const leastP99Ms = 500;
/** A request is due at the latest this long after the server stood still. */
const betweenMs = 1000 / rate;

/** One level of three windows, the server standing still for a second in the second one. */
interface Paused {
  readonly tool: LoadToolId;
  readonly protocol: Protocol;
  /** Measured, from the stop signal to the one that lets it go on. */
  readonly pausedMs: number;
  /** null: perf_analyzer gave no row. */
  readonly point: LoadPoint | null;
}

/** Stops the server in the middle of the level's time. @returns the length of the pause, once it is over. */
async function pauseServer(triton: TestTriton, afterMs: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  const startMs = performance.now();
  process.kill(triton.pid, 'SIGSTOP');
  try {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  } finally {
    process.kill(triton.pid, 'SIGCONT');
  }
  return performance.now() - startMs;
}

const dir = await mkdtemp(join(tmpdir(), 'workbench-open-loop-'));
const triton = await startTestTriton([{ name: 'echo', execute: 'return values.copy()', maxBatchSize: 0 }]);
const tools = createLoadTools({
  layout: homeLayout(defaultHome(process.env)),
  workerFile: option('worker', ''),
  env: process.env,
});

async function measurePaused(id: LoadToolId, protocol: Protocol): Promise<Paused> {
  const workDir = await mkdtemp(join(dir, 'work-'));
  let pause: Promise<number> | undefined;
  // The built-in load generator tells of its first window's end; perf_analyzer's windows are a fifth longer.
  const begin = (afterMs: number) => {
    pause ??= pauseServer(triton, afterMs);
  };
  if (id === 'perf_analyzer') begin(1.5 * 1.2 * windowMs);
  const point = await tools[id]
    .measure({
      httpAddress: triton.httpAddress,
      grpcAddress: triton.grpcAddress,
      protocol,
      modelName: 'echo',
      modelVersion: '1',
      inputData: {
        source: 'zero',
        tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [16], files: ['0.bin'] }],
      },
      inputDataDir: dir,
      level: { batchSize: 1, concurrency: 4, requestRate: rate },
      batched: false,
      settings: {
        measurementMode: 'time_windows',
        measurementIntervalMs: windowMs,
        measurementRequestCount: 50,
        stabilityPercentage: 1e6,
        maxTrials: 3,
        warmupMs: 500,
      },
      workDir,
      signal: new AbortController().signal,
      onWindow: (_window, index) => {
        if (id === 'native' && index === 0) begin(windowMs / 4);
      },
      onLog: () => undefined,
      onCommand: () => undefined,
    })
    .catch((error: unknown) => {
      if (id === 'native') throw error;
      say(`perf_analyzer, ${protocol}: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    });
  return { tool: id, protocol, pausedMs: (await pause) ?? NaN, point };
}

const ms = (us: number) => us / 1000;

/** Of the built-in load generator's levels over one protocol. */
function judge(protocol: Protocol, measured: readonly Paused[]): readonly Judged[] {
  const own = measured.filter((paused) => paused.tool === 'native' && paused.protocol === protocol);
  const points = own.flatMap(({ point }) => (point === null ? [] : [point]));
  const scheduled = points.flatMap((point) => (point.scheduled === undefined ? [] : [point.scheduled]));
  const complete = own.length > 0 && scheduled.length === own.length;
  const p99 = scheduled.map((value) => ms(value.p99Us));
  const worst = scheduled.map((value) => ms(value.maxUs));
  const shortfall = own.map(({ point, pausedMs }) => pausedMs - ms(point?.scheduled?.maxUs ?? 0));
  const plain = (name: string, values: readonly number[]): Judged => ({
    name: `${protocol}: ${name}`,
    value: rangeText(values, 1),
    limit: '',
    kept: true,
  });
  return [
    plain(
      'pause of the server, ms',
      own.map(({ pausedMs }) => pausedMs),
    ),
    {
      name: `${protocol}: p99 from schedule, ms`,
      value: rangeText(p99, 1),
      limit: `each at least ${leastP99Ms}`,
      kept: complete && p99.every((value) => value >= leastP99Ms),
    },
    {
      name: `${protocol}: worst from schedule, ms`,
      value: rangeText(worst, 1),
      limit: `each at least the pause less ${betweenMs} ms`,
      kept: complete && shortfall.every((value) => value <= betweenMs),
    },
    plain(
      'p99 from send, ms',
      points.map((point) => ms(point.p99Us)),
    ),
    plain(
      'requests sent late',
      scheduled.map((value) => value.delayedCount),
    ),
    {
      name: `${protocol}: failed requests`,
      value: rangeText(
        points.map((point) => point.errorCount),
        0,
      ),
      limit: 'none',
      kept: complete && points.every((point) => point.errorCount === 0),
    },
  ];
}

try {
  await writeFile(join(dir, '0.bin'), Buffer.alloc(64));
  const cases = (['grpc', 'http'] as const).flatMap((protocol) =>
    (['native', 'perf_analyzer'] as const).map((tool) => ({ tool, protocol })),
  );
  const measured: Paused[] = [];
  const server = await createTritonClient(triton.httpAddress).serverMetadata();
  const measureAll = async () => {
    for (const { repeat, tool, protocol } of Array.from({ length: repeats }, (_unused, index) =>
      shuffled(cases).map((one) => ({ ...one, repeat: index + 1 })),
    ).flat()) {
      const paused = await measurePaused(tool, protocol);
      if (isCut()) return;
      measured.push(paused);
      const { point } = paused;
      const shown = (us: number | undefined) => (us === undefined ? '–' : `${ms(us).toFixed(1)} ms`);
      say(
        `${repeat} of ${repeats}, ${tool}, ${protocol}: p99 from schedule ${shown(point?.scheduled?.p99Us)}, ` +
          `worst ${shown(point?.scheduled?.maxUs)}, p99 from send ${shown(point?.p99Us)}`,
      );
    }
  };
  const cut = await untilCut(measureAll);
  const rows = (['grpc', 'http'] as const).flatMap((protocol) => judge(protocol, measured));
  const analyzer = measured.filter(({ tool }) => tool === 'perf_analyzer');
  const rowsGiven = analyzer.flatMap(({ point }) => (point === null ? [] : [ms(point.p99Us)]));
  const document = [
    '# A stalled server under a constant rate',
    '',
    `Written by \`npm run bench -- open-loop\`. ${rate} requests per second are due at fixed times, at most four in flight; in the middle`,
    `of three windows of ${windowMs / 1000} s the process of Triton is stopped for a second (SIGSTOP, SIGCONT). The latency from the`,
    'schedule begins when a request was due, so that the second is in it; the latency from the send begins when it went out, and',
    'what could not be sent is not in it. Median [lowest–highest] of all repeats.',
    '',
    ...(cut ? cutText(`${measured.length} of ${repeats * cases.length} levels measured`) : []),
    ...factTable(server.version, [['Repeats', String(repeats)]]),
    '',
    ...judgedTable(rows),
    '',
    `perf_analyzer, which counts only from the send, under the same rate and pause: p99 ${rangeText(rowsGiven, 1)} ms over both`,
    `protocols; a row in ${rowsGiven.length} of ${analyzer.length} levels.`,
    '',
  ].join('\n');
  if (measured.length > 0) {
    say(`\n${document}`);
    if (outFile !== '') await writeFile(outFile, document);
  }
  if (cut)
    say(`Interrupted: ${measured.length} of ${repeats * cases.length} levels measured; nothing was judged.`);
  else process.exitCode = exitCodeOf(rows);
} finally {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
}
exitWhenCut();
