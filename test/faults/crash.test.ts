import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JournalEntry } from '../../main/contract/run-events';
import { createRandom } from '../../main/perf/random';
import { campaignSeed, howMany, tellRow } from '../support/campaign';
import { bundleChild } from '../support/child-program';
import { failpointsOf, runToFailpoint } from '../support/failpoints';
import type { Failpoint, TracedEnd } from '../support/failpoints';
import { repository } from '../support/home';
import { age, createdRun, factsOf, leftIn, lostEntries } from '../support/interrupted-run';
import type { RunFacts } from '../support/interrupted-run';

let dir = '';
let program = '';
let reference: RunFacts;
let failpoints: readonly Failpoint[] = [];
const resources = join(repository, 'resources');
const random = createRandom(campaignSeed);

/** Of a run whose steps only write files: all but what says when it was written. */
const lasting = (path: string) =>
  path.startsWith('steps/') && !path.endsWith('step.log') && !path.endsWith('measured.txt');

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(dir, 'home-'));
  await mkdir(join(home, 'runs'));
  return home;
}

const argv = (home: string, runId: string | null) => [
  program,
  home,
  resources,
  ...(runId === null ? [] : [runId]),
];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'crash-'));
  program = await bundleChild('fault-run', dir);
  const home = await newHome();
  const undisturbed = await failpointsOf(argv(home, null), process.env, join(dir, 'trace'));
  expect(undisturbed.end.stdout).toContain('end done');
  ({ failpoints } = undisturbed);
  reference = await factsOf(home, (await createdRun(home)) ?? '', lasting);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** What the program has told of before it was killed: this must last. */
const acknowledged = ({ stdout }: TracedEnd): JournalEntry[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => (line.startsWith('entry ') ? [JSON.parse(line.slice(6)) as JournalEntry] : []));

/** Kills a run at these failpoints, one after the other, and lets it come to its end then. */
async function interrupt(points: readonly Failpoint[]): Promise<{ kills: number; problems: string[] }> {
  const home = await newHome();
  const told: JournalEntry[] = [];
  let kills = 0;
  const known = async () => {
    const runId = await createdRun(home);
    if (runId === null && told.length > 0) throw new Error('a run that was told of is not there');
    return runId;
  };
  for (const point of points) {
    const end = await runToFailpoint(argv(home, await known()), process.env, point);
    told.push(...acknowledged(end));
    if (!end.killed) break;
    kills += 1;
  }
  // What was left by the dead is looked for by those who come later.
  await age(home);
  const last = await runToFailpoint(argv(home, await known()), process.env, {
    call: 'openat',
    nth: 2 ** 16 - 2,
  });
  told.push(...acknowledged(last));
  const runId = (await createdRun(home)) ?? '';
  const problems: string[] = [];
  if (!last.stdout.includes('end done'))
    problems.push(`it did not come to its end: ${last.stdout.slice(-300)}${last.stderr}`);
  else {
    const facts = await factsOf(home, runId, lasting);
    problems.push(...(await lostEntries(home, runId, told)));
    for (const name of ['levels', 'steps', 'files', 'reports'] as const) {
      const [is, was] = [JSON.stringify(facts[name]), JSON.stringify(reference[name])];
      if (is !== was) problems.push(`${name}: ${is} and not ${was}`);
    }
    problems.push(...(await leftIn(home)).map((name) => `left: ${name}`));
  }
  await rm(home, { recursive: true, force: true });
  return { kills, problems };
}

/** As many failpoints, of each system call about the same number, spread over the run. */
function spread(many: number): Failpoint[] {
  const calls = [...new Set(failpoints.map(({ call }) => call))];
  const chosen: Failpoint[] = [];
  for (const [index, call] of calls.entries()) {
    const all = failpoints.filter((one) => one.call === call);
    const wanted = Math.min(all.length, Math.ceil((many - chosen.length) / (calls.length - index)));
    // One of each stretch of the run, where in it the seed says.
    for (let at = 0; at < wanted; at += 1) {
      const one = all[Math.floor(((at + random()) * all.length) / wanted)];
      if (one !== undefined) chosen.push(one);
    }
  }
  return chosen;
}

interface Outcome {
  readonly kills: number;
  readonly problems: readonly string[];
}

/** A row for docs/reliability.md and the verdict. */
async function judge(what: string, outcomes: readonly Outcome[]): Promise<void> {
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  const kills = outcomes.reduce((sum, outcome) => sum + outcome.kills, 0);
  await tellRow({
    what,
    trials: kills,
    result: `${outcomes.length} runs: ${problems.length} records or files lost, doubled, other than without a kill, or left`,
  });
  expect(problems.slice(0, 20)).toEqual([]);
  expect(kills).toBeGreaterThan(0);
}

it('a run that is killed anywhere in its journal, store, cache and steps comes to the same end', async () => {
  const outcomes: Outcome[] = [];
  const chosen = spread(howMany(300, 8));
  for (const point of chosen) {
    const { kills, problems } = await interrupt([point]);
    outcomes.push({ kills, problems: problems.map((text) => `${point.call} ${point.nth}: ${text}`) });
  }
  await judge(
    'kill -9 of a run whose steps only write files, once each, at every kind of system call',
    outcomes,
  );
});

it('a run that is killed again and again comes to the same end', async () => {
  const outcomes: Outcome[] = [];
  for (let chain = 0; chain < howMany(30, 1); chain += 1) {
    const points = spread(40)
      .sort(() => random() - 0.5)
      .slice(0, howMany(10, 3));
    const { kills, problems } = await interrupt(points);
    const names = points.slice(0, kills).map(({ call, nth }) => `${call} ${nth}`);
    outcomes.push({ kills, problems: problems.map((text) => `${names.join(', ')}: ${text}`) });
  }
  await judge('kill -9 of a run whose steps only write files, up to ten times in a row', outcomes);
});
