import { toWire } from '../../contract/errors';
import { stepTitleOf } from '../../contract/words';
import { exitCodeOf, exitCodes, formatError, type Output, progressOf } from '../output';
import { createRunProgress } from '../run-progress';
import { codeOf } from '../work';
import { type Ended, type PlannedRun, type Session, started } from './matrix-session';

/** What several jobs say at the same time, each line with the number of its run. */
const numbered = (output: Output, number: number): Output => ({
  ...progressOf(output),
  live: false,
  say: (text) => output.say(`[${number}] ${text.trimStart()}`),
});

interface Begun extends PlannedRun {
  readonly runId: string;
}

const notBegun = (run: PlannedRun): Ended => ({ ...run, code: exitCodes.cancelled });

/**
 * Creates the runs that are not there yet, until Ctrl-C. Never throws: what keeps one from its start is its result.
 */
async function created(session: Session, runs: readonly PlannedRun[]) {
  const begun: Begun[] = [];
  const refused: Ended[] = [];
  for (const run of runs) {
    if (session.stop.signal.aborted) {
      refused.push(notBegun(run));
      continue;
    }
    try {
      begun.push({ ...run, runId: await started(session, run) });
    } catch (cause) {
      const error = toWire(cause);
      session.output.say(formatError(error));
      refused.push({ ...run, error, code: exitCodeOf(error) });
    }
  }
  return { begun, refused };
}

async function followed(session: Session, run: Begun, left: Promise<null>): Promise<Ended> {
  const { core, output, options } = session;
  const { runId } = run;
  const tell = createRunProgress(numbered(output, run.number), {
    verbose: options.verbose === true,
    titleOf: stepTitleOf,
  });
  const stopListening = core.subscribe((event) => {
    if ('runId' in event && event.runId === runId) tell(event);
  });
  try {
    const end = await Promise.race([core.handlers['jobs.follow']({ runId }), left]);
    const { state } = await core.handlers['runs.show']({ runId });
    return { ...run, state, code: end === null ? exitCodes.cancelled : codeOf(end, state) };
  } finally {
    stopListening();
  }
}

/** Hands the runs to jobs, until Ctrl-C. @returns those that have a job, and the others */
async function handedOver(
  { core, output, name, stop }: Session,
  begun: readonly Begun[],
): Promise<{ readonly submitted: readonly Begun[]; readonly held: readonly Ended[] }> {
  const runIds = begun.map(({ runId }) => runId);
  if (!stop.signal.aborted) await core.handlers['jobs.submit']({ runIds, name, signal: stop.signal });
  const submitted: Begun[] = [];
  const held: Ended[] = [];
  for (const run of begun) {
    const { state } = await core.handlers['runs.show']({ runId: run.runId });
    const isLeft = stop.signal.aborted && state.status !== 'running';
    if (state.job === null || isLeft) held.push({ ...notBegun(run), state });
    else {
      submitted.push(run);
      output.say(`[${run.number}] ${run.runId}: job ${state.job.id}`);
    }
  }
  if (held.length > 0 && stop.signal.aborted) {
    output.say('Not every run was submitted. To submit the others, run the same command with --resume.');
  }
  return { submitted, held };
}

/** Resolves at Ctrl-C, also at one that came before: the jobs are left to themselves. */
function leaving(signal: AbortSignal): { readonly left: Promise<null>; readonly dispose: () => void } {
  let leave = (): void => undefined;
  const left = new Promise<null>((resolve) => {
    leave = () => resolve(null);
  });
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave);
  return {
    left,
    dispose: () => signal.removeEventListener('abort', leave),
  };
}

const isDue = ({ leftOut, error, state }: PlannedRun): boolean =>
  leftOut === null && error === null && state?.status !== 'done';

function notDue(run: PlannedRun): Ended {
  return { ...run, code: run.error === null ? exitCodes.done : exitCodeOf(run.error) };
}

/**
 * All runs that are due at the same time, as one array job where they ask for the same, and followed to their ends; a run
 * whose job is alive is only followed.
 * @returns null when nobody waits for them
 */
export async function workedOffAsJobs(
  session: Session,
  runs: readonly PlannedRun[],
): Promise<readonly Ended[] | null> {
  const { output, options, stop } = session;
  const { begun, refused } = await created(session, runs.filter(isDue));
  const { submitted, held } = await handedOver(session, begun);
  const { left, dispose } = leaving(stop.signal);
  try {
    const howToFollow = 'The jobs continue. To follow them, run the same command with --resume.';
    if (options.detach === true) {
      output.say(howToFollow);
      return null;
    }
    const ended = await stop.answeredBy(() =>
      Promise.all(submitted.map((run) => followed(session, run, left))),
    );
    if (ended.some(({ state }) => state?.status === 'running')) output.say(howToFollow);
    const all = [...ended, ...held, ...refused, ...runs.filter((run) => !isDue(run)).map(notDue)];
    return all.sort((one, other) => one.number - other.number);
  } finally {
    dispose();
  }
}
