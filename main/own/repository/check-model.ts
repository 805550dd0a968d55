import type { WireError } from '../../contract/errors';
import type { CheckedModel, CheckedTensor, CheckProblem } from '../../contract/repository-check';
import { localBackends } from '../../domain/run/served-by';
import { unifiedDiff } from '../../domain/unified-diff';
import { defaultRelease } from '../../machine/releases';
import { imageWith } from '../../presets/image-backends';
import { editConfigPbtxt } from '../../triton/config/config-editor';
import { configPlace } from '../../triton/config/config-line';
import { parseConfigPbtxt } from '../../triton/config/config-pbtxt';
import { repairConfigPbtxt } from '../../triton/config/config-repair';
import { imageNeeds } from '../../triton/config/image-needs';
import type { ModelConfig } from '../../triton/model-config';
import { ensembleModels } from '../../triton/model-traits';
import { type ConfigChange, type FileTensor, type Side, tensorMisfits, typeName } from '../repository-fit';
import { configProblems, type RuleProblem } from './config-rules';
import { type EnsemblePart, ensembleProblems } from './ensemble-rules';
import type { FileReading } from './file-tensors';
import { type ConfigFile, modelFileName, type ModelFolder, servedVersions } from './model-folder';
import type { CodeProblem } from './python-rules';

/** All that the check of a model looks at; nothing is read any more. */
export interface ModelFacts {
  readonly folder: ModelFolder;
  readonly file: ConfigFile;
  /** The configuration with its mistakes corrected; null where they have no single correction. */
  readonly text: string;
  readonly config: ModelConfig | null;
  readonly mistakes: readonly CheckProblem[];
  readonly backend: string;
  /** Version whose file was read: the newest served. */
  readonly version: number | null;
  readonly reading: FileReading;
  /** Other models of the repository that its code names. */
  readonly named: readonly string[];
  /** Of its model.py; null where nothing was found in it. */
  readonly code: CodeProblem | null;
}

/** The configuration that the check continues with, and its mistakes. */
export function readFacts(
  folder: ModelFolder,
  file: ConfigFile,
): Pick<ModelFacts, 'config' | 'mistakes' | 'text'> {
  const { text, config, problem } = file;
  if (problem === null) return { text: text ?? '', config, mistakes: [] };
  const triton = `failed to read text proto from ${folder.path}/config.pbtxt`;
  const { complaints, text: better } = repairConfigPbtxt(text ?? '');
  const asProblem = (one: Pick<WireError, 'message' | 'where' | 'remedy'>): CheckProblem => ({
    where: `${folder.name}/${one.where ?? 'config.pbtxt'}`,
    message: one.message,
    remedy: one.remedy ?? 'Write that line as NAME: VALUE.',
    triton,
  });
  const mistakes = complaints.length === 0 ? [asProblem(problem)] : complaints.map(asProblem);
  return better === null || complaints.length === 0
    ? { text: text ?? '', config: null, mistakes }
    : { text: better, config: readable(better), mistakes };
}

function readable(text: string): ModelConfig | null {
  try {
    return parseConfigPbtxt(text);
  } catch {
    return null;
  }
}

/** Place of a field, with its line where the text has it; the folder without a file. */
const atConfig = ({ folder, file, text }: ModelFacts, path?: string): string =>
  file.text === null ? folder.name : `${folder.name}/${configPlace(text, path)}`;

type Found = Omit<RuleProblem, 'triton'> & { readonly where: string; readonly triton: string | null };

/** Of a model whose policy serves no version folder; an ensemble needs an empty one. */
function versionProblem({ versions, others, name }: ModelFolder, policyAt: string): Omit<Found, 'triton'> {
  const beside = others.find((other) => /\.(onnx|pt|plan|savedmodel|py)$/.test(other));
  if (versions.length > 0) {
    return {
      where: policyAt,
      message: `version_policy serves none of the version folders ${versions.join(', ')}`,
      remedy: 'Name one of them.',
      changes: [{ path: 'version_policy', value: undefined }],
    };
  }
  return {
    where: name,
    message: `the model has no version folder${beside === undefined ? '' : `; ${beside} is beside config.pbtxt`}`,
    remedy: `Triton loads from a folder "1": mkdir ${name}/1${beside === undefined ? '' : ` && mv ${name}/${beside} ${name}/1/`}`,
    changes: [],
  };
}

