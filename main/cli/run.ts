import type { Command } from 'commander';
import { deploymentIdPattern } from '../contract/deployment/deployment';
import { toWire, WorkbenchError } from '../contract/errors';
import { jobEngines } from '../contract/job/job-engines';
import { isHubReference, parseHubReference } from '../contract/own/hub';
import { inContainers, isProcess } from '../contract/run/engine-kinds';
import { type StepId, stepIds } from '../contract/run/run-events';
import { knownParameters, specOf } from '../contract/run/run-source';
import { repositoryOf, type RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import { readAssignment } from '../contract/run/upstream-variables';
import { mergeTrees, present, type Tree } from '../contract/trees';
import { stepTitleOf } from '../contract/words';
import type { Core } from '../core';
import { againLevelText, againTime, againTitle, requireAgain } from '../domain/measured/again';
import { deployRun } from './deployments';
import { collect } from './field-options';
import { type CliContext, exitCodes, type Output, printText } from './output';
import { formatError } from './print/format-error';
import { asksMatrix, type RunOptions } from './read-spec';
import {
  readBudgetMs,
  readHeaders,
  readOneOf,
  readRunName,
  resolveRunId,
  runArgument,
  saySharedName,
} from './read-values';
import { planLines } from './run-progress';
import { previewedSpec } from './runs/previewed-spec';
import { budgetOf } from './settings';
import { addSpecOptions, readChoice } from './spec-options';
import type { MatrixFlags } from './studies/study-spec';
import { runMatrix } from './study';
import type { Verb } from './verb';
import { type ApproveOptions, workOn } from './work';

const besideMessages = 'print one JSON document to stdout; messages go to stderr';

export function addRun(program: Command, context: CliContext): void {
  const run = program
    .command('run')
    .description('Run a deployment, from export to report')
    .argument(
      '[preset]',
      'preset id, for example resnet50, the path of your own model, or a model of the Hugging Face hub: hf:ORG/NAME',
    );
  addSpecOptions(run)
    .optionsGroup('Run:')
    .option(
      '--trust',
      'trust the current code of your own model, and approve the files, images, hosts and clusters that --spec names',
    )
    .option('-y, --yes', 'download a model of the Hugging Face hub without asking')
    .option('--allow-remote-load', 'allow load on another machine (--engine remote)')
    .option('--skip-preflight', 'start despite preflight problems (containers only); the run is marked')
    .option(
      '--p99-budget-ms <ms>',
      'p99 budget of the run, in milliseconds: the result names the best steady level within it and its headroom',
      readBudgetMs,
    )
    .option(
      '--keep-serving [deployment]',
      'keep serving the model after the run, as a deployment of this name',
    )
    .option('--name <name>', 'name of the run; use it wherever a command takes a run', readRunName)
    .option(
      '--hosts <names>',
      'with --matrix: spread its runs over these hosts (names separated by commas, local for this machine, or all), one run per host at a time',
    )
    .option('--resume', 'with --matrix: continue its incomplete runs, and keep the others')
    .option(
      '--out <dir>',
      'run folder, with --matrix the folder of its report; default: in the workbench home',
    )
    .option(
      '--detach',
      `with a job (--engine ${jobEngines.join(' or ')}): submit it and return; the job continues`,
    )
    .option('--verbose', 'show the log of the steps')
    .option('--json', besideMessages)
    .action(async (preset: string | undefined, options: RunOptions & RunFlags) => {
      const { checkOnly = false } = context;
      if (checkOnly && isCheckedLater(preset, options)) return;
      const core = await context.core();
      if (asksMatrix(options)) {
        if (options.name !== undefined) throw nameOfMatrix;
        context.exit(await runMatrix(core, preset, options, context.output(options)));
        return;
      }
      refuseMatrixOptions(options);
      const { typed, ...chosen } = await readChoice(core, preset, options);
      if (checkOnly) {
        await core.handlers['spec.resolve'](chosen);
        return;
      }
      const { quiet = false } = context.output(options);
      const spec = await previewedSpec(core, { chosen, typed }, options, quiet);
      if (options.keepServing !== undefined) await requireServable(core, spec, options.keepServing);
      const { trust, allowRemoteLoad } = options;
      await core.handlers['approvals.given']({ spec, trust, allowRemoteLoad, typed, file: options.spec });
      const { skipPreflight = false, verbose = false, detach, name: named } = options;
      const p99BudgetMs = await budgetOf(core, options.p99BudgetMs);
      const ofFile = options.spec !== undefined;
      const how = { skipPreflight, p99BudgetMs, name: named, ofFile };
      const { runId } = await core.handlers['runs.create']({ spec, out: options.out, ...how });
      const output = context.output(options);
      await saySharedName(core, output.say, runId, named);
      const code = await workOn(core, runId, output, { verbose, skipPreflight, detach });
      const keeps = code === exitCodes.done && options.keepServing !== undefined;
      const allowUnverified = repositoryOf(spec.model) !== null && spec.accuracy.allowUnverified;
      const wanted = { name: options.keepServing, allowUnverified };
      context.exit(keeps ? await keepServing(core, output, runId, wanted) : code);
    });
}

/** A matrix has many runs, standard input can be read only once, and the hub is asked by what is installed first. */
function isCheckedLater(preset: string | undefined, options: RunOptions & RunFlags): boolean {
  const isOfHub = preset !== undefined && isHubReference(preset);
  if (isOfHub) parseHubReference(preset);
  return isOfHub || options.spec === '-' || asksMatrix(options);
}

function refuseMatrixOptions({ resume, hosts }: RunFlags): void {
  if (resume === true) throw resumeAlone;
  if (hosts !== undefined) throw hostsAlone;
}

/** Fails before the run, not at its end. */
async function requireServable(
  core: Core,
  { engine, model, accuracy }: RunSpec,
  name: true | string,
): Promise<void> {
  const refused = (message: string, remedy: string): WorkbenchError =>
    new WorkbenchError('input-invalid', message, { where: '--keep-serving', remedy });
  if (!isProcess(engine) && !inContainers(engine)) {
    throw refused(
      'Only a run on this machine or a host can be kept serving',
      'Leave it out, and take the model to the other machine with "bundle".',
    );
  }
  if (repositoryOf(model) !== null && accuracy.golden === undefined && !accuracy.allowUnverified) {
    throw refused(
      'Without a golden file the outputs of the repository are not checked',
      'Add --golden FILE, or --allow-unverified to keep it serving anyway.',
    );
  }
  if (name === true) return;
  if (!deploymentIdPattern.test(name)) {
    throw refused(
      `"${name}" cannot be the name of a deployment`,
      'Use lower-case letters, digits and "-", with a letter or a digit first.',
    );
  }
  const { code } = await core.handlers['deployments.show']({ id: name }).then(
    () => ({ code: null }),
    (error: unknown) => toWire(error),
  );
  if (code === 'deployment-unknown') return;
  throw refused(
    `A deployment "${name}" already exists`,
    `Choose another name, or deploy the run when it is done: "deploy RUN --to ${name}".`,
  );
}

/** Deploys the model of a finished run. Does not return 2, which means that nothing was started. */
async function keepServing(
  core: Core,
  output: Output,
  runId: string,
  wanted: { readonly name: true | string | undefined; readonly allowUnverified: boolean },
): Promise<number> {
  try {
    const name = typeof wanted.name === 'string' ? wanted.name : undefined;
    const how = { ...present({ name }), ...(wanted.allowUnverified ? { allowUnverified: true } : {}) };
    const { id, httpUrl, grpcUrl, host } = await deployRun(core, output, runId, how);
    const on = host === null ? '' : ` on ${host}`;
    output.say(`${id} serves at ${httpUrl} and ${grpcUrl} (gRPC)${on}. Stop it with: deployments stop ${id}`);
    return exitCodes.done;
  } catch (error) {
    const wire = toWire(error);
    printText(`${formatError(wire)}\n`, 'stderr');
    return wire.code === 'cancelled' ? exitCodes.cancelled : exitCodes.failed;
  }
}

const resumeAlone = new WorkbenchError('input-invalid', '--resume applies only with --matrix', {
  where: '--resume',
  remedy: 'To continue one run: triton-workbench resume <run-id>',
});

const hostsAlone = new WorkbenchError('input-invalid', '--hosts applies only with --matrix', {
  where: '--hosts',
  remedy: 'To run on one host: --host <name>',
});

const nameOfMatrix = new WorkbenchError('input-invalid', '--name applies only to a single run', {
  where: '--name',
  remedy:
    'A matrix names its runs and tags each with the name of the matrix. Rename one of them with "rename".',
});

interface RunFlags extends MatrixFlags {
  readonly json?: boolean;
  readonly keepServing?: true | string;
  readonly name?: string;
}

interface ResumeOptions extends ApproveOptions {
  readonly set?: readonly string[];
  readonly dryRun?: boolean;
  readonly from?: string;
  readonly again?: boolean;
  readonly header?: readonly string[];
  readonly allowUnverified?: boolean;
  readonly skipPreflight?: boolean;
  readonly detach?: boolean;
  readonly verbose?: boolean;
}

/** The changed specification, or null without changes. */
async function changedSpec(core: Core, runId: string, options: ResumeOptions): Promise<RunSpec | null> {
  if (options.set === undefined) return null;
  const typed = options.set.map(readAssignment).reduce<Tree>(mergeTrees, {});
  const spec = await core.handlers['runs.changedSpec']({ runId, overrides: typed });
  const { trust, allowRemoteLoad } = options;
  await core.handlers['approvals.given']({ spec, trust, allowRemoteLoad, typed });
  return spec;
}

/** The step from which work is repeated. Throws input-invalid. */
const readStep = ({ from }: ResumeOptions): StepId | undefined =>
  from === undefined ? undefined : readOneOf('--from', stepIds, from);

/** Lists the levels to measure again, and for how long. Throws input-invalid if no level is in doubt. */
function printRemeasured(state: RunState, output: Output): void {
  const again = requireAgain(state);
  if (output.json) {
    output.document(again);
    return;
  }
  output.say(`${againTitle(again)} (${againTime(again)}):`);
  for (const level of again.levels) output.say(`  ${againLevelText(level)}`);
}

/** Dry run. */
async function printPlan(
  core: Core,
  runId: string,
  {
    spec,
    from,
    again: asked,
  }: { readonly spec: RunSpec | null; readonly from: StepId | undefined; readonly again: boolean },
  output: Output,
): Promise<void> {
  const { 'runs.planChange': planChange, 'runs.planRerun': planRerun } = core.handlers;
  const { state } = await core.handlers['runs.show']({ runId });
  if (asked) {
    printRemeasured(state, output);
    return;
  }
  const known = spec ?? specOf(state);
  if (known === null) {
    // Throws the reason why nothing can be planned.
    await planRerun({ runId });
    return;
  }
  const plan = await planChange({ runId, spec: known });
  const again = from === undefined ? [] : await planRerun({ runId, step: from });
  const left = plan.changed.length > 0 ? plan.steps : await planRerun({ runId });
  const keptLevels = plan.keptLevels.filter(({ scenario }) => !again.includes(scenario));
  const whole = {
    ...plan,
    steps: stepIds.filter((id) => left.includes(id) || again.includes(id)),
    ...(keptLevels.length === plan.keptLevels.length ? {} : { keptLevels, kept: keptLevels.length }),
  };
  if (output.json) output.document(whole);
  else for (const line of planLines(whole, stepTitleOf, spec !== null)) output.say(line);
}

export function addResume(program: Verb): void {
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
    .option('--again', 'measure inconclusive levels (not steady, p99 uncertain) again, in longer windows')
    .option('--dry-run', 'list the steps to run and the measurements kept, and change nothing')
    .option(
      '-H, --header <NAME: value>',
      'for a run of perf with headers: their values, which are not saved; repeatable',
      collect,
    )
    .option('--allow-unverified', 'measure even if the accuracy gate does not pass; results are marked')
    .option(
      '--skip-preflight',
      'continue despite preflight problems (containers only); those skipped before stay skipped',
    )
    .option(
      '--trust',
      'trust the current files and model code of a run from another home, and approve the files, images, hosts and clusters it names',
    )
    .option('--allow-remote-load', 'allow load on another machine (remote engine)')
    .option(
      '--detach',
      `with a job (--engine ${jobEngines.join(' or ')}): submit it and return; the job continues`,
    )
    .option('--verbose', 'show the log of the steps')
    .checking(readStep)
    .work(async ({ core, output, exit }, given: string, options: ResumeOptions) => {
      const from = readStep(options);
      const runId = await resolveRunId(core, given);
      if (options.trust === true) await core.handlers['runs.trust']({ runId });
      const { verbose = false, detach, again = false, allowUnverified, skipPreflight } = options;
      const spec = await changedSpec(core, runId, options);
      if (options.dryRun === true) {
        await printPlan(core, runId, { spec, from, again }, output);
        exit(exitCodes.done);
        return;
      }
      if (spec === null && (options.trust === true || options.allowRemoteLoad === true)) {
        const { trust, allowRemoteLoad } = options;
        const { state } = await core.handlers['runs.show']({ runId });
        await core.handlers['approvals.given']({ spec: knownParameters(state), trust, allowRemoteLoad });
      }
      const headers = options.header === undefined ? undefined : readHeaders(options.header);
      const how = {
        headers,
        verbose,
        detach,
        from,
        again,
        allowUnverified,
        skipPreflight,
        spec: spec ?? undefined,
      };
      exit(await workOn(core, runId, output, how));
    }, besideMessages);
}
