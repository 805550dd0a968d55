import { isInJob } from '../contract/run/engine-kinds';
import type { RunState } from '../contract/run/run-state';
import { stepTitleOf } from '../contract/words';
import type { Core, ExecuteOptions } from '../core';
import { answerLines } from '../domain/measured/again';
import { isAllFaulty } from '../domain/measured/points';
import { runDocument } from './json/run-document';
import { exitCodes, type Output, progressOf } from './output';
import { formatError } from './print/format-error';
import { reportLines } from './print/report-lines';
import { createRunProgress } from './run-progress';

type Ended = Awaited<Awaited<ReturnType<Core['handlers']['runs.execute']>>['end']>;

interface WorkOptions extends ExecuteOptions {
  readonly verbose: boolean;
  /** Return once the run is handed to a job. */
  readonly detach?: boolean | undefined;
}

export const detachesJobs =
  '--detach has no effect: only a job (--engine slurm or kubernetes) continues without this command.';

export const cancelling = 'Cancelling. Press Ctrl-C again to quit immediately.';

export const beginLines = (runId: string, dir: string): readonly string[] => [`Run ${runId}`, `  in ${dir}`];

export const endLines = ({ outcome, error }: Ended, state: RunState, quiet: boolean): readonly string[] => [
  // The error that the journal does not have (a job that ended without its run) or that `quiet` hid.
  ...(error !== null && (state.error === null || quiet) ? [formatError(error)] : []),
  ...reportLines(state.reports),
  ...answerLines(state),
  ...(outcome === 'done' ? [] : [`To continue: triton-workbench resume ${state.runId}`]),
  ...(outcome === 'gate-failed'
    ? [`To measure anyway: triton-workbench resume ${state.runId} --allow-unverified`]
    : []),
];

/**
 * Executes a run with progress, and returns the exit code. The first Ctrl-C cancels (measured levels stay, `resume`
 * continues) or detaches from a job; the second ends the process at once.
 */
export async function workOn(
  core: Core,
  runId: string,
  output: Output,
  options: WorkOptions,
): Promise<number> {
  const { verbose, detach = false, ...how } = options;
  const onEvent = createRunProgress(progressOf(output), { verbose, titleOf: stepTitleOf });
  const stopListening = core.subscribe((event) => {
    // A matrix executes several runs at a time.
    if (!('runId' in event) || event.runId === runId) onEvent(event);
  });
  const isHandedOver = await core.handlers['jobs.isHandedOver']({ runId });
  let leave = (): void => undefined;
  const left = new Promise<null>((resolve) => {
    leave = () => resolve(null);
  });
  const dispose = listenForStops(core, {
    runIds: () => [runId],
    isHandedOver: () => isHandedOver,
    say: output.say,
    cancel: () => {
      output.say(cancelling);
      core.handlers['runs.cancel']({ runId }).catch(() => undefined);
    },
    // A run of this process is always awaited.
    leave: () => {
      if (isHandedOver) leave();
    },
  });
  try {
    const { dir } = await core.handlers['runs.show']({ runId });
    for (const line of beginLines(runId, dir)) output.say(line);
    if (detach && !isHandedOver) output.say(detachesJobs);
    const { end } = await core.handlers['runs.execute']({ runId, ...how });
    const ended = detach && isHandedOver ? null : await Promise.race([end, left]);
    if (ended === null) return await leftToJob(core, runId, output, detach);
    const { state } = await core.handlers['runs.show']({ runId });
    for (const line of endLines(ended, state, output.quiet === true)) output.say(line);
    if (output.json) output.document(runDocument(state, dir));
    return codeOf(ended, state);
  } finally {
    dispose();
    stopListening();
  }
}

/** The exit code of an ended run; never 2, which means that nothing was started. */
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

interface Stops {
  /** Runs active in this process, or followed by it. */
  readonly runIds: () => readonly string[];
  /** Jobs work on them, and continue without this process. */
  readonly isHandedOver: () => boolean;
  readonly say: (text: string) => void;
  readonly cancel: () => void;
  /** Stop waiting; start nothing further. */
  readonly leave: () => void;
}

/** Handles signals of terminal and scheduler. @returns the disposer */
export function listenForStops(
  core: Pick<Core, 'handlers'>,
  { runIds, isHandedOver, say, cancel, leave }: Stops,
  exit: (code: number) => void = (code) => process.exit(code),
): () => void {
  const asked = { times: 0, byScheduler: false };
  const isJob = isInJob(process.env);
  const ends = (when: 'soon' | 'now') => {
    for (const runId of runIds()) core.handlers['jobs.ends']({ runId, when }).catch(() => undefined);
  };
  const endOfJob = () => {
    if (!asked.byScheduler) {
      say('The scheduler ends this job.');
      ends('now');
      leave();
    }
    asked.byScheduler = true;
  };
  const stop = (signal: NodeJS.Signals) => {
    // Schedulers repeat the signal, and kill after a grace period: the journal is still written.
    if (isJob && !isHandedOver() && signal === 'SIGTERM') {
      endOfJob();
      return;
    }
    asked.times += 1;
    if (asked.times > 1) exit(exitCodes.cancelled);
    else if (isHandedOver()) leave();
    else cancel();
  };
  const limitIsNear = () => {
    if (isHandedOver()) return;
    say('The time limit of this job is near: the run pauses after the current level.');
    ends('soon');
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  if (isJob) process.on('SIGUSR2', limitIsNear);
  return () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    process.off('SIGUSR2', limitIsNear);
  };
}

async function leftToJob(core: Core, runId: string, output: Output, asked: boolean): Promise<number> {
  const { state, dir } = await core.handlers['runs.show']({ runId });
  output.say(`The job continues. To follow it: triton-workbench resume ${runId}`);
  output.say(`To cancel it: triton-workbench cancel ${runId}`);
  if (output.json) output.document(runDocument(state, dir));
  return asked ? exitCodes.done : exitCodes.cancelled;
}

export interface ApproveOptions {
  readonly trust?: boolean;
  readonly allowRemoteLoad?: boolean;
}
