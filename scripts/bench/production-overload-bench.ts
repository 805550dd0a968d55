import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadPoint } from '../../main/contract/measured/results';
import { answeredRate, overloadText, refusedCount } from '../../main/contract/measured/timeline';
import type { LocalToolchain } from '../../main/engine/local/server-command';
import { environmentToolchain } from '../../main/engine/local/serving-environment';
import type { MeasureInput } from '../../main/perf/load-tool';
import { createLoadTools } from '../../main/perf/load-tools';
import { exists } from '../../main/platform/files';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { startTestTriton, type TestModel, type TestTriton } from '../../test/support/triton';
import { exitCodeOf, factTable, type Judged, judgedTable, option, rangeText, say } from './bench-facts';
import { cutText, exitWhenCut, isCut, untilCut } from './until-cut';

const execFileAsync = promisify(execFile);
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
const models: readonly TestModel[] = [
  {
    ...{ name: 'limited', execute, maxBatchSize: 1 },
    config: `dynamic_batching { default_queue_policy { max_queue_size: ${queue} } }`,
  },
  { name: 'endless', execute, maxBatchSize: 1, config: 'dynamic_batching { }' },
];
/** The last nvidia-pytriton whose Triton (2.36) wakes the batcher of a full queue. */
const olderPackages = ['nvidia-pytriton==0.3.0', 'numpy<2'];
const dir = await mkdtemp(join(tmpdir(), 'workbench-overload-'));
const layout = homeLayout(defaultHome(process.env));
const { native } = createLoadTools({ layout, workerFile: option('worker', ''), env: process.env });

/** A Python environment with an earlier Triton, below the home. */
async function olderToolchain(): Promise<LocalToolchain> {
  const folder = join(option('home', ''), 'bench', 'pytriton-0.3.0');
  if (!(await exists(join(folder, 'bin', 'python')))) {
    await execFileAsync(layout.python, ['-m', 'venv', folder]);
    await execFileAsync(join(folder, 'bin', 'pip'), ['install', '--quiet', ...olderPackages]);
  }
  return environmentToolchain(layout, { folder, framework: 'pyt' }, process.env);
}

/** A Triton with its version. */
interface Server {
  readonly triton: TestTriton;
  readonly version: string;
}

async function started(toolchain?: LocalToolchain): Promise<Server> {
  const triton = await startTestTriton(models, [], toolchain);
  return { triton, version: (await createTritonClient(triton.httpAddress).serverMetadata()).version };
}

async function measured(
  { triton }: Server,
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
  /** Version of Triton. */
  readonly version: string;
  /** Requests per second at full load, measured just before. */
  readonly capacity: number;
  readonly promised: number;
  readonly point: LoadPoint;
  /** Requests that Triton counts as failed during the level. */
  readonly serverFailures: number;
}

async function failuresOf({ triton }: Server, model: Kind): Promise<number> {
  const statistics = await createTritonClient(triton.httpAddress).modelStatistics(model, '1');
  return statistics.reduce((sum, { fail }) => sum + fail.count, 0);
}

async function turnOf(server: Server, kind: Kind): Promise<Turn> {
  // Both models take the same time; that of the limited one may stall at a closed load, too.
  const full = await measured(server, 'endless', { batchSize: 1, concurrency: 4 }, {});
  const capacity = full.inferencesPerSecond;
  const promised = Math.round(promisedShare * capacity);
  const failuresBefore = await failuresOf(server, kind);
  const point = await measured(
    server,
    kind,
    { batchSize: 1, concurrency: 512, requestRate: promised },
    { stages: [...stages[kind]] },
  );
  const serverFailures = (await failuresOf(server, kind)) - failuresBefore;
  return { kind, version: server.version, capacity, promised, point, serverFailures };
}

/** Of the rate in the overload, what the server cannot do, in percent. */
const aboveCapacity = ({ capacity, promised }: Turn): number => 100 * (1 - capacity / (2 * promised));

/** Seconds in which the backlog of the overload is worked off. */
const backlogS = ({ capacity, promised, point }: Turn): number => {
  const { overload } = point;
  const overloadS = overload === undefined ? NaN : (overload.toUs - overload.fromUs) / 1e6;
  return ((2 * promised - capacity) * overloadS) / (capacity - promised);
};

const of = ({ point }: Turn) => point.overload;
const percent = (turn: Turn) => 100 * (of(turn)?.refusedShare ?? NaN);
const answeredOf = ({ point }: Turn) => (point.overload === undefined ? NaN : answeredRate(point.overload));
const textOf = ({ point, promised }: Turn) =>
  point.overload === undefined ? 'no overload' : overloadText(point.overload, promised);

/** A queue with a limit, in a Triton that serves it as it is filled. */
function judgeLimited(limited: readonly Turn[]): readonly Judged[] {
  const refused = limited.map((turn) => percent(turn) - aboveCapacity(turn));
  const p99Ms = limited.map((turn) => (of(turn)?.p99Us ?? NaN) / 1000);
  const fullMs = limited.map(({ capacity }) => (1000 * (queue + 2)) / capacity);
  const ratios = p99Ms.map((value, index) => value / (fullMs[index] ?? NaN));
  const recoveryS = limited.map((turn) => (of(turn)?.recoveryUs ?? NaN) / 1e6);
  return [
    { name: 'refused share', value: `${rangeText(limited.map(percent), 1)} %`, limit: '', kept: true },
    {
      name: 'refused share less 1 − capacity/rate, points',
      value: rangeText(refused, 2),
      limit: `each within ${refusedWithin}`,
      kept: refused.every((value) => Math.abs(value) <= refusedWithin),
    },
    {
      name: 'p99 of the accepted, ms',
      value: rangeText(p99Ms, 1),
      limit: `each at most ${queueRoom} times a full queue`,
      kept: ratios.every((value) => value <= queueRoom),
    },
    {
      name: 'recovery, s',
      value: rangeText(recoveryS, 2),
      limit: 'each at most 3',
      kept: recoveryS.every((value) => value <= 3),
    },
  ];
}

