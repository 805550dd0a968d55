import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { limitsDocument } from '../../../main/domain/measured/limits/limits';
import type { DuelAnswer } from '../../../main/domain/study/duel/duel-answer';
import { detectLocalTriton } from '../../../main/engine/local/local-triton';
import { homeLayout } from '../../../main/platform/layout';
import { startTestTriton } from '../../../test/support/triton';
import { exitCodeOf, factTable, type Judged, judgedTable, option, say } from '../bench-facts';
import { cutText, exitWhenCut, isCut, untilCut } from '../until-cut';
import { limitProcess } from './limited-process';
import { writePlantedRepository } from './planted-repository';
import { makeWideHome } from './wide-home';

const execute = promisify(execFile);
const outFile = option('out', '');
const only = option('mistake', '');
const budget = option('budget', '60s');
/** Of ten. */
const kept = 0.9;
/** Of a processor, for a load generator that is overloaded. */
const littleShare = 0.06;
/** A gain by this factor of two measurements one after the other is not chance. */
const clearly = 1.3;
const levels = z.array(z.looseObject({ inferencesPerSecond: z.number() })).default([]);
/** What `run` prints, and `perf`. */
const runSchema = z.looseObject({ runId: z.string(), offline: levels, online: levels, points: levels });

type Limits = NonNullable<ReturnType<typeof limitsDocument>>;
type Change = Limits['suggestions'][number]['change'];

interface Mistake {
  readonly name: string;
  /** Of the command that measures it; the last is the model. */
  readonly argv: readonly string[];
  readonly isRight: (change: Change, text: string) => boolean;
  /** The load generator has little of a processor, as in a container with a limit. */
  readonly isLimited?: boolean;
  /** A change that cannot be measured beside the run is measured by itself, with these arguments more. */
  readonly instead?: (change: Change) => readonly string[];
}

interface Found {
  readonly mistake: Mistake;
  readonly sentence: string;
  readonly suggestion: string;
  readonly isRight: boolean;
  /** What came of it; null: it is about another model than the one that is measured. */
  readonly tried: { readonly text: string; readonly isConfirmed: boolean } | null;
}

const wide = await makeWideHome();
const triton = await startTestTriton([
  { name: 'echo', execute: 'return values', maxBatchSize: 64, dynamicBatching: true },
]);
const repository = join(wide.home, 'planted');
const model = (name: string): string => join(wide.home, `${name}.onnx`);

interface Served {
  readonly instances?: number;
  readonly threads?: number;
  readonly batching?: string;
  readonly maxBatchSize?: number;
  readonly preferredBatchSizes?: readonly number[];
  readonly maxQueueDelayUs?: number;
}

const usual: Served = {
  ...{ instances: 1, threads: 1, batching: 'dynamic', maxBatchSize: 16 },
  ...{ preferredBatchSizes: [], maxQueueDelayUs: 0 },
};

/** A run of a model file that is served so. */
function run(file: string, served: Served, load: readonly string[]): readonly string[] {
  const fields = Object.entries({ ...usual, ...served }).flatMap(([field, value]) => [
    ...['--set', `configure.${field}=${JSON.stringify(value)}`],
  ]);
  return [
    ...['run', file, '--profile', 'quick', '--json', '--measurement-interval-ms', '700'],
    ...[
      '--set',
      'performance.maxTrials=4',
      '--set',
      'performance.stabilityPercentage=30',
      ...fields,
      ...load,
    ],
  ];
}
const perf = (name: string, load: readonly string[]): readonly string[] => [
  ...['perf', '-m', name, '--model-repository', repository, '--trust', '--json'],
  ...['--measurement-interval', '700', ...load],
];

const level = (concurrency: number, batchSizes = '1'): readonly string[] => [
  ...['--batch-sizes', batchSizes, '--concurrency', String(concurrency)],
];

