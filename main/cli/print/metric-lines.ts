import type { AccuracyResult } from '../../contract/measured/results';
import { formatMetric } from '../../contract/numbers';
import { metricTitle, thresholdSign } from '../../contract/words';

/** "Accuracy: framework 0.9100, Triton 0.9100 (≥ 0.9000)", a line per metric. */
export const metricLines = ({ metrics }: Pick<AccuracyResult, 'metrics'>): readonly string[] =>
  metrics.map((metric) => {
    const { name, framework, triton, threshold } = metric;
    const bound = threshold === null ? '' : ` (${thresholdSign(metric)} ${formatMetric(threshold)})`;
    return `${metricTitle({}, name)}: framework ${formatMetric(framework)}, Triton ${formatMetric(triton)}${bound}`;
  });
