import type { AccuracyResult, OutputComparison } from '../contract/measured/results';
import { formatScale } from '../contract/numbers';
import type { AccuracySpec } from '../contract/run/run-spec';

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
