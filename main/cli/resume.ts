import type { Command } from 'commander';
import type { CliContext } from './context';
import { stepIds } from '../contract/run-events';
import { approveGiven } from './approve-given';
import type { ApproveOptions } from './approve-given';
import { readOneOf } from './read-one-of';
import { workOn } from './work';

interface ResumeOptions extends ApproveOptions {
  readonly from?: string;
  readonly allowUnverified?: boolean;
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
    .option(
      '--trust',
      'run from elsewhere: trust its files and the code of its model as they are now, approve the files and images it names',
    )
    .option('--allow-remote-load', 'allow load on another machine (engine remote)')
    .option('--verbose', 'show the log lines of the steps')
    .option('--json', 'one JSON document on stdout, people read stderr')
    .action(async (runId: string, options: ResumeOptions) => {
      const from = options.from === undefined ? undefined : readOneOf('--from', stepIds, options.from);
      const core = await context.core();
      if (options.trust === true) await core.trustRun(runId);
      const { verbose = false, allowUnverified } = options;
      if (options.trust === true || options.allowRemoteLoad === true) {
        await approveGiven(core, (await core.getRun(runId)).state.spec, options);
      }
      context.exit(await workOn(core, runId, context.output(options), { verbose, from, allowUnverified }));
    });
}