const mistakes: readonly Mistake[] = [
  {
    name: 'no batching where it pays',
    argv: run(model('wide'), { batching: 'static' }, level(16, '1,8')),
    isRight: ({ configure }) => configure?.batching === 'dynamic',
  },
  {
    name: 'one instance on two cores',
    argv: run(model('wide'), { maxBatchSize: 8 }, level(16)),
    isRight: ({ configure }) => configure?.instances === 2,
  },
  {
    name: 'a queue delay above the target',
    argv: run(model('wide'), { maxQueueDelayUs: 60_000 }, [...level(4), '--p99-budget-ms', '40']),
    isRight: ({ configure }) => configure?.maxQueueDelayUs === 0,
  },
  {
    name: 'preferred sizes above what any batch can have',
    argv: run(model('wide'), { preferredBatchSizes: [16], maxQueueDelayUs: 20_000 }, level(4)),
    isRight: ({ configure }) => configure?.preferredBatchSizes?.length === 0,
  },
  {
    name: 'threads oversubscribed',
    argv: run(model('wide'), { instances: 2, threads: 8, maxBatchSize: 4 }, level(2)),
    isRight: ({ configure }) => configure?.threads === 1,
  },
  {
    name: 'HTTP with large payloads',
    argv: run(model('taking'), { maxBatchSize: 4 }, [...level(2), '--protocol', 'http']),
    isRight: ({ performance }) => performance?.protocol === 'grpc' || performance?.sharedMemory === 'system',
  },
  {
    name: 'an overloaded client',
    argv: ['perf', '-m', 'echo', '-u', triton.httpAddress, '--json', ...['--concurrency', '16']],
    isLimited: true,
    isRight: ({ performance }) => (performance?.onlineBatchSize ?? 1) > 1,
    instead: ({ performance }) => ['--batch-sizes', String(performance?.onlineBatchSize ?? 1)],
  },
  {
    name: 'a slow composing model',
    argv: perf('whole', ['--concurrency', '4']),
    isRight: (_change, text) => /\bslow\b/.test(text) && !/\bquick\b/.test(text),
  },
  {
    name: 'a model that is cold at each batch size',
    argv: perf('cold', ['--batch-sizes', '1,2,4,8', '--concurrency', '1', '--warmup-ms', '0']),
    isRight: ({ performance }) => (performance?.warmupMs ?? 0) > 0,
    instead: ({ performance }) => ['--warmup-ms', String(performance?.warmupMs ?? 0)],
  },
  {
    name: 'a CPU that idles behind one connection',
    argv: run(model('wide'), { instances: 2, maxBatchSize: 8 }, level(1)),
    isRight: ({ performance }) => (performance?.concurrency?.[0] ?? 1) > 1,
  },
];

interface Level {
  readonly runId: string;
  readonly inferencesPerSecond: number;
}

/** Runs it. @returns its identification, and the most throughput of its levels */
async function measured({ argv, isLimited = false }: Mistake, more: readonly string[] = []): Promise<Level> {
  const program = execute(process.execPath, [option('cli', ''), ...argv, ...more], {
    ...{ env: wide.env, maxBuffer: 2 ** 26 },
  });
  const { pid } = program.child;
  const free = isLimited && pid !== undefined ? await limitProcess(pid, littleShare) : null;
  try {
    const { runId, offline, online, points } = runSchema.parse(JSON.parse((await program).stdout));
    const rates = [...offline, ...online, ...points].map((one) => one.inferencesPerSecond);
    return { runId, inferencesPerSecond: Math.max(0, ...rates) };
  } finally {
    await free?.();
  }
}

const limitsOf = async (runId: string): Promise<Limits | null> =>
  JSON.parse(await wide.cli('limits', runId, '--json')) as Limits | null;

let tries = 0;

/** Measures the first suggestion in turns with the run as it is. */
async function tryIt(runId: string): Promise<NonNullable<Found['tried']>> {
  tries += 1;
  const name = ['--name', `try-${tries}`, '--budget', budget];
  const { answer } = JSON.parse(await wide.cli('limits', runId, '--try', '1', ...name, '--json')) as {
    readonly answer: DuelAnswer;
  };
  return {
    text: answer.sentence,
    isConfirmed: answer.judged.some(({ metric, outcome }) =>
      metric === 'p99' ? outcome === 'lower' : outcome === 'higher',
    ),
  };
}

/** Measures it by itself with what was suggested. */
async function again(mistake: Mistake, before: Level, change: Change, kind: string): Promise<Found['tried']> {
  const more = mistake.instead?.(change) ?? [];
  const after = await measured(mistake, more);
  const limits = await limitsOf(after.runId);
  const isGone = !(limits?.limits ?? []).some((one) => one.kind === kind);
  const factor = after.inferencesPerSecond / before.inferencesPerSecond;
  return {
    text: `With ${more.join(' ')}: ${isGone ? 'gone' : 'still there'}, throughput × ${factor.toFixed(2)}`,
    isConfirmed: isGone || factor > clearly,
  };
}

