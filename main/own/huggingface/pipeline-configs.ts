import type { Signature } from '../../contract/run/artefacts';
import type { PipelineMedia, StepTask } from '../../contract/run/hugging-face';
import type { PipelinePlan } from './pipeline-plan';

/** A tensor of config.pbtxt, without the batch. */
interface Tensor {
  readonly name: string;
  readonly type: string;
  readonly dims: readonly number[];
  /** A caller may leave it out. */
  readonly optional?: true;
}

interface StepCode {
  /** File that becomes model.py. */
  readonly code: string;
  /** File that it imports. */
  readonly beside?: string;
}

/** A model of the pipeline's repository. */
export interface PipelineModel {
  readonly name: string;
  readonly config: string;
  /** Code of `resources/huggingface/steps`, or the exported file; null: nothing but the configuration. */
  readonly content: StepCode | 'exported' | null;
}

const text: Tensor = { name: 'TEXT', type: 'STRING', dims: [1] };
const textPair: Tensor = { name: 'TEXT_PAIR', type: 'STRING', dims: [1], optional: true };
const truncated: Tensor = { name: 'TRUNCATED', type: 'BOOL', dims: [1] };
/** A file in each row. */
const ofMedia: Readonly<Record<PipelineMedia, Tensor>> = {
  images: { name: 'IMAGE', type: 'STRING', dims: [1] },
  audio: { name: 'AUDIO', type: 'STRING', dims: [1] },
};
/** File in `resources/huggingface/steps` that reads recordings. */
export const wavReader = 'wav.py';
/** Height and width, before the first step resizes it. */
const imageSize: Tensor = { name: 'image_size', type: 'INT64', dims: [2] };
const bestLabel: readonly Tensor[] = [
  { name: 'LABEL', type: 'STRING', dims: [1] },
  { name: 'SCORE', type: 'FP32', dims: [1] },
];
/** What the spans need beside the logits. */
const ofTokens: readonly Tensor[] = [
  { name: 'special_tokens', type: 'INT64', dims: [-1] },
  { name: 'offsets', type: 'INT64', dims: [-1, 2] },
];

/** Where the words of a pair are, and which tokens count. */
const ofPairs: readonly Tensor[] = [
  { name: 'attention_mask', type: 'INT64', dims: [-1] },
  { name: 'sequence', type: 'INT64', dims: [-1] },
  { name: 'words', type: 'INT64', dims: [-1, 2] },
];
const context: Tensor = { name: 'CONTEXT', type: 'STRING', dims: [1] };

interface TaskTensors {
  /** What a caller sends; absent: TEXT. */
  readonly asks?: readonly Tensor[];
  /** What the last step is called; absent: labels. */
  readonly last?: string;
  /** What the last step takes beside the outputs of the model: of the first step, or of the caller. */
  readonly takes: readonly Tensor[];
  /** What the last step answers. */
  readonly gives: readonly Tensor[];
}

const tensorsOfTasks: Readonly<Record<StepTask, TaskTensors>> = {
  'text-classification': { takes: [], gives: bestLabel },
  'token-classification': {
    takes: ofTokens,
    gives: [
      { name: 'LABEL', type: 'STRING', dims: [-1] },
      { name: 'SCORE', type: 'FP32', dims: [-1] },
      { name: 'START', type: 'INT32', dims: [-1] },
      { name: 'END', type: 'INT32', dims: [-1] },
    ],
  },
  'sentence-similarity': { takes: [], gives: [] },
  'question-answering': {
    asks: [{ name: 'QUESTION', type: 'STRING', dims: [1] }, context],
    last: 'answers',
    takes: [...ofPairs, context],
    gives: [
      { name: 'ANSWER', type: 'STRING', dims: [1] },
      { name: 'SCORE', type: 'FP32', dims: [1] },
      { name: 'START', type: 'INT32', dims: [1] },
      { name: 'END', type: 'INT32', dims: [1] },
    ],
  },
  'fill-mask': {
    last: 'tokens',
    takes: [{ name: 'input_ids', type: 'INT64', dims: [-1] }],
    gives: [
      { name: 'TOKEN', type: 'STRING', dims: [5] },
      { name: 'SCORE', type: 'FP32', dims: [5] },
    ],
  },
  'image-classification': { takes: [], gives: bestLabel },
  'audio-classification': { takes: [], gives: bestLabel },
  'automatic-speech-recognition': { last: 'transcript', takes: [], gives: [text] },
  'image-segmentation': {
    last: 'classes',
    takes: [imageSize],
    gives: [{ name: 'CLASS', type: 'INT32', dims: [-1, -1] }],
  },
  'object-detection': {
    last: 'boxes',
    takes: [imageSize],
    gives: [
      { name: 'LABEL', type: 'STRING', dims: [-1] },
      { name: 'SCORE', type: 'FP32', dims: [-1] },
      { name: 'BOX', type: 'FP32', dims: [-1, 4] },
    ],
  },
};

