import type { RunSpec } from '../contract/run-spec';
import type { LoadedPreset } from '../presets/presets';
import { readPublished } from '../presets/published';
import type { ReportContext } from '../reports/to-report';

/** The preset's titles for a report, and what was published of it. Throws model-folder-invalid. */
export async function reportContext(
  { preset }: LoadedPreset,
  spec: RunSpec,
  from: { readonly resources: string; readonly now: Date },
): Promise<ReportContext> {
  return {
    generatedAt: from.now.toISOString(),
    modelTitle: preset.title,
    metricTitles: Object.fromEntries(preset.metrics.map((metric) => [metric.name, metric.title])),
    published: spec.model.source === undefined ? await readPublished(from.resources, preset.id) : null,
  };
}
