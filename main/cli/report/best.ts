import type { Command } from 'commander';
import { WorkbenchError } from '../../contract/errors';
import { bestDocument, bestOfRuns, budgetDocument } from '../../contract/measured/verdict';
import type { Core } from '../../core';
import { type CliContext, jsonHelp } from '../context';
import { readBudgetMs, readNumber, resolveRunId } from '../read-values';
import { budgetOf } from '../settings/settings';

interface BestOptions {
  readonly last: number;
  readonly p99BudgetMs?: number;
  readonly json?: boolean;
}

function readCount(text: string): number {
  const count = readNumber('--last', text);
  if (Number.isInteger(count) && count > 1) return count;
  throw new WorkbenchError('input-invalid', `"${text}" is not a number of runs`, {
    where: '--last',
    remedy: 'Use a whole number from 2 on.',
  });
}

/** The named runs, else the newest that have measured something. */
async function chosenRuns(core: Core, given: readonly string[], last: number): Promise<readonly string[]> {
  const runIds: string[] = [];
  for (const name of given) runIds.push(await resolveRunId(core, name));
  if (runIds.length > 0) return [...new Set(runIds)];
  const { runs } = await core.listRuns();
  return runs
    .filter(({ best }) => best !== null)
    .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
    .slice(0, last)
    .map(({ runId }) => runId);
}

/** `best`: which of several runs to choose, in the sentence that the window's Compare has. */
export function addBest(program: Command, context: CliContext): void {
  program
    .command('best')
    .description('Name the best of several runs and its level, within a p99 budget if one is given')
    .argument('[run...]', 'two or more; without any, the last runs that have measured something')
    .option('--last <count>', 'how many of the last runs', readCount, 5)
    .option('--p99-budget-ms <ms>', 'highest acceptable p99 latency, in milliseconds', readBudgetMs)
    .option('--json', jsonHelp)
    .action(async (given: string[], options: BestOptions) => {
      const output = context.output(options);
      const core = await context.core();
      const runIds = await chosenRuns(core, given, options.last);
      if (runIds.length < 2) {
        throw new WorkbenchError('input-invalid', 'At least two runs with a result are needed', {
          where: given.length === 0 ? 'the list of runs' : given.join(' '),
          remedy: 'The command "runs" lists them; "show" has the best level of one.',
        });
      }
      const budgetMs = (await budgetOf(core, options.p99BudgetMs)) ?? null;
      const runs = [];
      for (const runId of runIds) runs.push({ name: runId, state: (await core.getRun(runId)).state });
      const { index, sentence } = bestOfRuns(runs, budgetMs);
      if (!output.json) {
        output.say(sentence);
        return;
      }
      const state = index === null ? undefined : runs[index]?.state;
      output.document({
        runIds,
        p99BudgetMs: budgetMs,
        runId: state?.runId ?? null,
        best:
          state === undefined
            ? null
            : budgetMs === null
              ? bestDocument(state)
              : budgetDocument({ ...state, p99BudgetMs: budgetMs })?.best,
        text: sentence,
      });
    });
}
