import type { Command } from 'commander';
import type { CliContext } from './context';
import { workOn } from './work';

/** `resume`: goes on with a run; what stands in its journal is not done again. */
export function addResume(program: Command, context: CliContext): void {
  program
    .command('resume')
    .description('Go on with a run that failed, was cancelled or was interrupted')
    .argument('<run-id>')
    .option('--verbose', 'show the log lines of the steps')
    .option('--json', 'one JSON document on stdout, people read stderr')
    .action(async (runId: string, options: { verbose?: boolean; json?: boolean }) => {
      const core = await context.core();
      context.exit(await workOn(core, runId, context.output(options), options.verbose === true));
    });
}