type Asked = Pick<PipelinePlan, 'pairs' | 'media'> & { readonly task: StepTask };

function asksOf({ task, pairs, media }: Asked): readonly Tensor[] {
  if (media !== undefined) return [ofMedia[media]];
  return tensorsOfTasks[task].asks ?? (pairs === true ? [text, textPair] : [text]);
}

/** "Input: TEXT". */
export function inputsText(asked: Asked): string {
  const names = asksOf(asked).map(({ name, optional }) => (optional === true ? `${name} (optional)` : name));
  return `${names.length === 1 ? 'Input' : 'Inputs'}: ${names.join(', ')}`;
}

const tensorsOf = (tensors: Signature['inputs']): readonly Tensor[] =>
  tensors.map(({ name, datatype, shape }) => ({ name, type: datatype, dims: shape.slice(1) }));

function listed(side: 'input' | 'output', tensors: readonly Tensor[]): string {
  const lines = tensors.map(
    ({ name, type, dims, optional }) =>
      `  { name: "${name}" data_type: TYPE_${type} dims: [ ${dims.join(', ')} ]${optional === true ? ' optional: true' : ''} }`,
  );
  return `${side} [\n${lines.join(',\n')}\n]`;
}

interface Written {
  readonly comment: string;
  readonly name: string;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  readonly maxBatchSize: number;
  readonly kind: string;
  readonly rest: readonly string[];
}

const configText = ({ comment, name, inputs, outputs, maxBatchSize, kind, rest }: Written): string =>
  [
    `# ${comment}`,
    `name: "${name}"`,
    kind,
    `max_batch_size: ${maxBatchSize}`,
    listed('input', inputs),
    listed('output', outputs),
    ...rest,
    '',
  ].join('\n');

/** Name of a tensor in the step, and in the ensemble. */
type Link = readonly [inStep: string, inEnsemble: string];

function stepText(model: string, inputs: readonly Link[], outputs: readonly Link[]): string {
  const maps = (side: 'input' | 'output', links: readonly Link[]) =>
    links.map(([key, value]) => `      ${side}_map { key: "${key}" value: "${value}" }`);
  return [
    '    {',
    `      model_name: "${model}"`,
    '      model_version: -1',
    ...maps('input', inputs),
    ...maps('output', outputs),
    '    }',
  ].join('\n');
}

const same = ({ name }: Tensor): Link => [name, name];

/** Tensors between the steps. */
interface Between {
  readonly asks: readonly Tensor[];
  /** What the first step makes. */
  readonly made: readonly Tensor[];
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  /** What the last step takes beside the outputs of the model. */
  readonly takes: readonly Tensor[];
  /** What the pipeline answers, beside that of the first step. */
  readonly gives: readonly Tensor[];
}

interface Names {
  readonly name: string;
  readonly first: string;
  readonly model: string;
  /** null: the model is the last step. */
  readonly labels: string | null;
}

function ensembleText(
  { first, model, labels }: Names,
  { asks, made, inputs, outputs, takes, gives }: Between,
): string {
  // A vector gets the name of what it is; logits go to the last step.
  const answers = outputs.map(({ name }, place): Link => [
    name,
    labels === null ? (gives[place]?.name ?? name) : name,
  ]);
  const steps = [
    stepText(first, asks.map(same), made.map(same)),
    stepText(model, inputs.map(same), answers),
    ...(labels === null ? [] : [stepText(labels, [...outputs, ...takes].map(same), gives.map(same))]),
  ];
  return `ensemble_scheduling {\n  step [\n${steps.join(',\n')}\n  ]\n}`;
}

