import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { toWire, type WireError, WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import { hostOf } from '../contract/run/engine-kinds';
import type { RunSpec } from '../contract/run/run-spec';
import { stepTitle } from '../contract/words';
import { linkedAbort } from '../platform/abort';
import { makeFolder, writeFileAtomic } from '../platform/files';
import { LogFile } from '../platform/log-file';
import { readPlainText } from '../platform/plain-entry';
import type { RunContext, Step, StepContext, StepOutcome } from './step';

/** Timeout of transfers with another machine; a stalled transfer ends by itself. */
const transferS = 6 * 3600;

const isFar = (engine: RunSpec['engine']): boolean => hostOf(engine) !== undefined;

/** Last log lines that are compared with an error's evidence. */
const recentLines = 200;

interface StepLog {
  readonly lines: (lines: readonly string[]) => void;
  readonly fact: (name: string, value: string) => void;
  readonly warning: (text: string) => void;
  /** Logs why the step ended, without evidence that the log has already. */
  readonly failure: (error: WireError) => void;
}

/** Error lines for a log, without the remedy. */
export function failureLines(error: WireError, recent: readonly string[]): readonly string[] {
  const evidence = (error.details ?? '').split('\n').filter((line) => line.trim() !== '');
  const known = new Set(recent);
  const fresh = evidence.every((line) => known.has(line)) ? [] : evidence;
  const [first = '', ...rest] = error.message.split('\n');
  return [`ERROR: ${first}`, ...rest, ...(error.where === undefined ? [] : [`at ${error.where}`]), ...fresh];
}

function createStepLog(write: (lines: readonly string[]) => void): StepLog {
  let recent: string[] = [];
  const lines = (added: readonly string[]): void => {
    if (added.length === 0) return;
    recent = [...recent, ...added].slice(-recentLines);
    write(added);
  };
  return {
    lines,
    fact: (name, value) => lines([`${name}: ${value}`]),
    warning: (text) => lines([`WARNING: ${text}`]),
    failure: (error) => lines(failureLines(error, recent)),
  };
}

/** Report of a step, stored with its files for reuse from the cache. */
export const stepReportSchema = z.object({
  facts: z.array(z.object({ name: z.string(), value: z.string() })),
  warnings: z.array(z.string()),
  commands: z.array(z.array(z.string())),
});
export type StepReport = z.infer<typeof stepReportSchema>;

function readOutput(run: RunContext): StepContext['output'] {
  return async (step, schema) => {
    const path = run.folder.output(step);
    const text = await readPlainText(path, fileLimits.stepJson.bytes).catch((cause: unknown) => {
      if (cause instanceof WorkbenchError) throw cause;
      throw new WorkbenchError('internal', `The step "${step}" left no output`, { where: path, cause });
    });
    return schema.parse(JSON.parse(text));
  };
}

/** The reasons are the message. */
export const gateError = (gate: NonNullable<StepOutcome['gate']>): WorkbenchError =>
  new WorkbenchError('accuracy-below-threshold', gate.reasons.join('; '));

/** `record` steps keep their folder: their results are in the journal. Throws deadline-exceeded, cancelled. */
export async function runStep(
  run: RunContext,
  step: Step,
  signal: AbortSignal,
): Promise<{ readonly outcome: StepOutcome; readonly report: StepReport }> {
  const dir = run.folder.step(step.id);
  if (step.kind === 'files') await rm(dir, { recursive: true, force: true });
  await makeFolder(dir);
  const logFile = await LogFile.open(run.folder.log(step.id));
  const { controller, dispose } = linkedAbort(signal, run.away);
  const deadlineS = run.spec.deadlines[step.id] ?? step.deadlineS + (isFar(run.spec.engine) ? transferS : 0);
  const expiry = { reached: false };
  const timer = setTimeout(() => {
    expiry.reached = true;
    controller.abort();
  }, deadlineS * 1000);
  const report: StepReport = { facts: [], warnings: [], commands: [] };
  const log = createStepLog((lines) =>
    run.emit({ type: 'log', runId: run.runId, step: step.id, lines: logFile.add(lines) }),
  );
  const context: StepContext = {
    run,
    spec: run.spec,
    dir,
    signal: controller.signal,
    log: log.lines,
    progress: (fraction, text) =>
      run.emit({ type: 'progress', runId: run.runId, step: step.id, fraction, text }),
    fact: (name, value) => {
      report.facts.push({ name, value });
      log.fact(name, value);
    },
    warning: (text) => {
      report.warnings.push(text);
      log.warning(text);
    },
    command: (argv, note) => {
      report.commands.push([...argv]);
      return run.append({
        type: 'command',
        step: step.id,
        argv: [...argv],
        ...(note === undefined ? {} : { note }),
      });
    },
    output: readOutput(run),
  };
  try {
    const outcome = await step.run(context);
    if (outcome.output !== undefined) {
      await writeFileAtomic(run.folder.output(step.id), JSON.stringify(outcome.output, null, 2));
    }
    if (outcome.gate !== undefined) log.failure(toWire(gateError(outcome.gate)));
    return { outcome, report };
  } catch (error) {
    const said = expiry.reached
      ? new WorkbenchError('deadline-exceeded', `"${stepTitle[step.id]}" did not end within ${deadlineS} s`, {
          where: step.id,
          cause: error,
        })
      : signal.aborted
        ? new WorkbenchError('cancelled', 'The run was cancelled', { cause: error })
        : error;
    if (signal.aborted && !expiry.reached) log.lines(['Cancelled']);
    else log.failure(toWire(said));
    throw said;
  } finally {
    clearTimeout(timer);
    dispose();
    await logFile.close();
  }
}
