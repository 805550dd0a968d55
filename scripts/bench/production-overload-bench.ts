import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadPoint } from '../../main/contract/measured/results';
import { overloadText, refusedCount } from '../../main/contract/measured/timeline';
import type { MeasureInput } from '../../main/perf/load-tool';
import { createLoadTools } from '../../main/perf/load-tools';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { startTestTriton } from '../../test/support/triton';
import { exitCodeOf, factTable, type Judged, judgedTable, option, rangeText, say } from './bench-facts';
import { cutText, exitWhenCut, isCut, untilCut } from './until-cut';

const repeats = Number(option('repeats', '3'));
const outFile = option('out', '');
/** Of the model; the Python backend of the tests adds two milliseconds. */
const serviceMs = 20;
const queue = 16;
/** Of what the server does at most: the promised rate. */
const promisedShare = 0.8;
/** Without a queue's end the backlog of ten seconds has to be worked off within the level. */
const stages = {
  limited: ['1x:10s', '2x:20s', '1x:20s'],
  endless: ['1x:10s', '2x:3s', '1x:40s'],
} as const;
type Kind = keyof typeof stages;
/** Points of percent between the refused share and what is above the capacity. */
const refusedWithin = 3;
/** A full queue and the request that is executed, with room for the scatter of the machine. */
const queueRoom = 1.5;
/** Between the recovery and that of the backlog at the measured capacity. */
const recoveryWithinS = 1.5;

const execute = `time.sleep(${serviceMs / 1000})
        return values.copy()`;
const dir = await mkdtemp(join(tmpdir(), 'workbench-overload-'));
const triton = await startTestTriton([
  {
    ...{ name: 'limited', execute, maxBatchSize: 1 },
    config: `dynamic_batching { default_queue_policy { max_queue_size: ${queue} } }`,
  },
  { name: 'endless', execute, maxBatchSize: 1, config: 'dynamic_batching { }' },
]);
const { native } = createLoadTools({
  layout: homeLayout(defaultHome(process.env)),
  workerFile: option('worker', ''),
  env: process.env,
});

async function measured(
  model: Kind,
  level: MeasureInput['level'],
  settings: Partial<MeasureInput['settings']>,
): Promise<LoadPoint> {
  return native.measure({
    httpAddress: triton.httpAddress,
    grpcAddress: triton.grpcAddress,
    protocol: 'grpc',
    modelName: model,
    modelVersion: '1',
    inputData: {
      source: 'zero',
      tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [16], files: ['0.bin'] }],
    },
    inputDataDir: dir,
    level,
    batched: true,
    settings: {
      ...{ measurementMode: 'time_windows', measurementIntervalMs: 2000, measurementRequestCount: 50 },
      ...{ stabilityPercentage: 10, maxTrials: 5, warmupMs: 500 },
      ...settings,
    },
    workDir: await mkdtemp(join(dir, 'work-')),
    signal: new AbortController().signal,
    onWindow: () => undefined,
    onLog: () => undefined,
    onCommand: () => undefined,
  });
}

interface Turn {
  readonly kind: Kind;
  /** Requests per second at full load, measured just before. */
  readonly capacity: number;
  readonly promised: number;
  readonly point: LoadPoint;
  /** Requests that Triton counts as failed during the level: those that it refused. */
  readonly serverFailures: number;
}

const client = createTritonClient(triton.httpAddress);

async function failuresOf(model: Kind): Promise<number> {
  const statistics = await client.modelStatistics(model, '1');
  return statistics.reduce((sum, { fail }) => sum + fail.count, 0);
}

async function turnOf(kind: Kind): Promise<Turn> {
  const full = await measured(kind, { batchSize: 1, concurrency: 4 }, {});
  const capacity = full.inferencesPerSecond;
  const promised = Math.round(promisedShare * capacity);
  const failuresBefore = await failuresOf(kind);
  const point = await measured(
    kind,
    { batchSize: 1, concurrency: 512, requestRate: promised },
    { stages: [...stages[kind]] },
  );
  const serverFailures = (await failuresOf(kind)) - failuresBefore;
  return { kind, capacity, promised, point, serverFailures };
}

/** Of the rate in the overload, what the server cannot do, in percent. */
const aboveCapacity = ({ capacity, promised }: Turn): number => 100 * (1 - capacity / (2 * promised));

/** Seconds in which the backlog of the overload is worked off. */
const backlogS = ({ capacity, promised, point }: Turn): number => {
  const { overload } = point;
  const overloadS = overload === undefined ? NaN : (overload.toUs - overload.fromUs) / 1e6;
  return ((2 * promised - capacity) * overloadS) / (capacity - promised);
};

