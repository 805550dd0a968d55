import { invalidInput, WorkbenchError } from '../../contract/errors';
import { formatBytes } from '../../contract/numbers';
import { type ReportChange, type ReportSection, reportSections } from '../../contract/run/report-settings';
import { cacheSize } from '../../contract/settings/storage';
import { present } from '../../contract/trees';
import type { CleanedHome, CleanPlan, CleanRequest, Core } from '../../core';
import { askToRemove, formatError, type Output, printText } from '../output';
import { readBudgetMs, readRunName, resolveRunId, runArgument, saySharedName } from '../read-values';
import type { Verb } from '../verb';

interface CleanOptions {
  readonly cache?: boolean;
  readonly trash?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

export function planLines({ cache, trash, runs, bytes }: CleanPlan): readonly string[] {
  return [
    ...(cache === null ? [] : [`Cache of exported models: ${cacheSize(cache)}`]),
    ...(trash === null
      ? []
      : [
          `Trash: ${counted(trash.runIds.length, 'run')}, ${formatBytes(trash.bytes)}; they cannot be restored`,
        ]),
    ...runs.map(({ runId, bytes }) => `Run ${runId}: ${formatBytes(bytes)}; it cannot be restored`),
    'Processes, containers and shared memory left behind by crashed sessions',
    `Frees ${formatBytes(bytes)}`,
  ];
}

function doneLines(done: CleanedHome): readonly string[] {
  const left = [
    [done.endedServers.length, 'server'],
    [done.endedChildren.length, 'other process'],
    [done.removedContainers.length, 'container'],
    [done.sharedMemoryFiles.length, 'shared memory file'],
  ] as const;
  return [
    ...left
      .filter(([count]) => count > 0)
      .map(([count, what]) => `Left behind by crashed sessions and removed: ${count} × ${what}`),
    ...done.emptiedRuns.map((runId) => `${runId} deleted from the trash`),
    ...done.removedRuns.map((runId) => `${runId} deleted`),
    `${formatBytes(done.freedBytes)} freed`,
  ];
}

async function requested(core: Core, given: readonly string[], options: CleanOptions): Promise<CleanRequest> {
  const runIds: string[] = [];
  for (const run of given) runIds.push(await resolveRunId(core, run));
  const { trash = false } = options;
  const { cache = !trash && runIds.length === 0 } = options;
  return { cache, trash, runIds: [...new Set(runIds)] };
}

async function clean(
  core: Core,
  output: Output,
  given: readonly string[],
  options: CleanOptions,
): Promise<void> {
  const { yes = false, dryRun = false } = options;
  const request = await requested(core, given, options);
  const plan = await core.handlers['upkeep.plan'](request);
  if (dryRun && output.json) output.document(plan);
  if (!output.json) for (const line of planLines(plan)) printText(`${line}\n`, dryRun ? 'stdout' : 'stderr');
  if (dryRun) return;
  if (!yes && !(await askToRemove(output, 'clean', 'add --dry-run to see only what it would remove'))) {
    output.say('Nothing was removed.');
    return;
  }
  const done = await core.handlers['upkeep.clean'](request);
  if (output.json) output.document(done);
  else for (const line of doneLines(done)) output.say(line);
}

export function addClean(program: Verb): void {
  program
    .command('clean')
    .description(
      'Remove the cache, the trash or single runs, and what crashed sessions left running; shows what and how much, and asks',
    )
    .argument('[run...]', 'runs to delete for good')
    .option('--cache', 'empty the cache of exported models; default without --trash and runs')
    .option('--trash', 'empty the trash')
    .option('-y, --yes', 'do not ask')
    .option('-n, --dry-run', 'show what would be removed, and remove nothing')
    .work(
      ({ core, output }, given: string[], options: CleanOptions) => clean(core, output, given, options),
      'print one JSON document to stdout; needs --yes or --dry-run',
    );
}

interface ReportOptions {
  readonly title?: string;
  readonly notes?: string;
  readonly logo?: string;
  readonly sections?: string;
  readonly without?: string;
  readonly p99BudgetMs?: number;
}

const names = reportSections.join(', ');

const addReportOptions = (command: Verb): Verb =>
  command
    .option('--title <text>', 'title of the report, saved with the run; "" removes it')
    .option('--notes <text>', 'what the reader should know, below the verdict; kept with the run')
    .option(
      '--logo <file>',
      'PNG, JPEG or SVG of at most 256 KiB at the head of every further report; "none" removes it',
    )
    .option('--sections <names>', `what every further report has: "all", or some of ${names}`)
    .option('--without <names>', 'what every further report leaves out, of the same names');

function readSections(text: string, option: string): readonly ReportSection[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => {
      const section = reportSections.find((known) => known === name);
      if (section !== undefined) return section;
      throw new WorkbenchError('input-invalid', `"${name}" is not a section of a report`, {
        where: option,
        remedy: `The sections are ${names}. The first page, problems and warnings are always there.`,
      });
    });
}

