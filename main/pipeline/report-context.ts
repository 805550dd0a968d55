import type { LoadedPreset } from '../presets/presets';
import type { ReportContext } from '../reports/to-report';

/** The preset's titles for a report. */
export function reportContext({ preset }: LoadedPreset, now: Date): ReportContext {
  return {
    generatedAt: now.toISOString(),
    modelTitle: preset.title,
    metricTitles: Object.fromEntries(preset.metrics.map((metric) => [metric.name, metric.title])),
  };
}
