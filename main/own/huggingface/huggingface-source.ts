import { formatBytes, formatCount } from '../../contract/numbers';
import { type HuggingFaceModel, huggingFaceTaskTitle } from '../../contract/run/hugging-face';
import type { ModelSource } from '../../contract/run/run-spec';
import { present } from '../../contract/trees';
import { someOf } from '../../platform/lines';
import { fileRefused } from '../model-files';
import { modelTitle } from '../own-preset';
import { type Architecture, architectureOf, features } from './architectures';
import { hubPlaceOf } from './hub-place';
import type { HuggingFaceFacts } from './read-folder';
import { type ChosenShapes, type ModelTensors, modelTensors } from './tensors';

/** The first that has the normalisation of layers as one operator. */
const opset = 17;

interface HuggingFaceReading {
  readonly source: ModelSource;
  /** What it is, what it is served as, and what is missing; one sentence each. */
  readonly notes: readonly string[];
}

/** In the cache of the hub a folder is called by its revision, and the one above by the model. */
const titleOf = (folder: string): string => hubPlaceOf(folder)?.id.replace(/^.*\//, '') ?? modelTitle(folder);

/** A class of the table; a sentence model is its encoder, whatever head was trained with it. */
export function servedArchitecture(folder: string, facts: HuggingFaceFacts): Architecture {
  const found = architectureOf(facts.modelType, facts.architecture);
  // The reader refuses others.
  if (found === null) throw fileRefused(folder, `${facts.architecture} is not exported`, 'Open it again.');
  return facts.sentence === null ? found : { ...found, head: features };
}

const dtypeTitles: Readonly<Record<string, string>> = {
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
  F64: 'float64',
};

function weightsText({ weights: { files, bytes, parameters, dtypes } }: HuggingFaceFacts): string {
  const types = dtypes.map((dtype) => dtypeTitles[dtype] ?? dtype).join(' and ');
  const parts = files.length === 1 ? '' : ` in ${files.length} files`;
  const smaller = dtypes.some((dtype) => dtype !== 'F32') ? ' The reference and the export use float32.' : '';
  return `${formatCount(parameters)} parameters as ${types}, ${formatBytes(bytes)}${parts}.${smaller}`;
}

const shown = ({ name, shape }: ModelSource['outputs'][number]): string =>
  `${name} [${shape.map((size) => (size < 0 ? '?' : size)).join(', ')}]`;

const named = (tensors: readonly ModelSource['outputs'][number][]): string => tensors.map(shown).join(', ');

/** Who makes the inputs of what a caller has. */
function callerText(
  { input }: Architecture,
  { has: { tokenizer, processor } }: HuggingFaceFacts,
): readonly string[] {
  switch (input) {
    case 'text':
    case 'decoder':
    case 'text-to-text':
      return [
        tokenizer
          ? 'It is served as tensors: a caller makes the token ids with the tokenizer of the folder.'
          : 'The folder has no tokenizer: callers need the one that the model was trained with.',
      ];
    case 'image':
    case 'audio':
    case 'speech-to-text':
      return [
        processor
          ? 'It is served as tensors: a caller makes them with the processor of the folder.'
          : 'The folder has no preprocessor_config.json: callers need the processor that the model was trained with.',
      ];
  }
}

function lengthNotes({ lengths, sizeFrom, inputs }: ModelTensors): readonly string[] {
  const [first] = inputs;
  if (sizeFrom !== null) {
    const [, , height = 0, width = 0] = first?.shape ?? [];
    return [`Images have ${height} × ${width} pixels, by ${sizeFrom}.`];
  }
  if (lengths === null) return [];
  const { most, longest, usual } = lengths;
  const limit =
    most === null ? 'the model states no maximum length' : `the model takes up to ${formatCount(most)}`;
  return [
    `Samples have ${usual} tokens where speed is measured and up to ${longest} where outputs are compared; ${limit}. --shape input_ids=1,N sets another length.`,
  ];
}

/** License and origin, of the model card and the name of the folder. */
function originNotes(folder: string, { card }: HuggingFaceFacts): readonly string[] {
  const hub = hubPlaceOf(folder);
  const license = card?.license ?? null;
  return [
    ...(hub === null ? [] : [`From the hub: ${hub.id} at ${hub.revision}.`]),
    card === null
      ? 'The folder has no README.md: its license is not known.'
      : license === null
        ? `The model card states no license${card.problem === undefined ? '' : `: ${card.problem}`}.`
        : `License by the model card: ${license}.`,
  ];
}

function notesOf(
  folder: string,
  facts: HuggingFaceFacts,
  architecture: Architecture,
  tensors: ModelTensors,
): string[] {
  const { title, name, head, input } = architecture;
  const task = facts.sentence === null ? head.task : 'sentence-similarity';
  const pooled = facts.sentence === null ? '' : `, ${facts.sentence.pooling} pooling`;
  const { ignored, others } = facts;
  const isGenerating = ['decoder', 'text-to-text', 'speech-to-text'].includes(input);
  return [
    `${title} for ${huggingFaceTaskTitle[task]} (${name}${pooled}): ${weightsText(facts)}`,
    `Inputs: ${named(tensors.inputs)}. Outputs: ${named(tensors.outputs)}.`,
    ...callerText(architecture, facts),
    ...(isGenerating
      ? ['One request is one forward pass to the logits; the caller chooses the next token.']
      : []),
    ...lengthNotes(tensors),
    ...originNotes(folder, facts),
    ...(others.length === 0 ? [] : [`config.json also names ${someOf(others)}, which is not served.`]),
    ...(ignored.pickles.length === 0 ? [] : [`Not read: ${someOf(ignored.pickles)} (pickles).`]),
    ...(ignored.code.length === 0 ? [] : [`Not executed: ${someOf(ignored.code)}.`]),
  ];
}

function modelOf(
  facts: HuggingFaceFacts,
  { name, head }: Architecture,
  tensors: ModelTensors,
): HuggingFaceModel {
  const { pad_token_id: padding } = facts.config;
  // Under the mask any token will do where this one has no row.
  const isToken = Number.isSafeInteger(padding) && (padding as number) >= 0;
  const words = facts.config['vocab_size'];
  const isRow = isToken && (typeof words !== 'number' || (padding as number) < words);
  return {
    task: facts.sentence === null ? head.task : 'sentence-similarity',
    architecture: name,
    autoClass: head.autoClass,
    ...present({
      longest: tensors.lengths?.longest,
      most: tensors.lengths?.most,
      paddingId: tensors.lengths === null ? null : isRow ? (padding as number) : 0,
      pooling: facts.sentence?.pooling,
      dense:
        facts.sentence === null || facts.sentence.dense.length === 0
          ? null
          : facts.sentence.dense.map(({ path }) => path),
      normalize: facts.sentence?.normalize,
    }),
  };
}

/** A folder as a model. Executes nothing. Throws model-folder-invalid. */
export function huggingFaceSource(
  folder: string,
  facts: HuggingFaceFacts,
  given: ChosenShapes,
): HuggingFaceReading {
  const architecture = servedArchitecture(folder, facts);
  const tensors = modelTensors(folder, facts, architecture, given);
  return {
    notes: notesOf(folder, facts, architecture, tensors),
    source: {
      kind: 'huggingface',
      path: folder,
      title: titleOf(folder),
      inputs: [...tensors.inputs],
      outputs: [...tensors.outputs],
      batched: true,
      opset,
      externalFiles: [],
      huggingFace: modelOf(facts, architecture, tensors),
    },
  };
}