function missingFile({ folder, backend, version, ...facts }: ModelFacts): Found {
  const wanted = modelFileName(facts.config ?? parseConfigPbtxt(''), backend) ?? '';
  const names = folder.inVersion.get(version ?? 0) ?? [];
  const alike = names.find((one) => one.split('.').at(-1) === wanted.split('.').at(-1));
  return {
    where: `${folder.name}/${version ?? ''}`,
    message: `the version folder has no ${wanted}${names.length === 0 ? '' : `; it has ${names.slice(0, 5).join(', ')}`}`,
    remedy:
      alike === undefined
        ? 'Put it there, or write default_model_filename.'
        : `Rename it, or write default_model_filename: "${alike}".`,
    triton: `unable to find '${folder.path}/${version ?? ''}/${wanted}' for model instance '${folder.name}'`,
    changes: alike === undefined ? [] : [{ path: 'default_model_filename', value: alike }],
  };
}

/** Version folders, and the file in the one that was read. */
function fileProblems(facts: ModelFacts): readonly Found[] {
  const { folder, reading, version } = facts;
  if (version === null) {
    const triton = `at least one version must be available under the version policy of model '${folder.name}'`;
    return [{ ...versionProblem(folder, atConfig(facts, 'version_policy')), triton }];
  }
  if (reading.kind === 'missing') return [missingFile(facts)];
  if (facts.code !== null) {
    const { line, ...said } = facts.code;
    const file = modelFileName(facts.config ?? parseConfigPbtxt(''), facts.backend) ?? '';
    return [{ where: `${folder.name}/${version}/${file}, line ${line}`, changes: [], ...said }];
  }
  if (reading.kind !== 'refused') return [];
  const { message, remedy = 'Copy or export it again.' } = reading.problem;
  const file = modelFileName(facts.config ?? parseConfigPbtxt(''), facts.backend) ?? '';
  const where = [folder.name, version, file].filter((part) => part !== '').join('/');
  return [{ where, message, remedy, triton: null, changes: [] }];
}

function labelProblems(facts: ModelFacts): readonly Found[] {
  const { folder, config } = facts;
  return (config?.output ?? []).flatMap((output, index): readonly Found[] => {
    const label = output['labelFilename'];
    if (typeof label !== 'string' || label === '' || folder.others.includes(label)) return [];
    return [
      {
        where: atConfig(facts, `output[${index}].label_filename`),
        message: `label_filename of the output ${output.name} is missing: ${label}`,
        remedy: `Put ${label} into the folder ${folder.name}, beside the version folders.`,
        triton: `failed to open text file for read ${folder.path}/${label}: No such file or directory`,
        changes: [],
      },
    ];
  });
}

const shapeText = (shape: readonly number[] | null): string =>
  shape === null ? '[?]' : `[${shape.join(', ')}]`;

const tensorText = ({ datatype, shape }: FileTensor): string =>
  `${datatype === null ? 'a type without a name in Triton' : typeName(datatype)} ${shapeText(shape)}`;

/** @param unread of a tensor whose file is not read */
function rowsOf(
  side: Side,
  config: ModelConfig,
  reading: FileReading,
  unread: CheckedTensor['result'],
): readonly CheckedTensor[] {
  const file = reading.kind === 'tensors' ? reading.tensors[`${side}s`] : null;
  const written = config[side].map(({ name, dataType = 'TYPE_INVALID', dims }): CheckedTensor => {
    const own = file?.find((tensor) => tensor.name === name);
    const result = file === null ? unread : own === undefined ? 'differs' : 'fits';
    const configured = `${dataType} ${shapeText(dims)}`;
    return { side, name, configured, file: own === undefined ? null : tensorText(own), result };
  });
  if (config[side].length > 0) return written;
  return (file ?? []).map((own) => ({
    ...{ side, name: own.name, configured: null, file: tensorText(own), result: 'completed' },
  }));
}

const isComplete = ({ datatype, shape }: FileTensor): boolean => datatype !== null && shape !== null;

