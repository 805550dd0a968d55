import { stat } from 'node:fs/promises';
import { toWire } from '../contract/errors';
import type { Signature } from '../contract/run/artefacts';
import { backendsOf, inContainers } from '../contract/run/engine-kinds';
import { type Framework, type RunSpec, runSpecSchema } from '../contract/run/run-spec';
import type { Choice, PlannedCommand, SpecPreview, SpecProblem } from '../contract/run/spec-tools';
import { ofScenarios } from '../contract/run/sweep';
import { formatOf } from '../formats/formats';
import { ownConfigText, type RepositorySource, repositorySourceOf } from '../formats/own-config';
import { checkPatchedConfig } from '../formats/patched-config';
import { missingDataset } from '../own/folder-data';
import type { ModelReaders } from '../own/model-readers';
import { sourceOf } from '../own/own-preset';
import { type InputReaders, runTensors } from '../perf/input/input-readers';
import { exists, hashValue } from '../platform/files';
import type { HomeLayout } from '../platform/layout';
import type { LoadedPreset } from '../presets/presets';
import { formatConfigPbtxt } from '../triton/config/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import { applyConfigPatch } from '../triton/served-config';
import type { ScriptPrograms } from './command-script';
import { givenFileProblems } from './given-files';
import { defaultPrecision, generatedConfig, readChoice, servedSignature } from './read-choice';
import { repositoryTensors } from './repository-tensors';
import type { SpecReaders } from './spec-readers';

/** Previews repeat at every change: larger files are read when the run starts. */
const mostBytes = 16 * 1024 * 1024;

/** Tensors of a request and shapes; null where only Triton knows them. */
async function inputTensors(
  { model }: RunSpec,
  signature: () => Signature,
  mayRead: (path: string) => Promise<boolean>,
): Promise<Awaited<ReturnType<typeof repositoryTensors>>> {
  const source = repositorySourceOf(model);
  if (source !== null) return repositoryTensors(model, source, mayRead);
  return { wanted: runTensors(signature()), shapes: {} };
}

/** Entry, tensor and expectation. @param mayRead false: it is checked when the run starts */
async function inputFileProblem(
  spec: RunSpec,
  signature: () => Signature,
  {
    mayRead,
    readers,
  }: { readonly mayRead: (path: string) => Promise<boolean>; readonly readers: InputReaders },
): Promise<SpecProblem | null> {
  const { inputData, inputDataFile: path } = spec.performance;
  if (inputData !== 'file' || path === undefined) return null;
  const problem = (message: string, remedy: string | null): SpecProblem => ({
    field: 'performance.inputDataFile',
    severity: 'problem',
    message,
    remedy,
  });
  const found = await stat(path).catch(() => null);
  // A missing one is among the given files.
  if (found === null || found.size > mostBytes || !(await mayRead(path))) return null;
  try {
    const tensors = await inputTensors(spec, signature, mayRead);
    if (tensors !== null) await readers.inputCheck({ path, ...tensors });
    return null;
  } catch (error) {
    const { code, message, where, remedy } = toWire(error);
    // Signature problems are reported at their fields.
    return code === 'input-invalid'
      ? problem(where === undefined ? message : `${where}: ${message}`, remedy ?? null)
      : null;
  }
}

/** The choice with what the trace that it replays has, or with what is wrong with its file. */
async function withTrace(
  choice: ReturnType<typeof readChoice>,
  {
    mayRead,
    readers,
  }: { readonly mayRead: (path: string) => Promise<boolean>; readonly readers: InputReaders },
): Promise<ReturnType<typeof readChoice>> {
  const { spec, nearest, problems } = choice;
  const replay = nearest?.performance.replay;
  if (nearest === null || replay === undefined || !(await mayRead(replay.file))) return choice;
  const { file, fromS, toS } = replay;
  try {
    const read = await readers.replayRead({ file, fromS, toS, models: [nearest.configure.modelName] });
    const known = { ...nearest, performance: { ...nearest.performance, replay: { ...replay, read } } };
    return { ...choice, nearest: known, spec: spec === null ? null : known };
  } catch (error) {
    const { code, message, where, remedy = null } = toWire(error);
    if (code !== 'input-invalid') return choice;
    const text = where === undefined ? message : `${where}: ${message}`;
    const field = 'performance.replay.file';
    return { ...choice, problems: [...problems, { field, severity: 'problem', message: text, remedy }] };
  }
}

/** An error as a value; one with a place in config.pbtxt is assigned to `field`. */
function problemOf(error: unknown, field: string): SpecProblem {
  const wire = toWire(error);
  const [part = ''] = (wire.where ?? '').split('.');
  return {
    field: wire.where !== undefined && Object.hasOwn(runSpecSchema.shape, part) ? wire.where : field,
    severity: 'problem',
    message: wire.message,
    remedy: wire.remedy ?? null,
  };
}

interface ConfigTexts {
  readonly configPbtxt: string | null;
  readonly generatedPbtxt: string | null;
  readonly problems: readonly SpecProblem[];
}

/** That of the repository, with what the form changes. */
function ownTexts(spec: RunSpec, source: RepositorySource): ConfigTexts {
  const generatedPbtxt = source.repository.config ?? '';
  try {
    const { text } = ownConfigText({ configure: spec.configure, source });
    return { configPbtxt: text ?? '', generatedPbtxt, problems: [] };
  } catch (error) {
    return { configPbtxt: generatedPbtxt, generatedPbtxt, problems: [problemOf(error, 'configure')] };
  }
}

