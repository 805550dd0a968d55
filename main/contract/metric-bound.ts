import type { Preset } from './preset';

type Metric = Preset['metrics'][number];

/** Which way a threshold bounds a metric; without word on it, higher values are better. */
export const isLowerBetter = ({ better }: Pick<Metric, 'better'>): boolean => better === 'lower';

/** Sign before a threshold. */
export const thresholdSign = (metric: Pick<Metric, 'better'>): '≤' | '≥' =>
  isLowerBetter(metric) ? '≤' : '≥';
