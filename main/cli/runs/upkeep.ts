import type { Command } from 'commander';
import type { Core } from '../../core';
import { type CliContext, jsonHelp, type JsonOption } from '../context';
import { formatError } from '../output';
import { readBudgetMs, readRunName, resolveRunId, runArgument } from '../read-values';
import { addReportOptions, reportChangeOf, type ReportOptions } from '../report/report-options';

interface Stop {
  readonly verb: 'cancel' | 'pause';
  readonly description: string;
  readonly stop: (core: Core, runId: string) => Promise<void>;
  readonly said: (runId: string) => string;
}

const stops: readonly Stop[] = [
  {
    verb: 'cancel',
    description: 'Cancel a run, from any terminal',
    stop: (core, runId) => core.cancelRun(runId),
    said: (runId) => `Cancelling ${runId}.`,
  },
  {
    verb: 'pause',
    description: 'Stop a run before its next level or step, from any terminal; continue it with "resume"',
    stop: (core, runId) => core.pauseRun(runId),
    said: (runId) => `Pausing ${runId} before its next level or step.`,
  },
];

function addStop(program: Command, context: CliContext, { verb, description, stop, said }: Stop): void {
  program
    .command(verb)
    .description(description)
    .argument('<run>', runArgument)
    .option('--json', jsonHelp)
    .action(async (given: string, options: JsonOption) => {
      const output = context.output(options);
      const core = await context.core();
      const runId = await resolveRunId(core, given);
      await stop(core, runId);
      if (output.json) output.document({ runId, requested: true });
      else output.say(said(runId));
      const { status, error } = (await core.getRun(runId)).state;
      // What is left to be done: a job of a cluster that does not respond.
      if (status === 'cancelled' && error?.remedy !== undefined) output.say(formatError(error));
    });
}

function addReport(program: Command, context: CliContext): void {
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
    .option('--json', jsonHelp)
    .action(
      async (given: string, options: JsonOption & ReportOptions & { readonly p99BudgetMs?: number }) => {
        const output = context.output(options);
        const change = reportChangeOf(options);
        const core = await context.core();
        const runId = await resolveRunId(core, given);
        // Before anything of the run is changed.
        if (typeof change.logo === 'string') await core.checkLogo(change.logo);
        if (options.p99BudgetMs !== undefined) await core.setBudget(runId, options.p99BudgetMs);
        const files = await core.writeReports(runId, change);
        if (output.json) output.document({ runId, reports: files });
        else for (const file of files) output.say(`${file.kind}: ${file.path}`);
      },
    );
}

function addRename(program: Command, context: CliContext): void {
  program
    .command('rename')
    .description('Name a run; use the name wherever a command takes a run')
    .argument('<run>', runArgument)
    .argument('[name]', 'the new name; without it, the name is removed')
    .option('--json', jsonHelp)
    .action(async (given: string, text: string | undefined, options: JsonOption) => {
      const output = context.output(options);
      const name = text === undefined ? null : readRunName(text);
      const core = await context.core();
      const runId = await resolveRunId(core, given);
      await core.handlers['runs.rename']({ runId, name });
      if (output.json) output.document({ runId, name });
      else output.say(name === null ? `${runId} has no name now.` : `${runId} is now named "${name}".`);
    });
}

/** The verbs that look after runs: cancel, pause, report, rename. */
export function addUpkeep(program: Command, context: CliContext): void {
  for (const stop of stops) addStop(program, context, stop);
  addReport(program, context);
  addRename(program, context);
}
