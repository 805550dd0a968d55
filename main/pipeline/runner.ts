import { performance } from 'node:perf_hooks';
import { toWire, type WireError, WorkbenchError } from '../contract/errors';
import { type RunOutcome, scenarios } from '../contract/run/run-events';
import { stepTitle } from '../contract/words';
import { canonicalJson } from '../platform/files';
import type { ArtefactCache } from '../store/artefact-cache';
import { ReadContents } from '../store/file-manifest';
import { toHoldError } from './device-turn';
import { clearUnfinished, HoldError } from './hold';
import { stoppedEnd } from './jobs/job-stopping';
import { isUnchanged, plannedSteps, stepKey, stepKeys, stepsUntil, withDependents } from './plan';
import { gateError, runStep, type StepReport, stepReportSchema } from './run-step';
import type { RunContext, Step } from './step';
import { editedConfig, listStepFiles } from './step-files';

type StepEnd =
  | { readonly kind: 'on' }
  | { readonly kind: 'stop'; readonly outcome: RunOutcome; readonly error: WireError | null };

interface Attempt {
  readonly run: RunContext;
  readonly steps: readonly Step[];
  readonly cache: ArtefactCache;
  /** Cached file contents: a large model is read once per attempt. */
  readonly contents: ReadContents;
  /** Copies to the cache run beside later steps, except measuring ones. */
  readonly storing: Promise<void>[];
  /** An input that changed while its step ran, so that its result is undefined. */
  changed: { readonly step: Step; readonly error: WorkbenchError } | null;
}

const goOn: StepEnd = { kind: 'on' };
const paused: StepEnd = { kind: 'stop', outcome: 'paused', error: null };
const stop = (outcome: RunOutcome, error: unknown): StepEnd => ({
  kind: 'stop',
  outcome,
  error: toWire(error),
});

async function restored({ run, cache, contents }: Attempt, step: Step): Promise<boolean> {
  // A repeated step must not reuse its old files.
  if (step.kind !== 'files' || run.state().forgotten.includes(step.id)) return false;
  // Thousands of files take seconds.
  const text = 'Looking for files of an earlier run';
  run.emit({ type: 'progress', runId: run.runId, step: step.id, fraction: null, text });
  const found = await cache.restore(run.keys[step.id], run.folder.step(step.id), contents);
  if (found === null) return false;
  const key = run.keys[step.id];
  const attempt = run.state().attempt;
  const { facts, warnings, commands } = stepReportSchema.parse(found.report);
  await run.append({ type: 'step-started', step: step.id, attempt, key });
  const note = 'as run by the earlier run whose files are reused';
  for (const argv of commands) await run.append({ type: 'command', step: step.id, argv, note });
  const kept = await run.manifests.sealed(step.id, key, await listStepFiles(run, step, contents));
  await run.append({ type: 'step-finished', step: step.id, key, durationUs: 0, facts, warnings, ...kept });
  await run.append({ type: 'step-skipped', step: step.id, key, reason: 'cached' });
  return true;
}

/** Whether inputs of the step or its dependencies changed since it began. */
async function hasChanged({ run, steps }: Attempt, step: Step): Promise<boolean> {
  const read = steps.filter(({ id, kind }) => kind === 'files' && step.needs.includes(id));
  for (const one of [step, ...read]) {
    if (one !== step && one.writesInputs?.(run) === true) continue;
    if ((await stepKey(one, run, run.keys)) !== run.keys[one.id]) return true;
  }
  return false;
}

/** For other runs. Throws input-invalid if inputs changed meanwhile, which ends the run before its next step. */
async function keep(attempt: Attempt, step: Step, report: StepReport, signal: AbortSignal): Promise<void> {
  const { run, cache, contents } = attempt;
  const key = run.keys[step.id];
  const earlier = [...attempt.storing];
  // After a cancel nobody waits; the run has its files.
  if (signal.aborted) return;
  if (await hasChanged(attempt, step)) {
    const what = `The input files of "${stepTitle[step.id]}" changed while it ran`;
    const error = new WorkbenchError('input-invalid', what, {
      where: step.id,
      remedy: 'Resume the run once the files stop changing: the step runs again.',
    });
    attempt.changed ??= { step, error };
    throw error;
  }
  await Promise.all(earlier);
  // A failed copy for others must not end the run.
  await cache.store(key, run.folder.step(step.id), report, contents).catch((error: unknown) => {
    const lines = [`WARNING: Not cached for other runs: ${toWire(error).message}`];
    run.emit({ type: 'log', runId: run.runId, step: step.id, lines });
  });
}

const withoutDataset = (inputs: unknown): string =>
  canonicalJson({ ...(inputs as Readonly<Record<string, unknown>>), dataset: null });

