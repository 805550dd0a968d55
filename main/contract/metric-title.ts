import type { Preset } from './preset';

/** Metric name to what people call it ("top1" to "top-1"). */
export type MetricTitles = Readonly<Record<string, string>>;

export const metricTitlesOf = ({ metrics }: Pick<Preset, 'metrics'>): MetricTitles =>
  Object.fromEntries(metrics.map(({ name, title }) => [name, title]));

export function metricTitle(titles: MetricTitles, name: string): string {
  return Object.hasOwn(titles, name) ? (titles[name] ?? name) : name;
}