function judge(turns: readonly Turn[]): readonly Judged[] {
  const limited = turns.filter(({ kind }) => kind === 'limited');
  const endless = turns.filter(({ kind }) => kind === 'endless');
  const of = ({ point }: Turn) => point.overload;
  const percent = (turn: Turn) => 100 * (of(turn)?.refusedShare ?? NaN);
  const refused = limited.map((turn) => percent(turn) - aboveCapacity(turn));
  const p99Ms = limited.map((turn) => (of(turn)?.p99Us ?? NaN) / 1000);
  const fullMs = limited.map(({ capacity }) => (1000 * (queue + 2)) / capacity);
  const ratios = p99Ms.map((value, index) => value / (fullMs[index] ?? NaN));
  const counted = limited.map(({ point, serverFailures }) => refusedCount(point) - serverFailures);
  const recovery = endless.map((turn) => (of(turn)?.recoveryUs ?? NaN) / 1e6 - backlogS(turn));
  return [
    {
      name: `queue of ${queue}: refused share`,
      value: `${rangeText(limited.map(percent), 1)} %`,
      limit: '',
      kept: true,
    },
    {
      name: `queue of ${queue}: refused share less 1 − capacity/rate, points`,
      value: rangeText(refused, 2),
      limit: `each within ${refusedWithin}`,
      kept: limited.length > 0 && refused.every((value) => Math.abs(value) <= refusedWithin),
    },
    {
      name: `queue of ${queue}: refused requests less Triton's own failures`,
      value: `${rangeText(counted, 0)} of ${rangeText(
        limited.map(({ serverFailures }) => serverFailures),
        0,
      )}`,
      limit: 'none',
      kept: limited.length > 0 && counted.every((value) => value === 0),
    },
    {
      name: `queue of ${queue}: p99 of the accepted, ms`,
      value: rangeText(p99Ms, 1),
      limit: `each at most ${queueRoom} times a full queue`,
      kept: limited.length > 0 && ratios.every((value) => value <= queueRoom),
    },
    {
      name: `queue of ${queue}: recovery, s`,
      value: rangeText(
        limited.map((turn) => (of(turn)?.recoveryUs ?? NaN) / 1e6),
        2,
      ),
      limit: 'each at most 3',
      kept: limited.length > 0 && limited.every((turn) => (of(turn)?.recoveryUs ?? Infinity) <= 3e6),
    },
    {
      name: 'no limit: called endless, none refused',
      value: `${endless.filter((turn) => of(turn)?.endless === true && percent(turn) === 0).length} of ${endless.length}`,
      limit: 'each',
      kept: endless.length > 0 && endless.every((turn) => of(turn)?.endless === true && percent(turn) === 0),
    },
    {
      name: 'no limit: recovery less the time of the backlog, s',
      value: rangeText(recovery, 2),
      limit: `each within ${recoveryWithinS}`,
      kept: endless.length > 0 && recovery.every((value) => Math.abs(value) <= recoveryWithinS),
    },
    {
      name: 'failed requests',
      value: rangeText(
        turns.map(({ point }) => point.errorCount),
        0,
      ),
      limit: 'none',
      kept: turns.length > 0 && turns.every(({ point }) => point.errorCount === 0),
    },
  ];
}

try {
  await writeFile(join(dir, '0.bin'), Buffer.alloc(64));
  const turns: Turn[] = [];
  const server = await client.serverMetadata();
  const cut = await untilCut(async () => {
    for (let repeat = 1; repeat <= repeats; repeat += 1) {
      for (const kind of ['limited', 'endless'] as const) {
        const turn = await turnOf(kind);
        if (isCut()) return;
        turns.push(turn);
        const text = turn.point.overload === undefined ? 'no overload' : overloadText(turn.point.overload);
        say(`${repeat} of ${repeats}, ${kind}, capacity ${turn.capacity.toFixed(1)} requests/s: ${text}`);
      }
    }
  });
  const rows = judge(turns);
  const document = [
    '# An overload',
    '',
    'Written by `npm run bench -- production-overload`. A model of the Python backend takes a fixed time for each request. Its capacity is',
    `measured at a concurrency of 4; ${100 * promisedShare} % of it are promised, and twice of that comes for 20 s to a queue of ${queue}, or for 3 s to one without a`,
    'limit. Median [lowest–highest] of all repeats.',
    '',
    ...(cut ? cutText(`${turns.length} of ${2 * repeats} levels measured`) : []),
    ...factTable(server.version, [
      ['Repeats', String(repeats)],
      ['Service time', `${serviceMs} ms and what the Python backend adds`],
    ]),
    '',
    ...judgedTable(rows),
    '',
  ].join('\n');
  if (turns.length > 0) {
    say(`\n${document}`);
    if (outFile !== '') await writeFile(outFile, document);
  }
  if (cut) say(`Interrupted: ${turns.length} of ${2 * repeats} levels measured; nothing was judged.`);
  else process.exitCode = exitCodeOf(rows);
} finally {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
}
exitWhenCut();
