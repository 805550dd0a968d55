import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { judgeAccuracy } from '../../accuracy/gate';
import { WorkbenchError } from '../../contract/errors';
import { whileServing } from '../../engine/while-serving';
import { outputComparisonSchema } from '../../contract/results';
import { runFiles } from '../../store/run-files';
import {
  inferFrameworkCommand,
  inferTritonCommand,
  metricsCommand,
  verifyCommand,
} from '../../toolkit/verb-commands';
import { codeHash, modelSource, readPrepared } from '../model-arguments';
import type { Step, StepContext } from '../step';

const inferred = z.looseObject({ samples: z.int() });
const measured = z.looseObject({ metrics: z.record(z.string(), z.number().nullable()), samples: z.int() });
const verified = z.looseObject({ outputs: z.array(outputComparisonSchema) });

async function metricsOf(
  context: StepContext,
  of: 'framework' | 'Triton',
  dataset: string,
  dump: string,
  csv: string,
) {
  const { run } = context;
  const listener = {
    ...context,
    fact: (name: string, value: string) => {
      context.fact(`${name}, ${of}`, value);
    },
  };
  return run.services.toolkit.call(metricsCommand(modelSource(run), dataset, dump, csv), measured, listener);
}

/** The same samples through the framework and through Triton: outputs compared, metrics of both, and the gate. */
export const accuracyStep: Step = {
  id: 'accuracy',
  kind: 'record',
  needs: ['images', 'deploy'],
  deadlineS: 1800,
  async inputs(run) {
    return { code: await codeHash(run), accuracy: run.spec.accuracy };
  },
  async run(context) {
    const { run, spec } = context;
    const { toolkit } = run.services;
    if (run.server === null) throw new WorkbenchError('server-gone', 'No Triton is running for this run');
    const prepared = await readPrepared(context);
    const source = modelSource(run);
    const files = runFiles(run.folder, spec);
    const { frameworkDump, tritonDump } = files;
    for (const dump of [frameworkDump, tritonDump]) await rm(dump, { recursive: true, force: true });
    context.log(['Answering the samples with the framework']);
    await toolkit.call(inferFrameworkCommand(source, prepared, frameworkDump), inferred, context);
    const { server } = run;
    const command = inferTritonCommand(source, prepared.dataset, server.forClients, tritonDump);
    context.log(['Answering the same samples with Triton']);
    const served = await whileServing(server, context.signal, 'while it answered the samples', (signal) =>
      toolkit.call(command, inferred, { ...context, signal }),
    );
    const { outputs } = await toolkit.call(verifyCommand(spec, frameworkDump, tritonDump), verified, context);
    // A model file has no metric of its own: its outputs alone are compared.
    const none = { metrics: {} };
    const measures = run.preset.preset.metrics.length > 0;
    const { dataset } = prepared;
    const framework = measures
      ? await metricsOf(context, 'framework', dataset, frameworkDump, files.frameworkMetrics)
      : none;
    const triton = measures
      ? await metricsOf(context, 'Triton', dataset, tritonDump, files.tritonMetrics)
      : none;
    const lowerIsBetter = new Set(
      run.preset.preset.metrics.filter(({ better }) => better === 'lower').map(({ name }) => name),
    );
    const result = judgeAccuracy(
      spec.accuracy,
      outputs,
      framework.metrics,
      triton.metrics,
      served.samples,
      lowerIsBetter,
    );
    await run.append({ type: 'accuracy', key: run.keys.accuracy, result });
    result.warnings.forEach(context.warning);
    context.log([
      `${result.passed ? 'The accuracy gate passed' : 'The accuracy gate did not pass'}: ${served.samples} samples`,
    ]);
    if (result.passed) return {};
    if (!spec.accuracy.allowUnverified && !run.state().gateOverridden) {
      return { gate: { reasons: result.reasons } };
    }
    context.warning('The accuracy gate did not pass; every result of this run is unverified.');
    return {};
  },
};