/** Recomputes keys; true if a step may have written to its data set. @param before inputs at its start */
async function rekeyed({ run, steps }: Attempt, step: Step, before: unknown): Promise<boolean> {
  if (step.writesInputs?.(run) !== true) return false;
  if ((await stepKey(step, run, run.keys)) === run.keys[step.id]) return false;
  // Other changes are found when the step is stored.
  if (withoutDataset(before) !== withoutDataset(await step.inputs(run))) return false;
  run.keys = await stepKeys(steps, run);
  return true;
}

const isMeasuring = ({ id }: Step): boolean => scenarios.some((scenario) => scenario === id);

/** Missing levels fail the run after the report. */
const isHole = (step: Step, end: StepEnd): boolean =>
  end.kind === 'stop' &&
  end.outcome === 'failed' &&
  end.error?.code === 'measurement-failed' &&
  isMeasuring(step);

const allKept = ({ storing }: Attempt): Promise<StepEnd> =>
  Promise.all(storing).then(
    () => goOn,
    (error: unknown) => stop('failed', error),
  );

interface Tried {
  readonly step: Step;
  /** Inputs at the start of a step that may write to its data set. */
  readonly before: unknown;
  readonly durationUs: () => number;
}

async function stepEnded(
  attempt: Attempt,
  { step, before, durationUs }: Tried,
  { outcome, report }: Awaited<ReturnType<typeof runStep>>,
  signal: AbortSignal,
): Promise<StepEnd> {
  const { run, contents, storing } = attempt;
  if (outcome.paused === true) return paused;
  if (outcome.gate !== undefined) {
    const error = gateError(outcome.gate);
    await run.append({ type: 'step-failed', step: step.id, durationUs: durationUs(), error: toWire(error) });
    return stop('gate-failed', error);
  }
  const rewritten = await rekeyed(attempt, step, before);
  if (rewritten)
    report.warnings.push('The data set changed while it was prepared, so it is not cached for other runs.');
  const { facts, warnings } = report;
  const key = run.keys[step.id];
  const kept =
    step.kind === 'files'
      ? await run.manifests.sealed(step.id, key, await listStepFiles(run, step, contents))
      : {};
  await run.append({
    type: 'step-finished',
    step: step.id,
    key,
    durationUs: durationUs(),
    facts,
    warnings,
    ...kept,
  });
  if (step.kind === 'files' && !rewritten) {
    const stored = keep(attempt, step, report, signal);
    // Awaited later.
    stored.catch(() => undefined);
    storing.push(stored);
  }
  return goOn;
}

/** Throws HoldError for temporary obstacles. */
async function stepFailed(run: RunContext, { step, durationUs }: Tried, error: unknown): Promise<StepEnd> {
  const unfinished = step.kind === 'files' ? run.folder.step(step.id) : undefined;
  const end = await toHoldError(run, error, unfinished);
  if (end instanceof HoldError) {
    if (unfinished !== undefined && end.hold.wait.reason === 'disk') await clearUnfinished(unfinished);
    throw end;
  }
  await run.append({ type: 'step-failed', step: step.id, durationUs: durationUs(), error: toWire(error) });
  return stop('failed', error);
}

async function isStopped(run: RunContext, signal: AbortSignal): Promise<boolean> {
  return signal.aborted || (await run.isStopped?.(signal)) === true;
}

async function oneStep(attempt: Attempt, step: Step, signal: AbortSignal): Promise<StepEnd> {
  const { run } = attempt;
  if (await restored(attempt, step)) return goOn;
  for (let retriesLeft = step.retry?.times ?? 0; ; retriesLeft -= 1) {
    await run.append({
      type: 'step-started',
      step: step.id,
      attempt: run.state().attempt,
      key: run.keys[step.id],
    });
    const before = step.writesInputs?.(run) === true ? await step.inputs(run) : null;
    const started = performance.now();
    const durationUs = () => Math.round((performance.now() - started) * 1000);
    const tried = { step, before, durationUs };
    try {
      return await stepEnded(attempt, tried, await runStep(run, step, signal), signal);
    } catch (error) {
      if (await isStopped(run, signal)) {
        const end = await stoppedEnd(signal, `Cancelled during "${stepTitle[step.id]}"`);
        if (end.outcome === 'paused') return paused;
        await run.append({ type: 'step-cancelled', step: step.id, durationUs: durationUs() });
        return { kind: 'stop', ...end };
      }
      const end = await stepFailed(run, tried, error);
      if (retriesLeft <= 0 || step.retry?.codes.includes(toWire(error).code) !== true) return end;
      await step.undo?.(run, false);
    }
  }
}

/** Resources of entered steps, released in reverse order; sessions as soon as no remaining step needs them. */
class Held {
  private readonly entered: Step[] = [];
  private readonly givingBack: Promise<void>[] = [];

  constructor(private readonly run: RunContext) {}

  enter(step: Step): void {
    this.entered.push(step);
  }

