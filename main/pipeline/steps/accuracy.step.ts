import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { WorkbenchError } from '../../contract/errors';
import {
  type AccuracyResult,
  type OutputComparison,
  outputComparisonSchema,
} from '../../contract/measured/results';
import { formatScale } from '../../contract/numbers';
import type { AccuracySpec } from '../../contract/run/run-spec';
import type { ServerHandle } from '../../engine/engine';
import { whileServing } from '../../engine/serving';
import type { ToolkitCommand } from '../../toolkit/toolkit';
import {
  inferFrameworkCommand,
  inferTritonCommand,
  keepSamplesCommand,
  metricsCommand,
  verifyCommand,
} from '../../toolkit/verb-commands';
import { configuredTraits } from '../../triton/model-traits';
import { codeHash, filesOf, type ModelRun, modelSource } from '../serve-model';
import type { Step, StepContext } from '../step';

type Metrics = Readonly<Record<string, number | null>>;

const digits = (value: number | null): string => (value === null ? 'none' : formatScale(value));

function outputReason(output: OutputComparison): string {
  if (output.nanCount > 0 || output.infCount > 0) {
    return `${output.output}: ${output.nanCount} NaN and ${output.infCount} infinite values`;
  }
  if (output.otherLengths !== undefined && output.otherLengths > 0) {
    return (
      `${output.output}: ${output.otherLengths} of ${output.sampleCount} samples have another length on Triton; ` +
      `largest absolute difference of the others ${digits(output.maxAbsDiff)} (atol ${digits(output.atol)})`
    );
  }
  const share =
    (output.mismatchShare ?? 0) > (output.maxMismatch ?? 0) && (output.maxMismatch ?? 0) > 0
      ? `; a share of ${digits(output.mismatchShare ?? null)} is outside (allowed ${digits(output.maxMismatch ?? 0)})`
      : '';
  return (
    `${output.output}: largest absolute difference ${digits(output.maxAbsDiff)} ` +
    `(atol ${digits(output.atol)}), relative ${digits(output.maxRelDiff)} (rtol ${digits(output.rtol)})${share}`
  );
}

/** Pure: compared outputs and metrics of framework and Triton against the tolerances and thresholds. */
export function judgeAccuracy(
  spec: AccuracySpec,
  outputs: readonly OutputComparison[],
  framework: Metrics,
  triton: Metrics,
  sampleCount: number,
  lowerIsBetter: ReadonlySet<string> = new Set(),
): AccuracyResult {
  const reasons = outputs.filter((output) => !output.passed).map(outputReason);
  const names = [
    ...new Set([...Object.keys(framework), ...Object.keys(triton), ...Object.keys(spec.thresholds)]),
  ];
  const metrics = names.map((name) => {
    const before = framework[name] ?? null;
    const served = triton[name] ?? null;
    const threshold = spec.thresholds[name] ?? null;
    const failures: string[] = [];
    if (before === null || served === null) {
      failures.push(`${name}: no value from ${before === null ? 'the framework' : 'Triton'}`);
    } else if (!(Math.abs(before - served) <= spec.maxMetricDelta)) {
      failures.push(
        `${name}: ${digits(before)} in the framework, ${digits(served)} on Triton; ` +
          `they may differ by ${digits(spec.maxMetricDelta)}`,
      );
    }
    const lower = lowerIsBetter.has(name);
    if (threshold !== null && !(served !== null && (lower ? served <= threshold : served >= threshold))) {
      const side = lower ? 'above' : 'below';
      failures.push(`${name}: ${digits(served)} on Triton is ${side} the threshold ${digits(threshold)}`);
    }
    reasons.push(...failures);
    const passed = failures.length === 0;
    return {
      name,
      framework: before,
      triton: served,
      threshold,
      ...(lower ? { better: 'lower' as const } : {}),
      passed,
    };
  });
  if (sampleCount === 0) reasons.push('No sample was compared');
  const warnings = outputs
    .filter((output) => output.vacuous)
    .map(
      (output) =>
        `${output.output}: a tolerance of atol ${digits(output.atol)}, rtol ${digits(output.rtol)} cannot fail; ` +
        `observed: absolute ${digits(output.maxAbsDiff)}, relative ${digits(output.maxRelDiff)}`,
    );
  return { outputs: [...outputs], metrics, sampleCount, passed: reasons.length === 0, reasons, warnings };
}

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
