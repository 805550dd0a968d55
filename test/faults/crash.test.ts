import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../main/contract/run/run-events';
import { createRandom } from '../../main/domain/random';
import { campaignSeed, howMany, printRow } from '../support/campaign';
import { bundleChild } from '../support/child-program';
import { type Failpoint, failpointsOf } from '../support/failpoints';
import { createTestHome, repository } from '../support/home';
import {
  type ChainOutcome,
  interrupt,
  type InterruptedProgram,
  shuffled,
  spread,
} from '../support/interrupted-chain';
import { createdRun, factsOf, type RunFacts } from '../support/interrupted-run';
import { leftProcesses, leftSharedMemory } from '../support/left-processes';
import { makeModels } from '../support/made-models';

let dir = '';
const random = createRandom(campaignSeed);
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'crash-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** What a run that nobody disturbs comes to, and where it could have been killed. */
async function undisturbed(
  program: InterruptedProgram,
): Promise<{ reference: RunFacts; failpoints: readonly Failpoint[] }> {
  const home = await program.newHome();
  const { end, failpoints } = await failpointsOf(
    program.argv(home, null),
    program.env(home),
    join(dir, 'trace'),
  );
  expect(end.code, end.stderr).toBe(0);
  const reference = await factsOf(home, (await createdRun(home)) ?? '', program.lasting);
  await rm(home, { recursive: true, force: true });
  return { reference, failpoints };
}

/** A row for docs/reliability.md and the verdict. */
async function judge(what: string, outcomes: readonly ChainOutcome[]): Promise<void> {
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  const kills = outcomes.reduce((sum, outcome) => sum + outcome.kills, 0);
  await printRow({
    what,
    trials: kills,
    result: `${outcomes.length} runs: ${problems.length} records or files lost, duplicated, different from a run without kills, or left behind`,
  });
  expect(problems.slice(0, 20)).toEqual([]);
  expect(kills).toBeGreaterThan(0);
}

describe('a run whose steps only write files', () => {
  let program: InterruptedProgram;
  let usual: Awaited<ReturnType<typeof undisturbed>>;
  beforeAll(async () => {
    const file = await bundleChild('fault-run', dir);
    program = {
      newHome: async () => {
        const home = await mkdtemp(join(dir, 'home-'));
        await mkdir(join(home, 'runs'));
        return home;
      },
      argv: (home, runId) => [file, home, join(repository, 'resources'), ...(runId === null ? [] : [runId])],
      env: () => process.env,
      lasting: (path) =>
        path.startsWith('steps/') && !path.endsWith('step.log') && !path.endsWith('measured.txt'),
      entriesOf: ({ stdout }) =>
        stdout
          .split('\n')
          .slice(0, -1)
          .flatMap((line) => (line.startsWith('entry ') ? [JSON.parse(line.slice(6)) as JournalEntry] : [])),
      left: () => Promise.resolve([]),
    };
    usual = await undisturbed(program);
  });

  it('comes to the same end when it is killed anywhere in its journal, store, cache or steps', async () => {
    const outcomes: ChainOutcome[] = [];
    for (const point of spread(usual.failpoints, howMany(300, 5), random))
      outcomes.push(await interrupt(program, usual.reference, [point]));
    await judge(
      'kill -9 of a run whose steps only write files, once each, at every kind of system call',
      outcomes,
    );
  });

  it('comes to the same end when it is killed again and again', async () => {
    const outcomes: ChainOutcome[] = [];
    for (let chain = 0; chain < howMany(30, 1); chain += 1) {
      const points = shuffled(spread(usual.failpoints, 40, random), random);
      outcomes.push(await interrupt(program, usual.reference, points.slice(0, howMany(10, 3))));
    }
    await judge('kill -9 of a run whose steps only write files, up to ten times in a row', outcomes);
  });
});

describe('a run on Triton', () => {
  let program: InterruptedProgram;
  beforeAll(async () => {
    const models = join(dir, 'models');
    const cli = join(repository, 'out', 'main', 'cli.cjs');
    const sharedBefore = await readdir('/dev/shm');
    program = {
      newHome: async () => (await createTestHome()).path,
      argv: (_home, runId) =>
        runId === null
          ? [
              ...[cli, 'run', join(models, 'repository', 'normed'), '--profile', 'quick', '--json'],
              ...['--batch-sizes', '1,2,4', '--concurrency', '1,2', '--measurement-interval-ms', '100'],
              ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=0'],
            ]
          : [cli, 'resume', runId, '--json'],
      // Not with the defaults of whoever runs the test.
      env: (home) => ({
        ...process.env,
        TRITON_WORKBENCH_HOME: home,
        XDG_CONFIG_HOME: join(home, 'no-config'),
      }),
      lasting: (path) => path.startsWith('steps/configure/model-repository/'),
      entriesOf: () => [],
      left: async (home) => [...(await leftProcesses(home)), ...(await leftSharedMemory(sharedBefore))],
    };
    const home = await createTestHome(['python']);
    await makeModels(home.path, models);
    await home.remove();
  });

  it('comes to the same end when it is killed again and again, and nothing of it is left', async () => {
    const { reference, failpoints } = await undisturbed(program);
    expect(reference.levels).toHaveLength(5);
    const outcomes: ChainOutcome[] = [];
    const wanted = howMany(200, 2);
    for (let kills = 0; kills < wanted;) {
      const points = shuffled(spread(failpoints, 40, random), random);
      const outcome = await interrupt(program, reference, points.slice(0, Math.min(10, wanted - kills)));
      outcomes.push(outcome);
      kills += outcome.kills;
    }
    await judge(
      'kill -9 of `run` and `resume` with Triton, Python and load, up to ten times in a row',
      outcomes,
    );
    // Two hundred kills, each with the start of a Triton, take most of an hour.
  }, 14_400_000);
});
