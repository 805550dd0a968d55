import { rm } from 'node:fs/promises';
import type { JournalEntry } from '../../main/contract/run/run-events';
import { type Failpoint, runToEnd, runToFailpoint, type TracedEnd } from './failpoints';
import { age, createdRun, entriesOf, factsOf, leftIn, lostEntries, type RunFacts } from './interrupted-run';

/** A program that works on one run in one home. */
export interface InterruptedProgram {
  newHome(): Promise<string>;
  /** To begin with a run, or to go on with it. */
  argv(home: string, runId: string | null): readonly string[];
  env(home: string): NodeJS.ProcessEnv;
  /** Which of the files below the run folder an interruption must not change. */
  readonly lasting: (path: string) => boolean;
  /** Records that the program has printed. */
  entriesOf(end: TracedEnd): readonly JournalEntry[];
  /** What it leaves outside of its home. */
  readonly left: (home: string) => Promise<readonly string[]>;
}

export interface ChainOutcome {
  readonly kills: number;
  /** Each with the failpoints that led to it. */
  readonly problems: readonly string[];
}

/** What is other than in a run that nobody killed. */
async function judged(
  { lasting, left }: InterruptedProgram,
  home: string,
  printed: readonly JournalEntry[],
  reference: RunFacts,
): Promise<readonly string[]> {
  const runId = (await createdRun(home)) ?? '';
  const facts = await factsOf(home, runId, lasting);
  const problems = [...(await lostEntries(home, runId, printed))];
  for (const name of ['levels', 'steps', 'files', 'reports'] as const) {
    const [is, was] = [JSON.stringify(facts[name]), JSON.stringify(reference[name])];
    if (is !== was) problems.push(`${name}: ${is} and not ${was}`);
  }
  const rest = [...(await leftIn(home)), ...(await left(home))];
  return [...problems, ...rest.map((name) => `left: ${name}`)];
}

/** Kills a run at these failpoints, one after the other, and lets it come to its end then. */
export async function interrupt(
  program: InterruptedProgram,
  reference: RunFacts,
  points: readonly Failpoint[],
): Promise<ChainOutcome> {
  const home = await program.newHome();
  const env = program.env(home);
  const printed = new Map<number, JournalEntry>();
  const killedAt: string[] = [];
  const next = async () => program.argv(home, await createdRun(home));
  for (const point of points) {
    const end = await runToFailpoint(await next(), env, point);
    for (const entry of program.entriesOf(end)) printed.set(entry.seq, entry);
    if (!end.killed) break;
    killedAt.push(`${point.call} ${point.nth}`);
    const runId = await createdRun(home);
    // What stands there has been on disk: it stays, whether it was told or not.
    for (const entry of runId === null ? [] : await entriesOf(home, runId)) {
      if (!printed.has(entry.seq)) printed.set(entry.seq, entry);
    }
  }
  // What the dead left is looked for by those who come later.
  await age(home);
  const last = await runToEnd(await next(), env);
  for (const entry of program.entriesOf(last)) printed.set(entry.seq, entry);
  const problems =
    last.code === 0
      ? await judged(program, home, [...printed.values()], reference)
      : [`it did not come to its end: ${last.stdout.slice(-300)} ${last.stderr.slice(-600)}`];
  await rm(home, { recursive: true, force: true });
  return { kills: killedAt.length, problems: problems.map((text) => `${killedAt.join(', ')}: ${text}`) };
}

/** As many failpoints, of each system call about the same number, spread over the run. */
export function spread(failpoints: readonly Failpoint[], many: number, random: () => number): Failpoint[] {
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

/** The same in an order that the seed decides. */
export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}