function configTexts(loaded: LoadedPreset, spec: RunSpec): ConfigTexts {
  const source = repositorySourceOf(spec.model);
  if (source !== null) return ownTexts(spec, source);
  let generated: ModelConfig;
  let generatedPbtxt: string;
  try {
    generated = generatedConfig(loaded, spec);
    generatedPbtxt = formatConfigPbtxt(generated);
  } catch (error) {
    return { configPbtxt: null, generatedPbtxt: null, problems: [problemOf(error, 'configure')] };
  }
  const edited = Object.keys(spec.configure.configPatch).length > 0;
  if (!edited) return { configPbtxt: generatedPbtxt, generatedPbtxt, problems: [] };
  let configPbtxt: string | null = null;
  try {
    const patched = applyConfigPatch(generated, spec.configure.configPatch);
    configPbtxt = formatConfigPbtxt(patched);
    checkPatchedConfig(patched, {
      generated,
      backends: backendsOf(spec.engine),
      modelVersion: spec.configure.modelVersion,
      fileName: formatOf(spec.format).fileName,
    });
    return { configPbtxt, generatedPbtxt, problems: [] };
  } catch (error) {
    // The text stays beside the form with its problem.
    return { configPbtxt, generatedPbtxt, problems: [problemOf(error, 'configure.configPatch')] };
  }
}

async function fileProblems(
  spec: RunSpec,
  framework: Framework,
  places: CheckPlaces,
): Promise<SpecProblem[]> {
  const unmade = await missingDataset(spec.model);
  const found: SpecProblem[] = unmade === null ? [] : [problemOf(unmade, 'model.dataset')];
  found.push(...(await givenFileProblems(spec, framework)));
  const tools = ofScenarios(spec.performance).map(({ loadTool }) => loadTool);
  if (tools.includes('perf_analyzer') && !inContainers(spec.engine)) {
    if (!(await exists(places.layout.perfAnalyzer))) {
      found.push({
        field: 'performance.loadTool',
        severity: 'problem',
        message: 'perf_analyzer is not installed on this machine',
        remedy:
          'Choose the built-in load generator (native), or the engine "docker", whose client image has it.',
      });
    }
  }
  return found;
}

/** What a choice is looked at with. */
export interface CheckPlaces {
  readonly layout: Pick<HomeLayout, 'perfAnalyzer'>;
  readonly resources: string;
  readonly readers: ModelReaders & InputReaders & SpecReaders;
}

export interface PreviewPlaces extends CheckPlaces {
  readonly layout: CheckPlaces['layout'] & ScriptPrograms;
  /** Commands of a future run's steps. Throws for an unreadable address or model. */
  readonly plannedCommands: (preset: LoadedPreset, spec: RunSpec) => readonly PlannedCommand[];
}

/** A choice without the commands of its steps; its problems are values, not exceptions. */
export async function checkSpec(
  loaded: LoadedPreset,
  choice: Choice,
  places: CheckPlaces,
  mayRead: (path: string) => Promise<boolean> = () => Promise.resolve(true),
): Promise<Omit<SpecPreview, 'commands'>> {
  const { spec, nearest, defaults, problems } = await withTrace(readChoice(loaded.preset, choice), {
    mayRead,
    readers: places.readers,
  });
  const precision = defaultPrecision(loaded.preset, choice);
  const shared = {
    spec,
    defaults,
    ...(precision === undefined ? {} : { defaultPrecision: precision }),
    specHash: spec === null ? null : hashValue(spec),
    ...(sourceOf(choice.overrides['model']) === undefined ? {} : { ownPreset: loaded.preset }),
  };
  if (nearest === null) {
    return { ...shared, problems, configPbtxt: null, generatedPbtxt: null };
  }
  const known = new Set(problems.map(({ field }) => field));
  const fresh = (found: readonly SpecProblem[]) => found.filter(({ field }) => !known.has(field));
  const files = fresh(await fileProblems(nearest, loaded.preset.framework ?? 'pyt', places));
  const input = await inputFileProblem(nearest, () => servedSignature(loaded, nearest), {
    mayRead,
    readers: places.readers,
  });
  const texts = configTexts(loaded, nearest);
  // Already reported at its field.
  const isSaid = problems.some((one) => one.severity === 'problem' && one.field.startsWith('configure.'));
  const ofText = texts.generatedPbtxt === null && isSaid ? [] : fresh(texts.problems);
  const all = [...problems, ...files, ...fresh(input === null ? [] : [input]), ...ofText];
  if (spec === null) return { ...shared, problems: all, configPbtxt: null, generatedPbtxt: null };
  const { configPbtxt, generatedPbtxt } = texts;
  return { ...shared, problems: all, configPbtxt, generatedPbtxt };
}

/** The wizard's view of a choice. */
export async function previewSpec(
  loaded: LoadedPreset,
  choice: Choice,
  places: PreviewPlaces,
  mayRead?: (path: string) => Promise<boolean>,
): Promise<SpecPreview> {
  const checked = await checkSpec(loaded, choice, places, mayRead);
  if (checked.spec === null) return { ...checked, commands: [] };
  try {
    return { ...checked, commands: places.plannedCommands(loaded, checked.spec) };
  } catch {
    // Unreadable addresses and arguments are among the problems.
    return { ...checked, commands: [] };
  }
}
