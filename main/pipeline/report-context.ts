import { metricTitlesOf } from '../contract/metric-title';
import type { RunSpec } from '../contract/run-spec';
import type { LoadedPreset } from '../presets/presets';
import { readPublished } from '../presets/published';
import { layerSpec, parseSpec } from '../presets/resolve-spec';
import type { ReportContext } from '../reports/to-report';

/** What the preset gives where only model, engine, format and precision are chosen; null where that is not a specification. */
function defaultsOf(preset: LoadedPreset['preset'], spec: RunSpec): RunSpec | null {
  const { engine, format, precision, targetGpu, model } = spec;
  const { profile, source, checkpoint, dataset } = model;
  const chosen = { engine, format, precision, targetGpu, model: { profile, source, checkpoint, dataset } };
  try {
    return parseSpec(layerSpec(preset, chosen));
  } catch {
    // Of a preset that has changed since the run, or lacks the profile by now: nothing counts as a default.
    return null;
  }
}

/** The preset's titles for a report, and what was published of it. Throws model-folder-invalid. */
export async function reportContext(
  { preset }: LoadedPreset,
  spec: RunSpec,
  from: { readonly resources: string; readonly now: Date },
): Promise<ReportContext> {
  return {
    generatedAt: from.now.toISOString(),
    modelTitle: preset.title,
    metricTitles: metricTitlesOf(preset),
    defaults: defaultsOf(preset, spec),
    published: spec.model.source === undefined ? await readPublished(from.resources, preset.id) : null,
  };
}
