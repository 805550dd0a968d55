import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { toWire, WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import { stepTitle } from '../contract/step-text';
import { linkedAbort } from '../platform/abort';
import { writeFileAtomic } from '../platform/files';
import { LogFile } from '../platform/log-file';
import { makeFolder } from '../platform/make-folder';
import { readPlainText } from '../platform/plain-entry';
import type { RunContext, Step, StepContext, StepOutcome } from './step';
import { createStepLog } from './step-log';

/** What a step reported, kept beside its files so that a cached step shows the same facts. */
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

/** The accuracy gate as an error: its reasons are the message. */
export const gateError = (gate: NonNullable<StepOutcome['gate']>): WorkbenchError =>
  new WorkbenchError('accuracy-below-threshold', gate.reasons.join('; '));

/**
 * Runs one attempt of a step under its deadline. `record` steps keep their folder between attempts:
 * what they measured stands in the journal.
 * Throws deadline-exceeded, cancelled (when the run's signal asked) or the step's own error.
 */
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
  const deadlineS = run.spec.deadlines[step.id] ?? step.deadlineS;
  const expiry = { reached: false };
  const timer = setTimeout(() => {
    expiry.reached = true;
    controller.abort();
  }, deadlineS * 1000);
  const report: StepReport = { facts: [], warnings: [], commands: [] };
  const log = createStepLog((lines) => {
    run.emit({ type: 'log', runId: run.runId, step: step.id, lines: logFile.add(lines) });
  });
  const context: StepContext = {
    run,
    spec: run.spec,
    dir,
    signal: controller.signal,
    log: log.lines,
    progress: (fraction, text) => {
      run.emit({ type: 'progress', runId: run.runId, step: step.id, fraction, text });
    },
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
