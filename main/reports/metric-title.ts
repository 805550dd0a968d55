/** Metric name to what people call it ("top1" to "top-1"). */
export type MetricTitles = Readonly<Record<string, string>>;

export function metricTitle(titles: MetricTitles, name: string): string {
  return Object.hasOwn(titles, name) ? (titles[name] ?? name) : name;
}