  /** Stopping a server takes seconds, so it overlaps with later steps. */
  giveBackUnneeded(toCome: readonly Step[]): void {
    if (toCome.length === 0) return;
    for (const step of [...this.entered].reverse()) {
      if (step.kind !== 'session' || toCome.some(({ needs }) => needs.includes(step.id))) continue;
      this.entered.splice(this.entered.indexOf(step), 1);
      this.givingBack.push(this.release(step, false));
    }
  }

  /** @param leave see `Step.undo` */
  async giveBack(leave: boolean): Promise<void> {
    for (const step of this.entered.reverse()) await this.release(step, leave);
    await Promise.all(this.givingBack);
  }

  /** The next sweep ends what an unavailable engine keeps; that is not a failure. */
  private async release(step: Step, leave: boolean): Promise<void> {
    try {
      await step.undo?.(this.run, leave);
    } catch (error) {
      const lines = [`Not released: ${toWire(error).message}`];
      this.run.emit({ type: 'log', runId: this.run.runId, step: step.id, lines });
    }
  }
}

/** Reasons to stop before a step; null: none. */
async function stoppedBefore({ changed }: Attempt, step: Step, signal: AbortSignal): Promise<StepEnd | null> {
  if (signal.aborted) {
    return { kind: 'stop', ...(await stoppedEnd(signal, `Cancelled before "${stepTitle[step.id]}"`)) };
  }
  return changed === null ? null : stop('failed', changed.error);
}

/** Removes files of repeated steps, and their cache entries. */
async function removeForgotten({ run, steps, cache }: Attempt): Promise<void> {
  for (const { id, kind } of steps) {
    if (kind === 'files' && run.state().forgotten.includes(id)) await cache.remove(run.keys[id]);
  }
}

async function stepsInOrder(attempt: Attempt, held: Held, signal: AbortSignal): Promise<StepEnd> {
  const { run, steps } = attempt;
  let { keys } = run;
  let planned = plannedSteps(steps, run.state(), keys);
  const edited = (await editedConfig(run)) !== null;
  let failed: StepEnd = goOn;
  await removeForgotten(attempt);
  for (const [index, step] of steps.entries()) {
    const stopped = await stoppedBefore(attempt, step, signal);
    if (stopped !== null) return stopped;
    if (!planned.has(step.id)) {
      const reason = isUnchanged(step, run.state(), run.keys[step.id]) ? 'unchanged' : 'not-needed';
      await run.append({ type: 'step-skipped', step: step.id, key: run.keys[step.id], reason });
      continue;
    }
    if (run.pauseAsked()) return paused;
    held.enter(step);
    const kept = isMeasuring(step) ? await allKept(attempt) : goOn;
    const end = kept.kind === 'on' ? await oneStep(attempt, step, signal) : kept;
    if (end.kind === 'stop' && !isHole(step, end)) return end;
    if (failed.kind === 'on') failed = end;
    if (edited && step.id === 'configure') {
      const lines = ['The manual edit of config.pbtxt is lost: the file was written again.'];
      run.emit({ type: 'log', runId: run.runId, step: step.id, lines });
      run.keys = await stepKeys(steps, run);
    }
    if (run.keys !== keys) {
      ({ keys } = run);
      planned = plannedSteps(steps, run.state(), keys);
    }
    held.giveBackUnneeded(steps.slice(index + 1).filter(({ id }) => planned.has(id)));
  }
  const kept = await allKept(attempt);
  return kept.kind === 'on' ? failed : kept;
}

/**
 * Runs the steps in order up to `until`, skips unchanged ones, stops at a failure, and releases resources. Journals and
 * returns the outcome. Throws HoldError without an outcome; call it again afterwards.
 */
export async function runPipeline(
  run: RunContext,
  steps: readonly Step[],
  signal: AbortSignal,
  cache: ArtefactCache,
): Promise<{ readonly outcome: RunOutcome; readonly error: WireError | null }> {
  const held = new Held(run);
  const storing: Promise<void>[] = [];
  const due = stepsUntil(steps, run.until);
  const isPart = [...plannedSteps(steps, run.state(), run.keys)].some(
    (id) => !due.some((one) => one.id === id),
  );
  const attempt: Attempt = { run, steps: due, cache, contents: new ReadContents(), storing, changed: null };
  let end: StepEnd;
  let leave = false;
  try {
    end = await stepsInOrder(attempt, held, signal);
  } catch (error) {
    leave = error instanceof HoldError && error.hold.wait.reason === 'engine';
    throw error;
  } finally {
    await held.giveBack(leave);
    await Promise.allSettled(storing);
    // No step is active now: the affected results are repeated.
    if (attempt.changed !== null) {
      const forgotten = [...withDependents(steps, attempt.changed.step.id)];
      await run.append({ type: 'steps-forgotten', steps: forgotten });
    }
  }
  const behind = isPart ? 'paused' : 'done';
  const outcome = end.kind === 'on' ? behind : end.outcome;
  const error = end.kind === 'on' ? null : end.error;
  await run.append({ type: 'run-finished', outcome, ...(error === null ? {} : { error }) });
  return { outcome, error };
}
