import { availableParallelism, freemem } from 'node:os';
import { join, resolve } from 'node:path';
import type { Handlers } from '../contract/api';
import { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import { modelArtefactSchema } from '../contract/run/artefacts';
import { inContainers, isElsewhere, visibleGpus } from '../contract/run/engine-kinds';
import type { DeployedRun } from '../contract/run/run-state';
import type { SearchStrategy } from '../contract/study/search';
import type { Study, StudySpec } from '../contract/study/study';
import { configuredOf } from '../domain/study/search/candidates';
import { planSearch } from '../domain/study/search/plan-search';
import { searchAnswer } from '../domain/study/search/search-answer';
import { searchOf } from '../domain/study/search/search-study';
import { formatOf } from '../formats/formats';
import { modelConfigOf } from '../formats/model-config-of';
import { readGpus } from '../machine/watch-gpus';
import { editedConfig } from '../pipeline/step-files';
import { readPlainText } from '../platform/plain-entry';
import { writeStudyFiles, type WrittenStudy } from '../reports/study-files';
import { takeDevice } from '../store/device-queue';
import { type SearchedModel, Searches } from '../studies/search/searches';
import type { ActiveStudies } from '../studies/study-hands';
import { StudyStore } from '../studies/study-store';
import { fromAnalyzer } from './analyzer-calls';
import type { TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';
import { requireSoundSpec } from './core-runs';
import { verifiedRun } from './server-calls';

/** "search-1128-123759" */
function usualName(now: Date): string {
  const stamp = now.toISOString();
  return `search-${stamp.slice(5, 10).replace('-', '')}-${stamp.slice(11, 19).replaceAll(':', '')}`;
}

/** Throws combination-unsupported for a run that is served where variants cannot be loaded beside each other. */
function requireHere({ source: { spec }, runId }: DeployedRun): void {
  const { engine } = spec;
  const isHere = inContainers(engine) ? engine.host === undefined : engine.kind === 'local';
  if (isHere && !isElsewhere(engine)) return;
  throw new WorkbenchError('combination-unsupported', 'A search works on this machine or its Docker Engine', {
    where: runId,
    remedy: 'Run the model with the engine "local" or "docker" here, and search from that run.',
  });
}

/** The model of a run with the configuration of each candidate. */
async function modelOf(parts: CoreParts, runId: string): Promise<SearchedModel> {
  const { state, folder, run } = await verifiedRun(parts, runId, false);
  const { spec } = state.source;
  requireHere(state);
  if ((await editedConfig({ folder, spec })) !== null) {
    throw new WorkbenchError('input-invalid', 'The config.pbtxt of the run was edited by hand', {
      where: runId,
      remedy:
        'A search writes the configuration from the fields: make the edit in the run’s configuration first.',
    });
  }
  const text = await readPlainText(folder.output('convert'), fileLimits.stepJson.bytes);
  const signature = modelArtefactSchema.parse(JSON.parse(text));
  const format = formatOf(spec.format);
  const { files, version, check } = run;
  return {
    ...{ run: state, folder },
    model: {
      ...{ files, version, check, name: spec.configure.modelName },
      configOf: (candidate, modelName) => {
        const configure = { ...spec.configure, ...configuredOf(candidate), modelName };
        return modelConfigOf({ spec: { ...spec, configure }, signature, format });
      },
    },
  };
}

/** Searches for the best configuration. */
export function createSearchCalls(
  parts: CoreParts,
  active: ActiveStudies,
): {
  /** Works on it behind the caller’s back, as a window does: what becomes of it is in its journal. */
  readonly start: (spec: StudySpec, resume: boolean) => Promise<void>;
  readonly report: (name: string) => Promise<WrittenStudy>;
  readonly handlers: Pick<TrustedCalls, Extract<keyof TrustedCalls, `searches.${string}`>> &
    Pick<Handlers, 'searches.plan'>;
} {
  const { layout, engines, emit, loadTools } = parts;
  const studies = new StudyStore(layout.studies);
  const searches = new Searches({
    ...{ studies, active },
    onEntry: (name, entry) => emit({ type: 'study', name, entry }),
    modelOf: (runId) => modelOf(parts, runId),
    openExecutor: async ({ source: { spec } }, name, dir) => {
      await requireSoundSpec(parts, spec);
      const framework = formatOf(spec.format).shimFramework ?? 'pyt';
      return engines.openExecutor(spec, { runId: name, dir, framework, step: () => 'deploy' });
    },
    takeTurn: async ({ source: { spec } }, name, signal) =>
      takeDevice({
        ...{ root: layout.devices, device: await engines.deviceOf(spec.engine, null), what: name, signal },
        onWaiting: () => Promise.resolve(),
      }),
    loadTool: loadTools.native,
    freeBytes: () => freemem(),
    readGpus: () => readGpus(parts.options.env),
  });
  const studyOf = async (name: string): Promise<Study> => {
    const study = await studies.load(name);
    if (study !== null && searchOf(study) !== null) return study;
    throw new WorkbenchError('study-unknown', `Unknown search "${name}"`);
  };
  const report = async (name: string, out?: string) => {
    const { searchFiles } = await import('../reports/search-report');
    const study = await studyOf(name);
    const search = searchOf(study) as SearchStrategy;
    const answer = searchAnswer(search, study.searched);
    const files = searchFiles({ name, generatedAt: parts.now().toISOString(), search, answer });
    const dir = out === undefined ? join(layout.matrices, name) : resolve(out);
    return writeStudyFiles(dir, files, parts.options.printPdf);
  };
  return {
    report,
    start: async (spec, resume) => {
      const search = searchOf({ spec });
      if (search === null) return;
      const { end } = await searches.begin(spec, search, { resume });
      end.catch(() => undefined);
    },
    handlers: {
      'searches.plan': async ({ name = usualName(parts.now()), ...request }) => {
        const { state } = await verifiedRun(parts, request.runId, false);
        requireHere(state);
        const gpus = visibleGpus(state.source.spec.engine) ?? [];
        return planSearch(
          state,
          { ...request, name },
          { onGpu: gpus.length > 0, processors: availableParallelism() },
        );
      },
      'searches.work': async ({ spec, search, ...how }) => (await searches.begin(spec, search, how)).end,
      'searches.fromAnalyzer': fromAnalyzer(parts),
      'searches.get': ({ name }) => studyOf(name),
      'searches.report': ({ name, out }) => report(name, out),
    },
  };
}
