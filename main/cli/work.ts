import { dirname, resolve } from 'node:path';
import { emptyReach, type Reached, reachOf } from '../contract/reach';
import { isInJob } from '../contract/run/engine-kinds';
import type { KnownParameters } from '../contract/run/run-source';
import type { RunState } from '../contract/run/run-state';
import { stepTitleOf } from '../contract/words';
import type { Core, ExecuteOptions } from '../core';
import { answerLines } from '../domain/measured/again';
import { isAllFaulty } from '../domain/measured/points';
import { exitCodes, formatError, type Output, progressOf } from './output';
import { createRunProgress, runDocument } from './run-progress';

type Ended = Awaited<Awaited<ReturnType<Core['handlers']['runs.execute']>>['end']>;

interface WorkOptions extends ExecuteOptions {
  readonly verbose: boolean;
  /** Of a run that is handed to a job: nobody waits for it. */
  readonly detach?: boolean | undefined;
}

/**
 * Works on a run to its end with progress for people, and gives the exit code.
 * The first Ctrl-C cancels (what was measured stays, `resume` continues), or leaves a job to itself; the second ends the
 * process at once.
 */
export async function workOn(
  core: Core,
  runId: string,
  output: Output,
  options: WorkOptions,
): Promise<number> {
  const { verbose, detach = false, ...how } = options;
  const tell = createRunProgress(progressOf(output), { verbose, titleOf: stepTitleOf });
  const stopListening = core.subscribe((event) => {
    // A matrix works on several at the same time.
    if (!('runId' in event) || event.runId === runId) tell(event);
  });
  const isHandedOver = await core.handlers['jobs.isHandedOver']({ runId });
  const stops = listenForStops(core, runId, output, isHandedOver);
  try {
    const { dir } = await core.handlers['runs.show']({ runId });
    output.say(`Run ${runId}`);
    output.say(`  in ${dir}`);
    const { end } = await core.handlers['runs.execute']({ runId, ...how });
    const ended = detach && isHandedOver ? null : await Promise.race([end, stops.left]);
    if (ended === null) return await leftToJob(core, runId, output, detach);
    const { outcome, error } = ended;
    const { state } = await core.handlers['runs.show']({ runId });
    // A job that ended without its run, or quiet: else the journal's own words of an error were shown as they came.
    if (error !== null && (state.error === null || output.quiet === true)) output.say(formatError(error));
    for (const report of state.reports) output.say(`  ${report.kind}: ${report.path}`);
    for (const line of answerLines(state)) output.say(line);
    if (outcome !== 'done') output.say(`To continue: triton-workbench resume ${runId}`);
    if (outcome === 'gate-failed') {
      output.say(`To measure anyway: triton-workbench resume ${runId} --allow-unverified`);
    }
    if (output.json) output.document(runDocument(state, dir));
    return codeOf(ended, state);
  } finally {
    stops.dispose();
    stopListening();
  }
}

/** The exit code of a run that ended so. 2 says that nothing was started, which is never so here. */
export function codeOf({ outcome }: Pick<Ended, 'outcome'>, state: RunState): number {
  switch (outcome) {
    case 'done':
      return isAllFaulty(state) ? exitCodes.noAnswer : exitCodes.done;
    case 'gate-failed':
      return exitCodes.gate;
    case 'paused':
      return exitCodes.paused;
    case 'cancelled':
      return exitCodes.cancelled;
    case 'failed':
      return exitCodes.failed;
  }
}

/** What a terminal and a scheduler ask of the process. `left` is null once nobody is to wait for the job any more. */
function listenForStops(core: Core, runId: string, output: Output, isHandedOver: boolean) {
  const asked = { times: 0, byScheduler: false };
  let leave = (): void => undefined;
  const left = new Promise<null>((resolve) => {
    leave = () => resolve(null);
  });
  const inJob = isInJob(process.env) && !isHandedOver;
  const endOfJob = () => {
    if (!asked.byScheduler) {
      output.say('The scheduler ends this job.');
      core.handlers['jobs.ends']({ runId, when: 'now' }).catch(() => undefined);
    }
    asked.byScheduler = true;
  };
  const stop = (signal: NodeJS.Signals) => {
    // It sends the signal more than once: the journal is still written, and what takes too long it kills itself.
    if (inJob && signal === 'SIGTERM') {
      endOfJob();
      return;
    }
    asked.times += 1;
    if (asked.times > 1) process.exit(exitCodes.cancelled);
    if (isHandedOver) {
      leave();
      return;
    }
    output.say('Cancelling. Press Ctrl-C again to quit immediately.');
    core.handlers['runs.cancel']({ runId }).catch(() => undefined);
  };
  const limitIsNear = () => {
    output.say('The time limit of this job is near: the run pauses after its level.');
    core.handlers['jobs.ends']({ runId, when: 'soon' }).catch(() => undefined);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  if (inJob) process.on('SIGUSR2', limitIsNear);
  return {
    left,
    dispose: () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      process.off('SIGUSR2', limitIsNear);
    },
  };
}

/** The job works on without anybody. */
async function leftToJob(core: Core, runId: string, output: Output, asked: boolean): Promise<number> {
  const { state, dir } = await core.handlers['runs.show']({ runId });
  output.say(`The job continues. To follow it: triton-workbench resume ${runId}`);
  output.say(`To cancel it: triton-workbench cancel ${runId}`);
  if (output.json) output.document(runDocument(state, dir));
  return asked ? exitCodes.done : exitCodes.cancelled;
}

/** What a person says on the command line about files, images, code and machines. */
export interface ApproveOptions {
  readonly trust?: boolean;
  readonly allowRemoteLoad?: boolean;
}

const isNamedIn =
  (typed: readonly Reached[]) =>
  ({ field, value }: Reached): boolean =>
    typed.some((one) => one.field === field && one.value === value);

/**
 * Keeps what the person who typed the command agreed to: what it names itself, files beside the one of `--spec`, all
 * that a specification reaches with `--trust`, and other machines with `--allow-remote-load` only.
 * @param input.typed the part of the specification that the command itself says; absent: none of it, as of a file or of a run
 * from elsewhere
 * @param input.specFile of `--spec`; "-" has no folder
 */
export async function approveGiven(
  core: Pick<Core, 'handlers'>,
  spec: KnownParameters,
  options: ApproveOptions,
  input: { readonly typed?: unknown; readonly specFile?: string | undefined } = {},
): Promise<void> {
  const { specFile } = input;
  if (specFile !== undefined && specFile !== '-') {
    await core.handlers['approvals.give']({ path: dirname(resolve(specFile)) });
  }
  const reach = reachOf(spec);
  const typed = input.typed === undefined ? emptyReach : reachOf(input.typed);
  const trusted = options.trust === true;
  await core.handlers['approvals.add']({
    paths: reach.paths.filter((reached) => trusted || isNamedIn(typed.paths)(reached)),
    images: reach.images.filter((reached) => trusted || isNamedIn(typed.images)(reached)),
    hosts: options.allowRemoteLoad === true ? reach.hosts : [],
    machines: reach.machines.filter((reached) => trusted || isNamedIn(typed.machines)(reached)),
  });
  const source = spec !== null && 'model' in spec ? spec.model.source : undefined;
  if (trusted && source !== undefined && source.kind !== 'onnx') {
    await core.handlers['models.trust']({ path: source.path, shapes: {}, datatypes: {} });
  }
}
