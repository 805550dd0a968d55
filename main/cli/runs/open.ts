import type { Command } from 'commander';
import type { CliContext } from '../context';
import { resolveRunId, runArgument } from '../read-values';

/** Starts the window with these arguments, or brings the open one to the front. Throws engine-unavailable. */
export type OpenWindow = (args: readonly string[]) => Promise<void>;

/** `open`: a run in the window, which is started where none is open. */
export function addOpen(program: Command, context: CliContext, openWindow: OpenWindow): void {
  program
    .command('open')
    .description('Open the window, at a run if one is named')
    .argument('[run]', runArgument)
    .action(async (given: string | undefined) => {
      if (given === undefined) {
        await openWindow([]);
        return;
      }
      const core = await context.core();
      const runId = await resolveRunId(core, given);
      // Not a window that says so: here.
      await core.getRun(runId);
      await openWindow([`triton-workbench://run/${runId}`]);
      context.output({}).say(`Opening ${runId}`);
    });
}
