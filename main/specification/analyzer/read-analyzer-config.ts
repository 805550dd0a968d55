import type { AnalyzerConfig, AnalyzerRun } from '../../contract/study/analyzer-config';
import { present } from '../../contract/trees';
import { type AnalyzerFile, openAnalyzerFile, type Path } from './analyzer-file';
import { leftFlags, leftOptions, otherFlag } from './left-options';
import { loadOf } from './load-of';
import { chooseModel, type ChosenModel, ownOr } from './model-of';
import { spaceOf } from './space-of';
import { readObjectives, targetOf } from './target-of';
import { flagAt } from './values';

/** Each of its keys has been said something of. */
const covered: ReadonlySet<string> = new Set([
  ...['profile_models', 'constraints', 'objectives', 'perf_analyzer_flags'],
  ...['model_config_parameters', 'parameters'],
]);

function readProtocol(file: AnalyzerFile, { protocol }: AnalyzerRun): void {
  const path: Path = ['client_protocol'];
  if (!file.has(path)) return;
  if (String(file.at(path)).toLowerCase() === protocol) file.take(path, `${protocol}, as the run`);
  else file.leave(path, `the protocol is that of the run, ${protocol}`);
}

function readCpuOnly(file: AnalyzerFile, { path }: ChosenModel, { onGpu }: AnalyzerRun): void {
  const at = path === null ? null : [...path, 'cpu_only'];
  if (at === null || !file.has(at) || flagAt(file, at) === onGpu) return;
  file.take(at, `instances on ${onGpu ? 'GPUs' : 'the CPU'}, as the run`);
}

function leaveFlags(file: AnalyzerFile, model: ChosenModel): void {
  const of = ownOr(file, model, 'perf_analyzer_flags');
  for (const name of of === null ? [] : file.keysAt(of)) {
    file.leave([...(of ?? []), name], leftFlags[name] ?? otherFlag);
  }
}

/** Names what nobody has taken: no option of the file is dropped without a word. */
function leaveRest(file: AnalyzerFile, { path }: ChosenModel): void {
  for (const key of file.keysAt([])) {
    if (!covered.has(key) && !file.isSaid([key])) {
      file.leave([key], leftOptions[key] ?? 'unknown: not an option of Model Analyzer');
    }
  }
  for (const key of path === null ? [] : file.keysAt(path)) {
    const at = [...(path ?? []), key];
    if (!covered.has(key) && !file.isSaid(at)) {
      file.leave(at, leftOptions[key] ?? 'unknown: not an option of a model');
    }
  }
}

/**
 * What a configuration of Model Analyzer (`profile --config-file`) asks a search of a run for, with every option that is
 * taken and every one that is not. Throws input-invalid with the line.
 * @param model one of several in the file; null: the one that is called as the run's
 */
export function readAnalyzerConfig({
  text,
  fileName,
  run,
  model: wanted,
}: {
  readonly text: string;
  readonly fileName: string;
  readonly run: AnalyzerRun;
  readonly model: string | null;
}): AnalyzerConfig {
  const file = openAnalyzerFile(text, fileName);
  const model = chooseModel(file, run, wanted);
  const { load, concurrency, batchSizes } = loadOf(file, model);
  const request = {
    load,
    ...present({
      concurrency: concurrency === undefined ? undefined : [...concurrency],
      batchSize: batchSizes[0],
    }),
    ...targetOf(file, model, run),
    space: {
      ...spaceOf(file, model, run),
      ...(batchSizes.length > 1 ? { batchSize: [...batchSizes] } : {}),
    },
  };
  readObjectives(file, model);
  readProtocol(file, run);
  readCpuOnly(file, model, run);
  leaveFlags(file, model);
  leaveRest(file, model);
  return { model: model.name, request, ...file.lines() };
}
