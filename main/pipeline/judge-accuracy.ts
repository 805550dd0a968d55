import { z } from 'zod';
import { batchesText, type ComparedBatch } from '../contract/measured/compared-batches';
import {
  type AccuracyResult,
  type OutputComparison,
  outputComparisonSchema,
} from '../contract/measured/results';
import { formatScale } from '../contract/numbers';
import type { AccuracySpec } from '../contract/run/run-spec';
import { largestOf } from '../domain/statistics';

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

/** Output of `verify` per batch size. */
export const verifiedBatchSchema = z.object({
  batchSize: z.int().min(1),
  /** Concurrent requests; absent: sequential. */
  gathered: z.int().min(1).optional(),
  /** Results agree with the framework's batch, but not with its single samples. */
  varies: z.boolean().optional(),
  outputs: z.array(outputComparisonSchema),
  /** Why nothing could be compared, such as other shapes. */
  failure: z.string().optional(),
});
export type VerifiedBatch = z.infer<typeof verifiedBatchSchema>;

/** @param executed batch sizes that Triton formed */
function comparedBatch(batch: VerifiedBatch, executed: readonly number[]): ComparedBatch {
  const { batchSize, gathered, outputs, failure } = batch;
  const differences = outputs.flatMap(({ maxAbsDiff }) => (maxAbsDiff === null ? [] : [maxAbsDiff]));
  const samples = outputs[0]?.sampleCount ?? 0;
  return {
    batchSize,
    ...(gathered === undefined ? {} : { gathered: [...executed] }),
    requestCount: gathered ?? Math.floor(samples / batchSize),
    maxAbsDiff: differences.length === 0 ? null : largestOf(differences),
    passed: failure === undefined && outputs.every(({ passed }) => passed),
  };
}

interface JudgedBatch {
  readonly verified: VerifiedBatch;
  readonly compared: ComparedBatch;
}

/** One sentence per mismatching output. */
function batchReasons(batches: readonly JudgedBatch[]): readonly string[] {
  const failures = batches.flatMap(({ verified: { failure }, compared }) =>
    failure === undefined ? [] : [`At ${batchesText([compared])}: ${failure}`],
  );
  const failed = batches.flatMap(({ verified, compared }) =>
    verified.outputs.filter(({ passed }) => !passed).map((output) => ({ output, compared })),
  );
  const names = [...new Set(failed.map(({ output }) => output.output))];
  const differing = names.flatMap((name) => {
    const own = failed.filter(({ output }) => output.output === name);
    const worst = own.reduce((a, b) => ((b.output.maxAbsDiff ?? 0) > (a.output.maxAbsDiff ?? 0) ? b : a));
    return [`At ${batchesText(own.map(({ compared }) => compared))}: ${outputReason(worst.output)}`];
  });
  return [...failures, ...differing];
}

const batchWarning =
  'The outputs for a single sample differ from those for the same sample in a batch, so with dynamic batching a response ' +
  'depends on the other requests. Set batching to static if that must not happen.';

/** Two evaluations of the framework, compared. */
export interface OwnChange {
  readonly outputs: readonly OutputComparison[];
  /** 'RandomNormal (node "noise")'; empty if unknown. */
  readonly operators: readonly string[];
}

/** For outputs of NaN, which never agree. */
function nanReason(outputs: readonly OutputComparison[]): string {
  const found = outputs.map(outputReason).join('; ');
  return (
    `The framework itself returns NaN, which cannot be compared: ${found}. The samples may be outside the range ` +
    'that the model accepts: give real ones with --dataset, or set the range of an input, --set model.args.ranges=INPUT:0:1'
  );
}

/** For nondeterministic models. */
function changeReason(outputs: readonly OutputComparison[], operators: readonly string[]): string {
  const by = outputs.map(({ output, maxAbsDiff }) => `${output} by up to ${digits(maxAbsDiff)}`).join(', ');
  const from = operators.length === 0 ? '' : ` Random operators: ${operators.join('; ')}.`;
  return (
    `The model's own outputs change from call to call, in the framework and with the same input: ${by}.${from} ` +
    'Such outputs cannot be compared with those of Triton. Export the model in evaluation mode (model.eval(), dropout with ' +
    'training=self.training), or make the random numbers an input of the model.'
  );
}

/** Reasons why the framework's own outputs cannot be compared; empty for deterministic models. */
function ownReasons({ outputs, operators }: OwnChange): readonly string[] {
  const failed = outputs.filter(({ passed }) => !passed);
  const withNan = failed.filter(({ nanCount }) => nanCount > 0);
  const changed = failed.filter(({ nanCount }) => nanCount === 0);
  return [
    ...(withNan.length === 0 ? [] : [nanReason(withNan)]),
    ...(changed.length === 0 ? [] : [changeReason(changed, operators)]),
  ];
}

/** Compares outputs and metrics against tolerances and thresholds. */
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
  const warnings = outputs.flatMap(outputWarnings);
  return { outputs: [...outputs], metrics, sampleCount, passed: reasons.length === 0, reasons, warnings };
}

function outputWarnings(output: OutputComparison): readonly string[] {
  const { output: name, atol, rtol, maxAbsDiff, maxRelDiff, vacuous, empty = false } = output;
  if (empty) {
    return [
      `${name} has no values in any sample, neither in the framework nor on Triton, so it was not compared`,
    ];
  }
  if (!vacuous) return [];
  return [
    `${name}: a tolerance of atol ${digits(atol)}, rtol ${digits(rtol)} cannot fail; ` +
      `observed: absolute ${digits(maxAbsDiff)}, relative ${digits(maxRelDiff)}`,
  ];
}

export function withBatches(
  result: AccuracyResult,
  verified: readonly VerifiedBatch[],
  executed: readonly number[],
): AccuracyResult {
  const judged = verified.map((batch) => ({ verified: batch, compared: comparedBatch(batch, executed) }));
  const batches = judged.map(({ compared }) => compared);
  const reasons = [...result.reasons, ...batchReasons(judged)];
  const varies = verified.some((batch) => batch.varies === true);
  return {
    ...result,
    batches,
    passed: reasons.length === 0,
    reasons,
    warnings: [...result.warnings, ...(varies ? [batchWarning] : [])],
  };
}

/** For a nondeterministic model, differences from Triton mean nothing and are replaced by the reasons. */
export function withOwnChange(result: AccuracyResult, change: OwnChange): AccuracyResult {
  const own = ownReasons(change);
  if (own.length === 0) return result;
  const ofMetrics = result.reasons.filter((other) =>
    result.metrics.some(({ name }) => other.startsWith(`${name}:`)),
  );
  return { ...result, reasons: [...own, ...ofMetrics] };
}
