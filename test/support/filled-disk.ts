import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalEntry } from '../../main/contract/run/run-events';
import { homeLayout } from '../../main/platform/layout';
import { parseJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import type { CliResult, CliRun } from './cli';
import { createdRun, entriesOf, factsOf, leftIn, lostEntries, type RunFacts } from './interrupted-run';
import { SmallDisk } from './small-disk';

/** A command that makes a run, on a disk with its home. */
export interface DiskProgram {
  readonly argv: readonly string[];
  /** Which of the files below the run folder a full disk must not change. */
  readonly lasting: (path: string) => boolean;
}

/** Where the disk is full: from the beginning of this size, or when a line comes, with so many pages left. */
export type FullPoint = { readonly sizeBytes: number } | { readonly line: RegExp; readonly pages: number };

export interface FullOutcome {
  readonly at: string;
  /** The step in which the disk was full, "before the run", or null where nothing failed. */
  readonly step: string | null;
  readonly problems: readonly string[];
}

/** Keeps a run that says nothing from holding up the others. */
const longestSilenceMs = 600_000;
const roomy = '2g';
const enough = '256m';
const waiting =
  /^Waiting for space on .*: at least .* must be free, .* are\.|^Waiting for space on .*: at least \d+ more files/;
/** What a run says that does not know why it failed. */
const wrongReasons = [/✗/, /internal error/i, /unexpected pos/, /cannot be used/, /toolkit command failed/i];

const undisturbedLine = /^Run /;

export interface UndisturbedRun {
  readonly facts: RunFacts;
  /** Used when the run was there, and at most. */
  readonly usedBytes: readonly [first: number, most: number];
}

/** The same run with room, and how its disk fills. */
export async function undisturbedOn({ argv, lasting }: DiskProgram): Promise<UndisturbedRun> {
  const disk = await SmallDisk.create(roomy);
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, disk.usedBytes());
  }, 20);
  try {
    const started = disk.cli(...argv);
    await started.line(undisturbedLine);
    const first = disk.usedBytes();
    const { code, stderr } = await started.result;
    if (code !== 0) throw new Error(`it does not run: ${stderr.slice(-2000)}`);
    return { facts: await factsOn(disk, lasting), usedBytes: [first, Math.max(most, disk.usedBytes())] };
  } finally {
    clearInterval(timer);
    await disk.remove();
  }
}

