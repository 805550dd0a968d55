import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { judgeAccuracy } from '../../accuracy/gate';
import { WorkbenchError } from '../../contract/errors';
import { outputComparisonSchema } from '../../contract/measured/results';
import type { ServerHandle } from '../../engine/engine';
import { whileServing } from '../../engine/while-serving';
import type { ToolkitCommand } from '../../toolkit/toolkit';
import {
  inferFrameworkCommand,
  inferTritonCommand,
  keepSamplesCommand,
  metricsCommand,
  verifyCommand,
} from '../../toolkit/verb-commands';
import { configuredTraits } from '../../triton/model-traits';
import { codeHash, filesOf, type ModelRun, modelSource } from '../model-arguments';
import type { Step, StepContext } from '../step';

const inferred = z.looseObject({ samples: z.int() });
const reference = inferred.extend({ device: z.string().max(200).optional() });
const measured = z.looseObject({ metrics: z.record(z.string(), z.number().nullable()), samples: z.int() });
const verified = z.looseObject({ outputs: z.array(outputComparisonSchema) });

/** Metrics only where the preset has some: of a model file the outputs alone are compared. */
function commandsOf(run: ModelRun, forClients: ServerHandle['forClients']) {
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

/** The same samples through the framework and through Triton: outputs compared, metrics of both, and the gate. */
export const accuracyStep: Step = {
  id: 'accuracy',
  kind: 'record',
  needs: ['images', 'deploy'],
  deadlineS: 1800,
  async inputs(run) {
    return { code: await codeHash(run), accuracy: run.spec.accuracy };
  },
  commands: (run) => Object.values(commandsOf(run, run.forClients)).filter((command) => command !== null),
  async run(context) {
    const { run, spec } = context;
    const { toolkit } = run.services;
    if (run.server === null) throw new WorkbenchError('server-gone', 'No Triton is running for this run');
    const { server } = run;
    const commands = commandsOf(run, server.forClients);
    const { frameworkDump, tritonDump, keptSamples } = filesOf(run);
    for (const dump of [frameworkDump, tritonDump, keptSamples]) {
      await rm(dump, { recursive: true, force: true });
    }
    context.log(['Running the samples through the framework']);
    const { device } = await toolkit.call(commands.framework, reference, context);
    context.log(['Running the same samples through Triton']);
    const served = await whileServing(server, context.signal, 'while it processed the samples', (signal) =>
      toolkit.call(commands.triton, inferred, { ...context, signal }),
    );
    const { outputs } = await toolkit.call(commands.verify, verified, context);
    // A deployment of this run is checked by them.
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
      served.samples,
      lowerIsBetter,
    );
    const result = { ...judged, ...(device === undefined ? {} : { referenceDevice: device }) };
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
