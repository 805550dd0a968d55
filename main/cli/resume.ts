import type { Command } from 'commander';
import { stepIds } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import { readAssignment } from '../contract/run/upstream-variables';
import { mergeTrees, type Tree } from '../contract/trees';
import { stepTitleOf } from '../contract/words';
import type { Core } from '../core';
import type { CliContext } from './context';
import { collect } from './field-options';
import { exitCodes, type Output } from './output';
import { readHeaders, readOneOf, resolveRunId, runArgument } from './read-values';
import { changeLines, keptLines } from './run-progress';
import { approveGiven, type ApproveOptions, workOn } from './work';

interface ResumeOptions extends ApproveOptions {
  readonly set?: readonly string[];
  readonly dryRun?: boolean;
  readonly from?: string;
  readonly header?: readonly string[];
  readonly allowUnverified?: boolean;
  readonly skipPreflight?: boolean;
  readonly detach?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/** The run's specification with what the command changes of it; null: it changes nothing. */
async function changedSpec(core: Core, runId: string, options: ResumeOptions): Promise<RunSpec | null> {
  if (options.set === undefined) return null;
  const typed = options.set.map(readAssignment).reduce<Tree>(mergeTrees, {});
  const spec = await core.resolveChange(runId, typed);
  await approveGiven(core, spec, options, { typed });
  return spec;
}

/** Says what would be done, and does nothing. */
async function tellPlan(core: Core, runId: string, spec: RunSpec | null, output: Output): Promise<void> {
  const plan = await core.handlers['runs.planChange']({
    runId,
    spec: spec ?? (await core.getRun(runId)).state.spec,
  });
  if (output.json) output.document(plan);
  else for (const line of [...changeLines(plan, stepTitleOf), ...keptLines(plan)]) output.say(line);
}

/** `resume`: continues a run, also with a changed specification; what its journal has is not done again. */
export function addResume(program: Command, context: CliContext): void {
  program
    .command('resume')
    .description('Continue a failed, paused, cancelled or interrupted run, optionally with changes')
    .argument('<run>', runArgument)
    .option('--from <step>', `rerun this step and all that depend on it: ${stepIds.join(', ')}`)
    .option(
      '--set <KEY=VALUE>',
      'change a field of the specification, as for run, and rerun only what depends on it; repeatable',
      collect,
    )
    .option('--dry-run', 'with --set: list the steps to run and the measurements kept, and change nothing')
    .option(
      '-H, --header <NAME: value>',
      'for a run of perf with headers: their values, which are not saved; repeatable',
      collect,
    )
    .option('--allow-unverified', 'measure even if the accuracy gate does not pass; results are marked')
    .option('--skip-preflight', 'continue despite preflight problems (containers only); the run is marked')
    .option(
      '--trust',
      'trust the current files and model code of a run from another home, and approve the files, images, hosts and clusters it names',
    )
    .option('--allow-remote-load', 'allow load on another machine (remote engine)')
    .option('--detach', 'with a job (--engine slurm or kubernetes): submit it and return; the job continues')
    .option('--verbose', 'show the log of the steps')
    .option('--json', 'print one JSON document to stdout; messages go to stderr')
    .action(async (given: string, options: ResumeOptions) => {
      const from = options.from === undefined ? undefined : readOneOf('--from', stepIds, options.from);
      const output = context.output(options);
      const core = await context.core();
      const runId = await resolveRunId(core, given);
      if (options.trust === true) await core.trustRun(runId);
      const { verbose = false, detach, allowUnverified, skipPreflight } = options;
      const spec = await changedSpec(core, runId, options);
      if (options.dryRun === true) {
        await tellPlan(core, runId, spec, output);
        context.exit(exitCodes.done);
        return;
      }
      if (spec === null && (options.trust === true || options.allowRemoteLoad === true)) {
        await approveGiven(core, (await core.getRun(runId)).state.spec, options);
      }
      const headers = options.header === undefined ? undefined : readHeaders(options.header);
      const how = { headers, verbose, detach, from, allowUnverified, skipPreflight, spec: spec ?? undefined };
      context.exit(await workOn(core, runId, output, how));
    });
}