/** What cannot be told without the backend; a sentence each. */
function notChecked({ reading, backend, config, version }: ModelFacts): readonly string[] {
  if (config === null) return ['Tensors are not checked: the configuration cannot be read.'];
  if (backend === 'ensemble') return [];
  if (version === null) return ['Tensors are not checked: no version is served.'];
  switch (reading.kind) {
    case 'tensors': {
      const open = [...reading.tensors.inputs, ...reading.tensors.outputs].filter((one) => !isComplete(one));
      return open.length === 0
        ? []
        : [
            `Not checked: the axes or the type of ${open.map(({ name }) => name).join(', ')}, which the file does not say.`,
          ];
    }
    case 'arguments':
      return [
        `Types and axes are not checked: a TorchScript file says only the arguments of forward (${reading.names.join(', ')}).`,
      ];
    case 'plan':
      return [
        reading.version === null
          ? 'Tensors are not checked: a TensorRT plan is read by the TensorRT that built it.'
          : `Tensors are not checked: the plan is of TensorRT ${reading.version}, and loads in that version.`,
      ];
    case 'unread':
      return [
        backend === 'python'
          ? 'Tensors are not checked: model.py is not executed.'
          : `Tensors are not checked: files of the backend ${backend} are not read.`,
      ];
    case 'missing':
    case 'refused':
      return ['Tensors are not checked: the model file was not read.'];
  }
}

/** Every problem of a model, with the change that removes it. */
function problemsOf(facts: ModelFacts, parts: ReadonlyMap<string, EnsemblePart>): readonly Found[] {
  const { folder, config, backend, reading } = facts;
  if (config === null) return [];
  const placed = <One extends Pick<RuleProblem, 'at' | 'changes'>>(all: readonly One[]) =>
    all.map((one) => ({ where: atConfig(facts, one.at ?? one.changes[0]?.path), ...one }));
  const misfits = reading.kind === 'tensors' ? tensorMisfits(folder.name, config, reading.tensors) : [];
  return [
    ...placed(configProblems(config, folder.name, backend)),
    ...fileProblems(facts),
    // The words are of the ONNX Runtime backend.
    ...placed(misfits.map((one) => ({ ...one, triton: backend === 'onnxruntime' ? one.triton : null }))),
    ...labelProblems(facts),
    ...placed(backend === 'ensemble' ? ensembleProblems(folder.name, config, parts) : []),
  ];
}

/** The text with every change that was proposed; one that does not fit the others is left out. */
function changedText(text: string, changes: readonly ConfigChange[]): string {
  return changes.reduce((current, { path, value }) => {
    try {
      return editConfigPbtxt(current, path, value);
    } catch {
      return current;
    }
  }, text);
}

function diffOf(facts: ModelFacts, found: readonly Found[]): string | null {
  const after = changedText(
    facts.text,
    found.flatMap(({ changes }) => changes),
  );
  const { text } = facts.file;
  const diff = unifiedDiff(`${facts.folder.name}/config.pbtxt`, text ?? '', after, text === null);
  return diff === '' ? null : diff;
}

function verdictOf(problems: number, unchecked: readonly string[]): CheckedModel['verdict'] {
  if (problems > 0) return 'does not load';
  return unchecked.length > 0 ? 'not checked' : 'loads';
}

/** The check of one model, from what was read of it and of the models beside it. Pure. */
export function checkModel(facts: ModelFacts, parts: ReadonlyMap<string, EnsemblePart>): CheckedModel {
  const { folder, mistakes, backend } = facts;
  const found = problemsOf(facts, parts);
  const problems = [
    ...mistakes,
    ...found.map(({ where, message, remedy, triton }): CheckProblem => ({ where, message, remedy, triton })),
  ];
  const config = facts.config ?? parseConfigPbtxt('');
  const wrong = new Set(facts.reading.kind === 'tensors' ? misfitNames(facts, config) : []);
  // An ensemble has no file: its tensors are those of its steps.
  const unread = backend === 'ensemble' && problems.length === 0 ? 'fits' : 'not checked';
  const rows = (['input', 'output'] as const).flatMap((side) => rowsOf(side, config, facts.reading, unread));
  const unchecked = notChecked(facts);
  const needs = facts.config === null ? [] : imageNeeds(folder.name, facts.text);
  return {
    ...{ name: folder.name, backend, verdict: verdictOf(problems.length, unchecked), problems },
    ...{ servedBy: localBackends[backend] ?? null, image: imageWith(backend, defaultRelease) },
    ...(needs.length === 0 ? {} : { needs }),
    notChecked: unchecked,
    versions: servedVersions(config, folder.versions),
    steps: ensembleModels(config),
    named: facts.named,
    tensors: rows.map((row) => (wrong.has(`${row.side} ${row.name}`) ? { ...row, result: 'differs' } : row)),
    diff: diffOf(facts, found),
  };
}

const misfitNames = ({ folder, reading }: ModelFacts, config: ModelConfig): readonly string[] =>
  reading.kind === 'tensors'
    ? tensorMisfits(folder.name, config, reading.tensors).map(({ side, name }) => `${side} ${name}`)
    : [];