async function copied<T>(disk: SmallDisk, read: (home: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'disk-copy-'));
  try {
    await disk.copyTo(home);
    return await read(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const factsOn = (disk: SmallDisk, lasting: DiskProgram['lasting']): Promise<RunFacts> =>
  copied(disk, async (home) => factsOf(home, (await createdRun(home)) ?? '', lasting));

/** The journal as it is now, while the run waits. */
async function journalNow(disk: SmallDisk): Promise<readonly JournalEntry[]> {
  const runId = await createdRun(disk.seen);
  if (runId === null) return [];
  const { journal } = runFolder(join(homeLayout(disk.seen).runs, runId));
  return parseJournal(readFileSync(journal)).entries;
}

/** The step that was under way. */
function stepUnderWay(entries: readonly JournalEntry[]): string {
  let step = 'between steps';
  for (const entry of entries) {
    if (entry.type === 'step-started') ({ step } = entry);
    if (entry.type === 'step-finished') step = `after ${entry.step}`;
  }
  return entries.length === 0 ? 'before the run' : step;
}

interface Met {
  /** null: the disk was never full for it. */
  readonly step: string | null;
  readonly before: readonly JournalEntry[];
  readonly end: CliResult;
  readonly problems: readonly string[];
}

/** Lets the run go until it is held up or refused, and then on with room. */
async function meet(disk: SmallDisk, started: CliRun): Promise<Met> {
  const printed = started.line(waiting).then(
    () => 'held' as const,
    () => 'ended' as const,
  );
  const silent = new AbortController();
  const how = await Promise.race([
    printed,
    started.result.then(() => 'ended' as const),
    sleep(longestSilenceMs, 'silent' as const, { signal: silent.signal }),
  ]);
  silent.abort();
  if (how !== 'ended') {
    const before = await journalNow(disk);
    await disk.enlarge(roomy);
    const problems = how === 'silent' ? ['it neither ended nor said that it waits'] : [];
    return { step: stepUnderWay(before), before, end: await started.result, problems };
  }
  const end = await started.result;
  const before = await journalNow(disk);
  return { step: end.code === 0 ? null : stepUnderWay(before), before, end, problems: [] };
}

/** A command that the disk ended: its reason, and then once more with room. */
async function again(disk: SmallDisk, { argv }: DiskProgram, end: CliResult): Promise<[CliResult, string[]]> {
  const printed = `${end.stdout}\n${end.stderr}`;
  const problems = /disk-full|The disk is full|No space left/.test(printed)
    ? []
    : [`it ended with ${end.code}: ${printed.trim().slice(-600)}`];
  await disk.enlarge(roomy);
  const runId = await createdRun(disk.seen);
  const next = disk.cli(...(runId === null ? argv : ['resume', runId, '--json']));
  return [await next.result, problems];
}

function wrongEntries(entries: readonly JournalEntry[]): string[] {
  return entries.flatMap((entry) => {
    if (entry.type === 'step-failed')
      return [`${entry.step} failed: ${entry.error.code} ${entry.error.message}`];
    if (entry.type === 'run-waiting' && entry.for !== null && entry.reason !== 'disk')
      return [`it waited for ${entry.for}`];
    if (entry.type === 'run-finished' && entry.error !== undefined && entry.error.code !== 'disk-full')
      return [`it ended: ${entry.error.code} ${entry.error.message}`];
    return [];
  });
}

/** Fills the disk at that point, frees it, and compares with the run that nobody disturbed. */
export async function fillAt(
  program: DiskProgram,
  point: FullPoint,
  reference: RunFacts,
): Promise<FullOutcome> {
  const at =
    'sizeBytes' in point
      ? `a disk of ${point.sizeBytes} bytes`
      : `${point.pages} pages left at ${String(point.line)}`;
  const disk = await SmallDisk.create('sizeBytes' in point ? String(point.sizeBytes) : enough);
  try {
    const started = disk.cli(...program.argv);
    if ('line' in point) {
      await started.line(point.line);
      disk.fill(point.pages);
    }
    const { step, before, end, problems: silence } = await meet(disk, started);
    const [last, refused] = end.code === 0 ? [end, []] : await again(disk, program, end);
    const said = `${end.stderr}\n${last.stderr}`.split('\n');
    const problems = [
      ...silence,
      ...refused,
      ...said.filter((line) => wrongReasons.some((reason) => reason.test(line))),
      ...(last.code === 0 ? [] : [`it did not come to its end: ${last.stderr.slice(-600)}`]),
      ...(await copied(disk, (home) => judged(home, program, before, reference))),
    ];
    return { at, step, problems: problems.map((text) => `${at}, ${step ?? 'never full'}: ${text}`) };
  } finally {
    await disk.remove();
  }
}

/** What is other than in a run that nobody disturbed. */
async function judged(
  home: string,
  { lasting }: DiskProgram,
  before: readonly JournalEntry[],
  reference: RunFacts,
): Promise<readonly string[]> {
  const runId = await createdRun(home);
  if (runId === null) return ['there is no run'];
  const facts = await factsOf(home, runId, lasting);
  const problems = [
    ...(await lostEntries(home, runId, before)),
    ...wrongEntries(await entriesOf(home, runId)),
    ...(await leftIn(home)).map((name) => `left: ${name}`),
  ];
  for (const name of ['levels', 'steps', 'files', 'reports'] as const) {
    const [is, was] = [JSON.stringify(facts[name]), JSON.stringify(reference[name])];
    if (is !== was) problems.push(`${name}: ${is} and not ${was}`);
  }
  return problems;
}
