import type { Command } from 'commander';
import type { CliContext } from './context';
import { stepIds } from '../contract/run-events';
import { readOneOf } from './read-one-of';
import { workOn } from './work';

interface ResumeOptions {
  readonly from?: string;
  readonly allowUnverified?: boolean;
  readonly trust?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/** `resume`: continues a run; what is in its journal is not done again. */
export function addResume(program: Command, context: CliContext): void {
  program
    .command('resume')
    .description('Continue a run that failed, or was paused, cancelled or interrupted')
    .argument('<run-id>')
    .option('--from <step>', `do this step and all that need it again: ${stepIds.join(', ')}`)
    .option('--allow-unverified', 'measure even if the accuracy gate does not pass; results are marked')
    .option('--trust', 'run from elsewhere: trust its files as they are now, and continue it')
    .option('--verbose', 'show the log lines of the steps')
    .option('--json', 'one JSON document on stdout, people read stderr')
    .action(async (runId: string, options: ResumeOptions) => {
      const from = options.from === undefined ? undefined : readOneOf('--from', stepIds, options.from);
      const core = await context.core();
      if (options.trust === true) await core.trustRun(runId);
      const { verbose = false, allowUnverified } = options;
      context.exit(await workOn(core, runId, context.output(options), { verbose, from, allowUnverified }));
    });
}