function leftOut({ sections, without }: ReportOptions): readonly ReportSection[] | undefined {
  if (sections !== undefined && without !== undefined) {
    throw new WorkbenchError('input-invalid', '--sections and --without say the same thing twice', {
      where: '--sections',
      remedy: 'Give one of them.',
    });
  }
  if (without !== undefined) return readSections(without, '--without');
  if (sections === undefined) return undefined;
  if (sections.trim() === 'all') return [];
  const kept = readSections(sections, '--sections');
  return reportSections.filter((section) => !kept.includes(section));
}

export function reportChangeOf(options: ReportOptions): ReportChange {
  const { title, notes, logo } = options;
  const without = leftOut(options);
  for (const [option, text, most] of [
    ['--title', title, 120],
    ['--notes', notes, 4000],
  ] as const) {
    if (text === undefined || text.length <= most) continue;
    throw invalidInput(option, `The text has ${text.length} characters`, `Use at most ${most}.`);
  }
  return {
    ...present({ title, notes, without }),
    ...(logo === undefined ? {} : { logo: logo === 'none' ? null : logo }),
  };
}

interface Stop {
  readonly verb: 'cancel' | 'pause';
  readonly description: string;
  readonly stop: (core: Core, runId: string) => Promise<null>;
  readonly said: (runId: string) => string;
}

const stops: readonly Stop[] = [
  {
    verb: 'cancel',
    description: 'Cancel a run, from any terminal',
    stop: (core, runId) => core.handlers['runs.cancel']({ runId }),
    said: (runId) => `Cancelling ${runId}.`,
  },
  {
    verb: 'pause',
    description: 'Stop a run before its next level or step, from any terminal; continue it with "resume"',
    stop: (core, runId) => core.handlers['runs.pause']({ runId }),
    said: (runId) => `Pausing ${runId} before its next level or step.`,
  },
];

function addStop(program: Verb, { verb, description, stop, said }: Stop): void {
  program
    .command(verb)
    .description(description)
    .argument('<run>', runArgument)
    .work(async ({ core, output }, given: string) => {
      const runId = await resolveRunId(core, given);
      await stop(core, runId);
      if (output.json) output.document({ runId, requested: true });
      else output.say(said(runId));
      const { status, error } = (await core.handlers['runs.show']({ runId })).state;
      // A remedy remains, for example for a cluster job that does not respond.
      if (status === 'cancelled' && error?.remedy !== undefined) output.say(formatError(error));
    });
}

function addReport(program: Verb): void {
  const report = program
    .command('report')
    .description('Write the reports of a run again from its journal, even if the run has not finished')
    .argument('<run>', runArgument)
    .option(
      '--p99-budget-ms <ms>',
      'p99 budget of the run, in milliseconds; saved with the run',
      readBudgetMs,
    );
  addReportOptions(report)
    .checking(reportChangeOf)
    .answer(async ({ core }, given: string, options: ReportOptions) => {
      const change = reportChangeOf(options);
      const runId = await resolveRunId(core, given);
      // Checked before the run is changed.
      if (typeof change.logo === 'string') await core.handlers['runs.checkLogo']({ path: change.logo });
      const { p99BudgetMs } = options;
      if (p99BudgetMs !== undefined) await core.handlers['runs.setBudget']({ runId, p99BudgetMs });
      const reports = await core.handlers['runs.writeReports']({ runId, change });
      return {
        document: { runId, reports },
        lines: () => reports.map(({ kind, path }) => `${kind}: ${path}`),
      };
    });
}

function addRename(program: Verb): void {
  program
    .command('rename')
    .description('Name a run; use the name wherever a command takes a run')
    .argument('<run>', runArgument)
    .argument('[name]', 'the new name; without it, the name is removed')
    .checking((_options, [, text]) => text !== undefined && readRunName(text))
    .work(async ({ core, output }, given: string, text: string | undefined) => {
      const name = text === undefined ? null : readRunName(text);
      const runId = await resolveRunId(core, given);
      await core.handlers['runs.rename']({ runId, name });
      if (output.json) output.document({ runId, name });
      else output.say(name === null ? `${runId} has no name now.` : `${runId} is now named "${name}".`);
      await saySharedName(core, output.say, runId, name);
    });
}

export function addUpkeep(program: Verb): void {
  for (const stop of stops) addStop(program, stop);
  addReport(program);
  addRename(program);
}
