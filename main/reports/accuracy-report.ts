import { allowanceText } from '../contract/allowance-text';
import { thresholdSign } from '../contract/metric-bound';
import type { MetricTitles } from '../contract/metric-title';
import { metricTitle } from '../contract/metric-title';
import { formatCount, formatMetric, formatScale, missing } from '../contract/numbers';
import type { OutputComparison } from '../contract/results';
import type { RunState } from '../contract/run-state';
import type { ReportAccuracy } from './report';

const exceptFor = (share = 0): string => (share === 0 ? '' : `, all but ${formatScale(share * 100)} %`);

function usedOf(output: OutputComparison): string {
  const used = allowanceText(output);
  return used === null ? '' : `; worst value uses ${used}`;
}

export function accuracyReport(state: RunState, titles: MetricTitles): ReportAccuracy | null {
  const result = state.accuracy?.result;
  if (result === undefined) return null;
  return {
    passed: result.passed,
    sampleCount: formatCount(result.sampleCount),
    outputs: result.outputs.map((output) => ({
      output: output.output,
      maxAbsDiff: formatScale(output.maxAbsDiff),
      maxRelDiff: formatScale(output.maxRelDiff),
      tolerance: `${formatScale(output.atol)} + ${formatScale(output.rtol)} · |reference|${exceptFor(output.maxMismatch)}${usedOf(output)}`,
      allowanceUsed: allowanceText(output),
      nanCount: formatCount(output.nanCount),
      infCount: formatCount(output.infCount),
      worstSample: output.worstSample ?? missing,
      sampleCount: formatCount(output.sampleCount),
      otherLengths: output.otherLengths === undefined ? null : formatCount(output.otherLengths),
      passed: output.passed,
      vacuous: output.vacuous,
    })),
    metrics: result.metrics.map(({ name, framework, triton, threshold, better, passed }) => ({
      name: metricTitle(titles, name),
      framework: formatMetric(framework),
      triton: formatMetric(triton),
      delta: framework === null || triton === null ? missing : formatScale(triton - framework),
      threshold: threshold === null ? missing : `${thresholdSign({ better })} ${formatMetric(threshold)}`,
      passed,
    })),
    reasons: result.reasons,
    warnings: result.warnings,
  };
}
