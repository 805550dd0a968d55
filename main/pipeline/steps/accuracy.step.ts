import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { toWire, WorkbenchError } from '../../contract/errors';
import { comparedAtText } from '../../contract/measured/compared-batches';
import { type AccuracyResult, outputComparisonSchema } from '../../contract/measured/results';
import { whileServing } from '../../engine/serving';
import { comparedBatches } from '../../toolkit/compared-batches';
import type { ToolkitCommand } from '../../toolkit/toolkit';
import {
  inferFrameworkCommand,
  inferTritonCommand,
  inferTwiceCommand,
  keepSamplesCommand,
  metricsCommand,
  verifyCommand,
  verifyTwiceCommand,
} from '../../toolkit/verb-commands';
import { configuredTraits } from '../../triton/model-traits';
import { judgeAccuracy, verifiedBatchSchema, withBatches, withOwnChange } from '../judge-accuracy';
import { againstGolden, goldenInputs } from '../judge-golden';
import { codeHash, filesOf, type ModelRun, modelSource } from '../serve-model';
import type { Step, StepContext } from '../step';

type Server = NonNullable<StepContext['run']['server']>;

/** `gathered`: batch sizes that Triton formed from concurrent requests. */
const served = z.looseObject({ samples: z.int(), gathered: z.array(z.int()) });
const inferred = z.looseObject({ samples: z.int() });
const reference = inferred.extend({ device: z.string().max(200).optional() });
const measured = z.looseObject({ metrics: z.record(z.string(), z.number().nullable()), samples: z.int() });
const verified = z.looseObject({
  outputs: z.array(outputComparisonSchema),
  batches: z.array(verifiedBatchSchema),
});
const twice = z.looseObject({ random: z.array(z.string()) });

/** Model files have no metrics, only outputs. */
function commandsOf(run: ModelRun, forClients: Server['forClients']) {
  const source = modelSource(run);
  const files = filesOf(run);
  const { dataset, frameworkDump, tritonDump, keptSamples } = files;
  const hasMetrics = run.preset.preset.metrics.length > 0;
  const metrics = (dump: string, csv: string) =>
    hasMetrics ? metricsCommand(source, dataset, dump, csv) : null;
  return {
    framework: inferFrameworkCommand(source, files, frameworkDump),
    triton: inferTritonCommand(source, dataset, forClients, tritonDump),
    verify: verifyCommand(run.spec, frameworkDump, tritonDump),
    samples: configuredTraits(run.spec.configure).sequences
      ? null
      : keepSamplesCommand(source, dataset, frameworkDump, keptSamples),
    frameworkMetrics: metrics(frameworkDump, files.frameworkMetrics),
    tritonMetrics: metrics(tritonDump, files.tritonMetrics),
  };
}

async function metricsOf(context: StepContext, of: 'framework' | 'Triton', command: ToolkitCommand | null) {
  if (command === null) return { metrics: {} };
  const { run } = context;
  const listener = {
    ...context,
    fact: (name: string, value: string) => {
      context.fact(`${name}, ${of}`, value);
    },
  };
  return run.services.toolkit.call(command, measured, listener);
}

/** Explains differences of a nondeterministic model. */
async function explained(context: StepContext, result: AccuracyResult): Promise<AccuracyResult> {
  const { run, spec } = context;
  const { twiceDump: dump } = filesOf(run);
  const isOutput =
    result.outputs.some(({ passed }) => !passed) || result.batches?.some(({ passed }) => !passed);
  if (isOutput !== true) return result;
  context.log(['Running some samples twice through the framework']);
  try {
    await rm(dump, { recursive: true, force: true });
    const { random } = await run.services.toolkit.call(
      inferTwiceCommand(modelSource(run), filesOf(run), dump),
      twice,
      context,
    );
    const { outputs } = await run.services.toolkit.call(verifyTwiceCommand(spec, dump), verified, {
      ...context,
      // The framework compared with itself is not a finding of the run.
      fact: () => undefined,
      warning: () => undefined,
    });
    return withOwnChange(result, { outputs, operators: random });
  } catch (error) {
    if (context.signal.aborted) throw error;
    // The result stands without it.
    context.log([`Whether the model repeats its own outputs could not be checked: ${toWire(error).message}`]);
    return result;
  } finally {
    await rm(dump, { recursive: true, force: true });
  }
}

/** Both dumps compared, and the metrics of both. */
async function againstFramework(context: StepContext, server: Server): Promise<AccuracyResult> {
  const { run, spec } = context;
  const { toolkit } = run.services;
  const commands = commandsOf(run, server.forClients);
  context.log(['Running the samples through the framework']);
  const { device } = await toolkit.call(commands.framework, reference, context);
  context.log(['Running the same samples through Triton']);
  const answered = await whileServing(server, context.signal, 'while it processed the samples', (signal) =>
    toolkit.call(commands.triton, served, { ...context, signal }),
  );
  const { outputs, batches } = await toolkit.call(commands.verify, verified, context);
  // Deployments of this run are checked with them.
  if (commands.samples !== null) await toolkit.call(commands.samples, inferred, context);
  const framework = await metricsOf(context, 'framework', commands.frameworkMetrics);
  const triton = await metricsOf(context, 'Triton', commands.tritonMetrics);
  const lowerIsBetter = new Set(
    run.preset.preset.metrics.filter(({ better }) => better === 'lower').map(({ name }) => name),
  );
  const judged = judgeAccuracy(
    spec.accuracy,
    outputs,
    framework.metrics,
    triton.metrics,
    answered.samples,
    lowerIsBetter,
  );
  const whole = await explained(context, withBatches(judged, batches, answered.gathered));
  return { ...whole, ...(device === undefined ? {} : { referenceDevice: device }) };
}

/** Compares outputs and metrics of framework, or a golden file, and Triton on the same samples. */
export const accuracyStep: Step = {
  id: 'accuracy',
  kind: 'record',
  needs: ['images', 'deploy'],
  deadlineS: 1800,
  async inputs(run) {
    const { accuracy } = run.spec;
    if (accuracy.golden !== undefined) return goldenInputs(accuracy, accuracy.golden);
    return { code: await codeHash(run), accuracy, compared: comparedBatches(run.spec) };
  },
  commands: (run) =>
    run.spec.accuracy.golden === undefined
      ? Object.values(commandsOf(run, run.forClients)).filter((command) => command !== null)
      : [],
  async run(context) {
    const { run, spec } = context;
    const { server } = run;
    if (server === null) throw new WorkbenchError('server-gone', 'No Triton is running for this run');
    const { frameworkDump, tritonDump, keptSamples } = filesOf(run);
    for (const dump of [frameworkDump, tritonDump, keptSamples]) {
      await rm(dump, { recursive: true, force: true });
    }
    const { golden } = spec.accuracy;
    const result = await (golden === undefined
      ? againstFramework(context, server)
      : againstGolden(context, server, golden));
    await run.append({ type: 'accuracy', key: run.keys.accuracy, result });
    result.warnings.forEach(context.warning);
    const at = comparedAtText(result.batches);
    context.log([
      `${result.passed ? 'The accuracy gate passed' : 'The accuracy gate did not pass'}: ${result.sampleCount} samples${at === null ? '' : `; compared at ${at}`}`,
    ]);
    if (result.passed) return {};
    if (!spec.accuracy.allowUnverified && !run.state().gateOverridden) {
      return { gate: { reasons: result.reasons } };
    }
    context.warning('The accuracy gate did not pass; every result of this run is marked “accuracy failed”.');
    return {};
  },
};