async function triedOf(
  mistake: Mistake,
  level: Level,
  change: Change,
  kind: string,
): Promise<Found['tried']> {
  if (!mistake.isRight(change, '') || Object.keys(change).length === 0) return null;
  return mistake.instead === undefined ? tryIt(level.runId) : again(mistake, level, change, kind);
}

async function found(mistake: Mistake): Promise<Found> {
  const level = await measured(mistake);
  const limits = await limitsOf(level.runId);
  const [limit] = limits?.limits ?? [];
  const [first] = limits?.suggestions ?? [];
  if (limit === undefined || first === undefined) {
    return { mistake, sentence: 'Nothing was found.', suggestion: '–', isRight: false, tried: null };
  }
  const { change, text, predictedText } = first;
  return {
    ...{ mistake, isRight: mistake.isRight(change, text), sentence: limit.sentence },
    suggestion: [text, predictedText].filter((one) => one !== null).join(' '),
    tried: await triedOf(mistake, level, change, limit.kind),
  };
}

function documentOf(all: readonly Found[], { cut, version }: { cut: boolean; version: string | null }) {
  const tried = all.flatMap((one) => one.tried ?? []);
  const least = (count: number) => Math.ceil(kept * count);
  const right = all.filter(({ isRight }) => isRight).length;
  const confirmed = tried.filter(({ isConfirmed }) => isConfirmed).length;
  const row = (name: string, value: number, of: number): Judged => ({
    ...{ name, value: `${value} of ${of}`, limit: `at least ${least(of)}`, kept: value >= least(of) },
  });
  const rows = [
    row('The first suggestion is the right one', right, all.length),
    row('To try it confirms it', confirmed, tried.length),
  ];
  const text = [
    '# Planted mistakes',
    '',
    'Written by `npm run bench -- search-limits`. Each mistake is planted in a run of its own on the local Triton, or in a repository that `perf` measures.',
    `\`limits\` then says what limits it, and \`limits --try 1\` measures its first suggestion in turns with the run as it is, with at most ${budget} of load.`,
    `A longer warm-up, and larger requests of a load generator that has ${100 * littleShare} % of a processor, are measured by themselves; what is said of a composing`,
    'model is about another model than the measured one, and is not tried.',
    '',
    ...(cut ? cutText(`${all.length} of ${mistakes.length} mistakes`) : []),
    ...factTable(version ?? 'unknown', []),
    '',
    ...(all.length === 0 ? [] : judgedTable(rows)),
    '',
    '| planted | what is said | first suggestion | right | tried | confirmed |',
    '|---|---|---|---|---|---|',
    ...all.map(
      (one) =>
        `| ${one.mistake.name} | ${one.sentence} | ${one.suggestion} | ${one.isRight ? 'yes' : 'no'} | ${one.tried?.text ?? '–'} | ${one.tried === null ? '' : one.tried.isConfirmed ? 'yes' : 'no'} |`,
    ),
    '',
  ].join('\n');
  return { text, rows };
}

try {
  const { python } = homeLayout(wide.home);
  const script = join(wide.app, 'scripts', 'bench', 'search', 'limits_models.py');
  await execute(python, [script, model('taking')]);
  await writePlantedRepository(repository);
  const { version } = await detectLocalTriton(homeLayout(wide.home));
  const all: Found[] = [];
  const cut = await untilCut(async () => {
    for (const mistake of mistakes.filter(({ name }) => name.includes(only))) {
      if (isCut()) return;
      const one = await found(mistake);
      all.push(one);
      say(
        `${mistake.name}: ${one.sentence} ${one.suggestion} ${one.isRight ? 'right' : 'WRONG'}; ${one.tried?.text ?? 'not tried'}`,
      );
    }
  });
  const { text, rows } = documentOf(all, { cut, version });
  say(`\n${text}`);
  if (outFile !== '' && all.length > 0) await writeFile(outFile, text);
  process.exitCode = exitCodeOf(cut ? [] : rows);
} finally {
  await triton.stop();
  await wide.remove();
}
exitWhenCut();