/** A queue with a limit, in a Triton whose batcher a refused request does not wake. */
function judgeStalled(limited: readonly Turn[]): readonly Judged[] {
  const said = limited.filter((turn) => textOf(turn).includes('fewer than the promised'));
  return [
    { name: 'refused share', value: `${rangeText(limited.map(percent), 1)} %`, limit: '', kept: true },
    {
      name: 'answered requests/s in the overload',
      value: `${rangeText(limited.map(answeredOf), 1)} of ${rangeText(
        limited.map(({ promised }) => promised),
        0,
      )} promised`,
      limit: '',
      kept: true,
    },
    {
      name: 'the sentence says that fewer than the promised are answered',
      value: `${said.length} of ${limited.length}`,
      limit: 'each',
      kept: said.length === limited.length,
    },
    {
      name: 'p99 of the accepted, ms',
      value: rangeText(
        limited.map((turn) => (of(turn)?.p99Us ?? NaN) / 1000),
        1,
      ),
      limit: '',
      kept: true,
    },
  ];
}

function judgeEndless(endless: readonly Turn[]): readonly Judged[] {
  const recovery = endless.map((turn) => (of(turn)?.recoveryUs ?? NaN) / 1e6 - backlogS(turn));
  const called = endless.filter((turn) => of(turn)?.endless === true && percent(turn) === 0);
  return [
    {
      name: 'called endless, none refused',
      value: `${called.length} of ${endless.length}`,
      limit: 'each',
      kept: called.length === endless.length,
    },
    {
      name: 'recovery less the time of the backlog, s',
      value: rangeText(recovery, 2),
      limit: `each within ${recoveryWithinS}`,
      kept: recovery.every((value) => Math.abs(value) <= recoveryWithinS),
    },
  ];
}

const failed = (turns: readonly Turn[]): Judged => ({
  name: 'failed requests, by the client',
  value: rangeText(
    turns.map(({ point }) => point.errorCount),
    0,
  ),
  limit: 'none',
  kept: turns.every(({ point }) => point.errorCount === 0),
});

/** The client's refusals beside Triton's own count of failures, which has those of a full queue in no version here. */
const counted = (limited: readonly Turn[]): Judged => ({
  name: `queue of ${queue}: refused requests, and those that Triton counts as failed`,
  value: `${rangeText(
    limited.map(({ point }) => refusedCount(point)),
    0,
  )}, ${rangeText(
    limited.map(({ serverFailures }) => serverFailures),
    0,
  )}`,
  limit: '',
  kept: true,
});

/** By version, in the order of the servers. */
function judge(turns: readonly Turn[], versions: readonly string[]): readonly Judged[] {
  return versions.flatMap((version, at) => {
    const own = turns.filter((turn) => turn.version === version);
    if (own.length === 0) return [];
    const limited = own.filter(({ kind }) => kind === 'limited');
    const endless = own.filter(({ kind }) => kind === 'endless');
    const named = (title: string, rows: readonly Judged[]) =>
      rows.map((row) => ({ ...row, name: `Triton ${version}, ${title}: ${row.name}` }));
    return [
      ...named(`queue of ${queue}`, at === 0 ? judgeLimited(limited) : judgeStalled(limited)),
      ...named('no limit', judgeEndless(endless)),
      ...[counted(limited), failed(own)].map((row) => ({ ...row, name: `Triton ${version}, ${row.name}` })),
    ];
  });
}

const servers: Server[] = [];
try {
  await writeFile(join(dir, '0.bin'), Buffer.alloc(64));
  servers.push(await started(await olderToolchain()), await started());
  const turns: Turn[] = [];
  const versions = servers.map(({ version }) => version);
  const cut = await untilCut(async () => {
    for (let repeat = 1; repeat <= repeats; repeat += 1) {
      for (const server of servers) {
        for (const kind of ['limited', 'endless'] as const) {
          const turn = await turnOf(server, kind);
          if (isCut()) return;
          turns.push(turn);
          const { version } = server;
          say(
            `${repeat} of ${repeats}, Triton ${version}, ${kind}, capacity ${turn.capacity.toFixed(1)}/s: ${textOf(turn)}`,
          );
        }
      }
    }
  });
  const rows = judge(turns, versions);
  const document = [
    '# An overload',
    '',
    'Written by `npm run bench -- production-overload`. A model of the Python backend takes a fixed time for each request. Its capacity is',
    `measured at a concurrency of 4, without a limit of its queue; ${100 * promisedShare} % of it are promised, and twice of that comes for 20 s to a queue of ${queue}, or for 3 s to one without a`,
    'limit. Median [lowest–highest] of all repeats. From Triton 2.44 on, [a full queue stalls](guide/overload.md#a-full-queue-that-stalls): what a limited',
    'queue should come to is judged with an earlier Triton, and with that of the home whether the stall is named.',
    '',
    ...(cut ? cutText(`${turns.length} of ${4 * repeats} levels measured`) : []),
    ...factTable(versions.join(' and '), [
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
  if (cut) say(`Interrupted: ${turns.length} of ${4 * repeats} levels measured; nothing was judged.`);
  else process.exitCode = exitCodeOf(rows);
} finally {
  for (const { triton } of servers) await triton.stop();
  await rm(dir, { recursive: true, force: true });
}
exitWhenCut();
