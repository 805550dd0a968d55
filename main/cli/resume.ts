import type { Command } from 'commander';
import type { CliContext } from './context';
import { stepIds } from '../contract/run-events';
import { readOneOf } from './read-one-of';
import { workOn } from './work';

/** `resume`: goes on with a run; what stands in its journal is not done again. */
export function addResume(program: Command, context: CliContext): void {
  program
    .command('resume')
    .description('Go on with a run that failed, or was paused, cancelled or interrupted')
    .argument('<run-id>')
    .option('--from <step>', `do this step and all that need it again: ${stepIds.join(', ')}`)
    .option('--verbose', 'show the log lines of the steps')
    .option('--json', 'one JSON document on stdout, people read stderr')
    .action(async (runId: string, options: { from?: string; verbose?: boolean; json?: boolean }) => {
      const from = options.from === undefined ? undefined : readOneOf('--from', stepIds, options.from);
      const core = await context.core();
      context.exit(
        await workOn(core, runId, context.output(options), { verbose: options.verbose === true, from }),
      );
    });
}
