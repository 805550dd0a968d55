import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../main/domain/random';
import { campaignSeed, printRow } from '../support/campaign';
import { cli } from '../support/cli';
import {
  type DiskProgram,
  fillAt,
  type FullOutcome,
  type FullPoint,
  undisturbedOn,
} from '../support/filled-disk';
import { createTestHome, type TestHome } from '../support/home';
import { makeModels } from '../support/made-models';

let dir = '';
let home: TestHome;
const random = createRandom(campaignSeed);
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'disk-'));
  home = await createTestHome();
});
afterAll(async () => {
  await home.remove();
  await rm(dir, { recursive: true, force: true });
});

const levels = [
  ...['--profile', 'quick', '--json', '--batch-sizes', '1,2', '--concurrency', '1'],
  ...[
    '--measurement-interval-ms',
    '100',
    '--set',
    'performance.maxTrials=3',
    '--set',
    'performance.warmupMs=0',
  ],
];

/** Sizes from one to another, one of each stretch, where in it the seed says. */
const sizes = (many: number, first: number, last: number): FullPoint[] =>
  Array.from({ length: many }, (_unused, at) => ({
    sizeBytes: Math.floor(first + ((at + random()) * (last - first)) / many),
  }));

/** A row for docs/reliability.md and the verdict. */
async function judge(what: string, outcomes: readonly FullOutcome[]): Promise<void> {
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  const full = outcomes.filter(({ step }) => step !== null);
  const counts = new Map<string, number>();
  for (const { step } of full) counts.set(step ?? '', (counts.get(step ?? '') ?? 0) + 1);
  await printRow({
    what,
    trials: full.length,
    result:
      `${problems.length} with a reason other than the disk, not finished after space was freed, or with something lost or duplicated; ` +
      `full in ${[...counts].map(([step, count]) => `${step} (${count})`).join(', ')}`,
  });
  expect(problems.slice(0, 20)).toEqual([]);
  expect(full.length).toBeGreaterThan(0);
}

/** Steps whose end is told, in their order. */
const steps = [
  'Prepare data',
  'Export model',
  'Convert model',
  'Configure',
  'Deploy',
  'Check accuracy',
  'Prepare profiling',
  'Measure offline',
  'Measure online',
] as const;
/** Full as soon as such a line comes: a run that has begun, levels that were measured. */
const lines = [/^Run /, /^ +offline: batch size 1/, /^ +online: batch size 1/];
const atLines = (of: readonly RegExp[]): FullPoint[] =>
  of.map((line) => ({ line, pages: Math.floor(random() * 4) }));
/** Full at the end of a step: whoever writes next finds no room, or some pages. */
const moments = (of: readonly string[]): FullPoint[] => atLines(of.map((title) => new RegExp(`^✓ ${title}`)));

interface Trial {
  readonly title: string;
  program(): Promise<DiskProgram>;
  /** By what the home takes when the run is there, and at most. */
  points(first: number, most: number): FullPoint[];
}

/** A repository of some kilobytes: its disk fills little by little, in every step. */
const repositoryTrial: Trial = {
  title: 'a small model of a repository',
  async program() {
    const models = join(dir, 'models');
    await makeModels(home.path, models);
    return {
      argv: ['run', join(models, 'repository', 'normed'), ...levels],
      lasting: (path) =>
        path.startsWith('steps/configure/model-repository/') && !path.includes('__pycache__'),
    };
  },
  // The report takes the second half of it.
  points: (first, most) => [
    ...sizes(2, 4096, first),
    ...sizes(8, first, (first + most) / 2),
    ...sizes(2, (first + most) / 2, most),
    ...atLines(lines),
    ...moments(steps),
  ],
};

/** torch.save, the export to ONNX and TorchScript write megabytes. */
const folderTrial = (format: string): Trial => ({
  title: `a model folder as ${format}`,
  async program() {
    const model = join(dir, `model-${format}`);
    expect((await cli(home.path, 'init', model)).code).toBe(0);
    return {
      argv: [
        ...['run', model, '--trust', '--format', format, ...levels],
        // Megabytes of weights that nobody trains.
        ...['--set', 'model.args.hidden="150000"', '--set', 'model.args.steps="2"'],
        ...['--set', 'accuracy.thresholds.accuracy=0', '--set', 'accuracy.atol={"*":1}'],
      ],
      lasting: () => false,
    };
  },
  points: (first, most) => [...sizes(4, first, most), ...moments(['Deploy'])],
});

const trials = [repositoryTrial, ...['onnx', 'ts-trace', 'ts-script'].map(folderTrial)];

describe('a disk that is full', () => {
  it.each(trials)('holds up a run, by that reason, and loses nothing of it: $title', async (trial) => {
    const program = await trial.program();
    const { facts, usedBytes } = await undisturbedOn(program);
    expect(facts.levels).toHaveLength(3);
    const outcomes: FullOutcome[] = [];
    for (const point of trial.points(...usedBytes)) outcomes.push(await fillAt(program, point, facts));
    await judge(`full disks of a home during \`run\` on Triton, ${trial.title}`, outcomes);
  });
});
