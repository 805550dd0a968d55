import { homedir } from 'node:os';
import { baselineGpu } from '../../contract/measured/baseline';
import { scenarios } from '../../contract/run/run-events';
import type { RunSpec } from '../../contract/run/run-spec';
import { metricTitlesOf } from '../../contract/words';
import { type LoadedPreset, readPublished } from '../../presets/presets';
import { layerSpec, parseSpec, procedureDifferences } from '../../presets/resolve-spec';
import { readReportSettings } from '../../reports/report-settings';
import type { ReportContext } from '../../reports/to-report';
import { writeReports } from '../../reports/write-reports';
import { reportNames } from '../../store/run-files';
import type { Step } from '../step';

/** Preset defaults for the chosen model, engine, format and precision; null if they are not a valid specification. */
function defaultsOf(preset: LoadedPreset['preset'], spec: RunSpec): RunSpec | null {
  const { engine, format, precision, targetGpu, model } = spec;
  const { profile, source, checkpoint, dataset } = model;
  const chosen = { engine, format, precision, targetGpu, model: { profile, source, checkpoint, dataset } };
  try {
    return parseSpec(layerSpec(preset, chosen));
  } catch {
    // The preset changed since the run: nothing counts as a default.
    return null;
  }
}

/** Preset titles and published figures. Throws model-folder-invalid. */
export async function reportContext(
  { preset }: LoadedPreset,
  spec: RunSpec,
  from: {
    readonly resources: string;
    readonly now: Date;
    /** GPUs that the run was measured on. */
    readonly gpus: readonly { readonly name: string }[];
  },
): Promise<ReportContext> {
  const gpuNames = from.gpus.map(({ name }) => name);
  const targetGpu = baselineGpu(spec, gpuNames) ?? undefined;
  return {
    generatedAt: from.now.toISOString(),
    homeFolder: homedir(),
    modelTitle: preset.title,
    metricTitles: metricTitlesOf(preset),
    defaults: defaultsOf(preset, spec),
    differences: procedureDifferences(preset, { ...spec, targetGpu }),
    published: spec.model.source === undefined ? await readPublished(from.resources, preset.id) : null,
  };
}

/** CSV, HTML, PDF and JSON from the journal; no PDF without a display server or Electron. */
export const reportStep: Step = {
  id: 'report',
  kind: 'record',
  needs: ['online', 'offline', 'accuracy'],
  deadlineS: 300,
  inputs: (run) => Promise.resolve(run.spec),
  async run(context) {
    const { run } = context;
    // The report shows the state that the run will end with.
    const lacking = run
      .state()
      .steps.some(({ id, status }) => status === 'failed' && scenarios.some((scenario) => scenario === id));
    const state = { ...run.state(), status: lacking ? ('failed' as const) : ('done' as const) };
    const files = await writeReports({
      state,
      context: {
        ...(await reportContext(run.preset, run.spec, {
          resources: run.services.resources,
          now: run.services.now(),
          gpus: state.environment.gpus,
        })),
        settings: await readReportSettings({
          house: run.services.reportSettings,
          results: run.folder.results,
        }),
      },
      dir: run.folder.results,
      signal: context.signal,
      printPdf: run.services.printPdf,
      onNoPrinter: ({ message }) =>
        context.warning(
          `The report has no PDF: ${message}. Install it, then print the report with the command "report".`,
        ),
    });
    context.log(files.map(({ kind, path }) => `Wrote ${kind}: ${path}`));
    await run.append({ type: 'report', files: reportNames(files) });
    return {};
  },
};