const inPython = {
  kind: 'backend: "python"',
  rest: ['dynamic_batching { }', 'instance_group [ { count: 1 kind: KIND_CPU } ]'],
} as const;

const forms = {
  tokenizer: {
    comment:
      'Texts to the tensors of the model. Requests that wait are taken together and padded to one length.',
    ...inPython,
  },
  images: {
    comment: 'Encoded images to the tensor of the model.',
    ...inPython,
  },
  audio: {
    comment: 'WAV files to the tensor of the model.',
    ...inPython,
  },
  // Of images and audio.
  media: {
    comment: 'The exported model. The delay lets requests of one shape form one batch.',
    kind: 'platform: "onnxruntime_onnx"',
    rest: ['dynamic_batching { max_queue_delay_microseconds: 100 }'],
  },
  model: {
    comment:
      'The exported model. Texts that were padded to one length arrive together; the delay lets them form one batch.',
    kind: 'platform: "onnxruntime_onnx"',
    rest: ['dynamic_batching { max_queue_delay_microseconds: 100 }'],
  },
  labels: {
    comment: 'Outputs of the model to what a caller reads.',
    ...inPython,
  },
  classes: {
    comment: 'What the model answers to the class of each pixel.',
    ...inPython,
  },
  transcript: {
    comment: 'What the model answers to the text of a recording.',
    ...inPython,
  },
} as const;

function lastForm(last: string) {
  if (last === 'transcript') return forms.transcript;
  return last === 'classes' ? forms.classes : forms.labels;
}

/** What the pipeline says of its input: of a text, whether it was cut. */
const toldOf = ({ media }: Asked): readonly Tensor[] => (media === undefined ? [truncated] : []);

/** What the model takes, what the last step needs of the texts, and what is said of them. */
function madeOf(inputs: readonly Tensor[], asked: Asked): readonly Tensor[] {
  const there = [...inputs, ...asksOf(asked)].map(({ name }) => name);
  const { takes } = tensorsOfTasks[asked.task];
  return [...inputs, ...takes.filter(({ name }) => !there.includes(name)), ...toldOf(asked)];
}

/** The steps in order, and after them the ensemble. @param signature of the exported model */
export function pipelineModels(
  plan: PipelinePlan & { readonly task: StepTask },
  signature: Signature,
  maxBatchSize: number,
): readonly PipelineModel[] {
  const { name, task, lastStep, media } = plan;
  const [inputs, outputs] = [tensorsOf(signature.inputs), tensorsOf(signature.outputs)];
  const { takes, last = 'labels', gives: answers } = tensorsOfTasks[task];
  const gives = lastStep === null ? outputs.map((one) => ({ ...one, name: 'EMBEDDING' })) : answers;
  const firstStep = media ?? 'tokenizer';
  const names: Names = {
    ...{ name, first: `${name}-${firstStep}`, model: `${name}-model` },
    labels: lastStep === null ? null : `${name}-${last}`,
  };
  const [asks, made] = [asksOf(plan), madeOf(inputs, plan)];
  const models: PipelineModel[] = [
    {
      name: names.first,
      content: { code: `${firstStep}.py`, ...(media === 'audio' ? { beside: wavReader } : {}) },
      config: configText({
        ...forms[firstStep],
        ...{ name: names.first, maxBatchSize, inputs: asks, outputs: made },
      }),
    },
    {
      name: names.model,
      content: 'exported',
      config: configText({
        ...forms[media === undefined ? 'model' : 'media'],
        ...{ name: names.model, maxBatchSize, inputs, outputs },
      }),
    },
  ];
  if (names.labels !== null && lastStep !== null) {
    const taken = [...outputs, ...takes];
    const given = { name: names.labels, maxBatchSize, inputs: taken, outputs: gives };
    models.push({
      name: names.labels,
      content: { code: lastStep },
      config: configText({ ...lastForm(last), ...given }),
    });
  }
  const whole = {
    comment: 'The pipeline: each request passes these steps inside of Triton.',
    kind: 'platform: "ensemble"',
    rest: [ensembleText(names, { asks, made, inputs, outputs, takes, gives })],
  };
  const answered = [...gives, ...toldOf(plan)];
  const config = configText({ ...whole, name, maxBatchSize, inputs: asks, outputs: answered });
  return [...models, { name, content: null, config }];
}
