import { existsSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { invalidInput, WorkbenchError } from '../contract/errors';
import type { GpuReport } from '../contract/machine';
import { type OpenedModel, openModelSchema } from '../contract/run/own-model';
import { type PublishedGpu, publishedGpuOf, publishedGpus } from '../contract/run/run-spec';
import type { Choice } from '../contract/run/spec-tools';
import { type SettingsState, withDefaultEngine } from '../contract/settings/settings';
import { isTree, mergeTrees, type Tree } from '../contract/trees';
import type { Core } from '../core';
import type { ReadingCore } from '../core/reading-core';
import { addFieldOptions, collect } from './field-options';
import { folderOption, readPipeline } from './huggingface/serve-pipeline';
import { printText } from './output';
import { hubFolder } from './own/hub-model';
import { readOverrides, type RunOptions, type SpecReader } from './read-spec';
import { readShape } from './read-values';
import { settingProblems } from './settings';

/** The GPU of the first id; "all" and "idlest" mean the first GPU. */
function givenGpu({ gpus }: GpuReport, ids: readonly unknown[]): string | null {
  const [first] = ids;
  const found = first === 'all' || first === 'idlest' ? gpus[0] : gpus.find(({ uuid }) => uuid === first);
  return found?.name ?? null;
}

/** Only for the full model in containers with GPUs, unless the command names a GPU. */
function asksForDetection(overrides: Tree): readonly unknown[] | null {
  const { model, engine } = overrides;
  if (!isTree(model) || model['profile'] !== 'full' || overrides['targetGpu'] !== undefined) return null;
  if (!isTree(engine) || engine['kind'] !== 'docker' || engine['images'] === 'cpu') return null;
  const { gpus } = engine;
  return Array.isArray(gpus) && gpus.length > 0 ? gpus : null;
}

/**
 * The GPU that selects published defaults and figures: `--gpu`, with `auto` the first of this machine; by default the
 * one given to the containers, if figures of it are published. Throws input-invalid.
 */
export async function readTargetGpu(
  option: string | undefined,
  overrides: Tree,
  from: { readonly gpus: () => Promise<GpuReport>; readonly note: (line: string) => void },
): Promise<PublishedGpu | null> {
  if (option === 'none') return null;
  if (option === undefined) {
    const ids = asksForDetection(overrides);
    const name = ids === null ? null : givenGpu(await from.gpus(), ids);
    const gpu = name === null ? null : publishedGpuOf(name);
    if (gpu !== null) {
      from.note(`${String(name)}: the defaults published for ${gpu} are used; --gpu none skips them.`);
    }
    return gpu;
  }
  const named = publishedGpus.find((gpu) => gpu.toLowerCase() === option.toLowerCase());
  if (named !== undefined) return named;
  const remedy = `Choose ${publishedGpus.join(', ')}, auto or none.`;
  if (option !== 'auto') {
    throw invalidInput('--gpu', `No defaults are published for a GPU "${option}"`, remedy);
  }
  const report = await from.gpus();
  const name = givenGpu(report, ['all']);
  const found = name === null ? null : publishedGpuOf(name);
  if (found !== null) return found;
  const message =
    name === null
      ? `No NVIDIA GPU detected on this machine${report.problem === null ? '' : `: ${report.problem}`}`
      : `No defaults are published for this machine's ${name}`;
  throw new WorkbenchError('input-invalid', message, { where: '--gpu', remedy });
}

function readModelShapes(texts: readonly string[]) {
  const shapes: Record<string, number[]> = {};
  const datatypes: Record<string, string> = {};
  for (const text of texts) {
    const { name, datatype, dims } = readShape(text, true);
    shapes[name] = [...dims];
    if (datatype !== null) datatypes[name] = datatype;
  }
  return { shapes, datatypes };
}

/** Throws if the model first needs trust or more information. */
function choiceOf(model: OpenedModel): Choice {
  const { choice, path, asked, code } = model;
  if (choice !== null) return choice;
  const open = asked.filter(({ shape }) => shape === null);
  if (open.length > 0) {
    throw new WorkbenchError(
      'input-invalid',
      `The file does not contain the shape of ${open.map(({ name }) => name).join(', ')}`,
      {
        where: path,
        remedy: `Add ${open.map(({ name }) => `--shape ${name}=1,3,224,224`).join(' ')} with the sizes of your samples; "--shape ${open[0]?.name ?? 'x'}:INT64=1,16" for whole numbers.`,
      },
    );
  }
  throw new WorkbenchError(
    'not-trusted',
    `The run would execute code from ${path}: ${code.map((file) => file.path).join(', ')}`,
    {
      where: path,
      remedy: `To trust it, run "triton-workbench trust ${path}"; "run" also takes --trust.`,
    },
  );
}

/** Throws input-invalid for options of another kind of model. */
function refuseModelOptions(options: RunOptions): void {
  const ofFolder = folderOption(options);
  if (ofFolder !== null) {
    throw invalidInput(
      ofFolder,
      `${ofFolder} applies only to a Hugging Face folder`,
      'Give the folder, for example: run ./my-bert --serve pipeline',
    );
  }
  const { with: beside, rewrite } = options;
  if (beside === undefined && rewrite !== true) return;
  const flag = beside === undefined ? '--rewrite' : '--with';
  throw invalidInput(
    flag,
    `${flag} applies only to a model of a Triton repository`,
    `Give its folder: run REPOSITORY/MODEL ${flag}`,
  );
}

/** Of a file with a specification, or of none. */
function notModelFile(argument: string): WorkbenchError {
  const path = resolve(argument);
  if (!existsSync(path)) return invalidInput(path, `${path} does not exist`, 'Check the path.');
  const remedy = `To run a specification, type: run --spec ${argument}`;
  return invalidInput('[preset]', `${argument} is not a model file`, remedy);
}

/** A model of one's own: one of the hub, text with a slash, or an existing path. null: the name of a preset. */
async function readOwnModel(
  cores: Cores,
  argument: string,
  options: RunOptions,
  note: (line: string) => void,
): Promise<Choice | null> {
  const presets = await cores.reading.handlers['presets.list'](undefined);
  if (presets.some(({ id }) => id === argument)) {
    refuseModelOptions(options);
    return null;
  }
  const core = await cores.whole();
  // The id of a preset has no full stop: what has one, and is not there, is said to be missing as a file.
  const folder = await hubFolder(core, argument, options);
  const isPath = folder !== null || /[./]/.test(argument) || argument.includes(sep);
  if (!isPath && !existsSync(argument)) return null;
  if (/\.ya?ml$/i.test(argument)) throw notModelFile(argument);
  const beside = (options.with ?? '').split(/[\s,]+/).filter((name) => name !== '');
  const rewrite = options.rewrite !== undefined && options.rewrite !== false;
  const given = readModelShapes(options.shape ?? []);
  const path = folder ?? argument;
  const pipeline = await readPipeline(core, path, options, { shapes: given.shapes, note });
  const input = pipeline === null ? { path, with: beside, rewrite, ...given } : { path: pipeline.path };
  const call = options.trust === true ? 'models.trust' : 'models.open';
  const opened = await core.handlers[call](openModelSchema.parse(input));
  for (const line of opened.notes) note(line);
  const choice = choiceOf(opened);
  return pipeline === null
    ? choice
    : { ...choice, overrides: { ...mergeTrees(choice.overrides, pipeline.overrides) } };
}

/** Options of every verb that takes a specification. */
export function addSpecOptions(command: Command): Command {
  command.optionsGroup('Specification:');
  command.option(
    '--spec <file>',
    'run.yaml with any part of the specification, a runner configuration or environment file of the published ' +
      'procedures, or config.pbtxt; "-" is standard input; options override it',
  );
  command.option(
    '--matrix <file>',
    'many runs from one file: axes of fields, or a runner configuration of the published procedures with all its ' +
      'configurations; options apply to every run',
  );
  command.option(
    '--length-buckets <list>',
    'Hugging Face folder served as tensors: one run per length of its texts, as a matrix, with a table of all levels by length; a list or START:END:STEP',
  );
  command.option(
    '--configuration <n>',
    'with a runner configuration: number of the configuration; default: 1',
  );
  return addFieldOptions(command, 'run')
    .optionsGroup('Specification:')
    .option(
      '--gpu <name>',
      `${publishedGpus.join(', ')}: its published defaults (with --profile full) and figures; auto: this machine's; none`,
    )
    .option(
      '--shape <name=dims>',
      'own model file: sample shape of an input with its batch: x=1,3,224,224, x:1,3,224,224 or ids:INT64=1,16; repeatable',
      collect,
    )
    .option(
      '--with <names>',
      'model of a Triton repository: load these models too, for example those that a BLS model calls; names separated by commas',
    )
    .option(
      '--rewrite',
      'model of a Triton repository: measure its file with a config.pbtxt of the run, compared with its framework, instead of serving the repository as it is',
    )
    .option(
      '--serve <as>',
      'Hugging Face folder: tensors, a pipeline that takes texts, images or recordings and answers labels, spans, boxes, vectors or text, or vllm (text generation by its backend); default: tensors',
    )
    .option(
      '--texts <file>',
      'with --serve pipeline or vllm: texts for the accuracy check and the load, one per line, a tab before a second text, or a .csv or .jsonl file, also with labels; default: texts of the workbench',
    )
    .option(
      '--samples <folder>',
      'with --serve pipeline: images or recordings for the accuracy check and the load, without labels, in one folder per label, or with labels.csv or labels.jsonl; default: the workbench makes them',
    )
    .option('--set <KEY=VALUE>', 'any field of run.yaml, or a published variable; repeatable', collect);
}

/** What reads a choice: the whole core only for a file, a model of one's own, or the GPUs of this machine. */
interface Cores {
  readonly reading: ReadingCore;
  readonly whole: () => Promise<Core>;
}

/** A choice, and the part of it that comes from the command line rather than from `--spec`. */
interface TypedChoice extends Choice {
  readonly typed: Readonly<Record<string, unknown>>;
}

/** Notes settings problems; for a matrix, the caller does this once. */
async function readSettings(
  core: ReadingCore,
  note: (line: string) => void,
  isOfMatrix: boolean,
): Promise<SettingsState> {
  if (!isOfMatrix) for (const line of await settingProblems(core)) note(line);
  return core.handlers['settings.get'](undefined);
}

const printingOnce =
  (noted = new Set<string>()) =>
  (line: string): void => {
    if (noted.has(line)) return;
    noted.add(line);
    printText(`${line}\n`, 'stderr');
  };

/** As {@link readChoiceBy}. */
export const readChoice = (
  core: Core,
  preset: string | undefined,
  options: RunOptions,
  fromFile?: Tree,
  noted?: Set<string>,
): Promise<TypedChoice> =>
  readChoiceBy({ reading: core, whole: () => Promise.resolve(core) }, preset, options, fromFile, noted);

/**
 * The specification that the command line selects; notes about an imported file go to stderr. Throws input-invalid
 * without a preset.
 * @param fromFile a matrix entry, in place of the file of `--spec`
 * @param noted notes that were printed before, for other entries; those of this one are added
 */
export async function readChoiceBy(
  cores: Cores,
  preset: string | undefined,
  options: RunOptions,
  fromFile?: Tree,
  noted?: Set<string>,
): Promise<TypedChoice> {
  const note = printingOnce(noted);
  const own = preset === undefined ? null : await readOwnModel(cores, preset, options, note);
  const name = own === null ? preset : own.preset;
  const reader: SpecReader = {
    importSpec: async (input) => (await cores.whole()).handlers['spec.import'](input),
    specModel: async (input) => (await cores.whole()).handlers['spec.readModel'](input),
    note,
  };
  const said = await readOverrides(name, { ...options, spec: undefined, configuration: undefined }, reader);
  // A specification file takes no defaults.
  const isOfFile = options.spec !== undefined || fromFile !== undefined;
  const read =
    fromFile === undefined ? await readOverrides(name, options, reader) : mergeTrees(fromFile, said);
  const { values } = await readSettings(cores.reading, note, fromFile !== undefined);
  const asked = isOfFile ? read : withDefaultEngine(read, values);
  const typed = own === null ? said : mergeTrees(own.overrides, said);
  if (own !== null) {
    if (options.gpu !== undefined && options.gpu !== 'none') {
      throw new WorkbenchError('input-invalid', '--gpu does not apply to your own model', {
        where: '--gpu',
        remedy: 'Remove it; use --gpus to give GPUs to the containers.',
      });
    }
    return { preset: own.preset, overrides: mergeTrees(own.overrides, asked), typed };
  }
  const option = options.gpu ?? (isOfFile ? 'none' : undefined);
  const targetGpu = await readTargetGpu(option, asked, {
    gpus: async () => (await cores.whole()).handlers['machine.gpus'](undefined),
    note,
  });
  const overrides = targetGpu === null ? asked : mergeTrees(asked, { targetGpu });
  const chosen = (overrides['model'] as { preset?: unknown } | undefined)?.preset;
  if (typeof chosen === 'string') return { preset: chosen, overrides: { ...overrides }, typed };
  throw new WorkbenchError('input-invalid', 'No preset given', {
    where: '[preset]',
    remedy: 'Name a preset, for example: run resnet50 --profile quick',
  });
}
