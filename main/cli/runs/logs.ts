import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { WorkbenchError } from '../../contract/errors';
import { type StepId, stepIds } from '../../contract/run/run-events';
import { stepTitle } from '../../contract/words';
import type { Core } from '../../core';
import { type CliContext, type Output, untilReaderLeaves } from '../output';
import { mostLogLines, readOneOf, readTail, resolveRunId, runArgument } from '../read-values';

const pollMs = 500;

/** The lines of `now` that follow those of `before`, whose head may have been cut. */
export function linesSince(before: readonly string[], now: readonly string[]): readonly string[] {
  for (let shift = 0; shift < before.length; shift += 1) {
    const kept = before.length - shift;
    if (kept > now.length) continue;
    let at = 0;
    while (at < kept && before[shift + at] === now[at]) at += 1;
    if (at === kept) return now.slice(kept);
  }
  return now;
}

interface Followed {
  readonly core: Core;
  readonly output: Output;
  readonly runId: string;
  readonly steps: readonly StepId[];
  readonly limit: number;
}

/** Prints step logs as they grow; a step's heading is printed once. */
function createPrinter({ core, output, runId, steps, limit }: Followed): () => Promise<void> {
  const seen = new Map<StepId, readonly string[]>();
  let shown: StepId | null = null;
  return async () => {
    for (const step of steps) {
      const before = seen.get(step);
      const now = await core.handlers['runs.log']({ runId, step, limit: mostLogLines });
      seen.set(step, now);
      const lines = before === undefined ? now.slice(-limit) : linesSince(before, now);
      if (lines.length === 0) continue;
      if (steps.length > 1 && shown !== step) output.say(`== ${stepTitle[step]}`);
      shown = step;
      for (const line of lines) output.say(line);
    }
  };
}

interface LogOptions {
  readonly follow?: boolean;
  readonly tail?: number;
  readonly application?: boolean;
}

/** The application log. Throws input-invalid for both or neither of run and `--app`. */
async function printApplication(
  context: CliContext,
  given: string | undefined,
  { application = false, follow = false, tail: limit = mostLogLines }: LogOptions,
): Promise<void> {
  if (!application || given !== undefined || follow) {
    throw new WorkbenchError(
      'input-invalid',
      application ? '--application takes neither a run nor --follow' : 'No run given',
      {
        where: application ? '--application' : '[run]',
        remedy: 'Name a run, for example: logs latest; or use --application, optionally with --tail.',
      },
    );
  }
  const lines = await (await context.core()).handlers['support.log']({ limit });
  for (const line of lines) context.output({}).say(line);
}

export function addLogs(program: Command, context: CliContext): void {
  program
    .command('logs')
    .description('Print the logs of a run, of one step or of all, or the log of the application')
    .argument('[run]', runArgument)
    .argument('[step]', `step: ${stepIds.join(', ')}; default: all`)
    .option('-f, --follow', 'print new lines until the run ends')
    .option('--tail <lines>', 'last lines of each step; default: all', readTail)
    .option('--application', 'print the log of the window instead: starts, failed calls, runs, Docker')
    .action(async (given: string | undefined, named: string | undefined, options: LogOptions) => {
      if (given === undefined || options.application === true) {
        await printApplication(context, given, options);
        return;
      }
      const steps = named === undefined ? stepIds : [readOneOf('step', stepIds, named)];
      const { tail: limit = mostLogLines } = options;
      const core = await context.core();
      const runId = await resolveRunId(core, given);
      const isRunning = async () => (await core.handlers['runs.show']({ runId })).state.status === 'running';
      const print = createPrinter({ core, output: context.output({}), runId, steps, limit });
      // Checked before reading, so that lines written in between are not lost.
      let running = await isRunning();
      const reader = untilReaderLeaves();
      await print();
      while (options.follow === true && running && !reader.signal.aborted) {
        await delay(pollMs);
        running = await isRunning();
        await print();
      }
      reader.dispose();
    });
}
