import type { Signature } from '../../contract/run/artefacts';
import type { PipelinePlan, StepTask } from './pipeline-plan';

/** A tensor of config.pbtxt, without the batch. */
interface Tensor {
  readonly name: string;
  readonly type: string;
  readonly dims: readonly number[];
}

/** A model of the pipeline's repository. */
export interface PipelineModel {
  readonly name: string;
  readonly config: string;
  /** Code of `resources/huggingface/steps`, or the exported file; null: nothing but the configuration. */
  readonly content: { readonly code: string } | 'exported' | null;
}

const text: Tensor = { name: 'TEXT', type: 'STRING', dims: [1] };
const truncated: Tensor = { name: 'TRUNCATED', type: 'BOOL', dims: [1] };
/** What the spans need beside the logits. */
const ofTokens: readonly Tensor[] = [
  { name: 'special_tokens', type: 'INT64', dims: [-1] },
  { name: 'offsets', type: 'INT64', dims: [-1, 2] },
];

/** What the last step answers, and what it takes from the first one. */
const lastTensors: Readonly<
  Record<StepTask, { readonly takes: readonly Tensor[]; readonly gives: readonly Tensor[] }>
> = {
  'text-classification': {
    takes: [],
    gives: [
      { name: 'LABEL', type: 'STRING', dims: [1] },
      { name: 'SCORE', type: 'FP32', dims: [1] },
    ],
  },
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
};

const tensorsOf = (tensors: Signature['inputs']): readonly Tensor[] =>
  tensors.map(({ name, datatype, shape }) => ({ name, type: datatype, dims: shape.slice(1) }));

function listed(side: 'input' | 'output', tensors: readonly Tensor[]): string {
  const lines = tensors.map(
    ({ name, type, dims }) => `  { name: "${name}" data_type: TYPE_${type} dims: [ ${dims.join(', ')} ] }`,
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
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  /** What the last step takes of the first one, beside the outputs of the model. */
  readonly takes: readonly Tensor[];
  /** What the pipeline answers, beside TRUNCATED. */
  readonly gives: readonly Tensor[];
}

interface Names {
  readonly name: string;
  readonly tokenizer: string;
  readonly model: string;
  /** null: the model is the last step. */
  readonly labels: string | null;
}

function ensembleText(
  { tokenizer, model, labels }: Names,
  { inputs, outputs, takes, gives }: Between,
): string {
  // A vector gets the name of what it is; logits go to the last step.
  const answers = outputs.map(({ name }, place): Link => [
    name,
    labels === null ? (gives[place]?.name ?? name) : name,
  ]);
  const steps = [
    stepText(tokenizer, [same(text)], [...inputs, ...takes, truncated].map(same)),
    stepText(model, inputs.map(same), answers),
    ...(labels === null ? [] : [stepText(labels, [...outputs, ...takes].map(same), gives.map(same))]),
  ];
  return `ensemble_scheduling {\n  step [\n${steps.join(',\n')}\n  ]\n}`;
}

const forms = {
  tokenizer: {
    comment:
      'Texts to the tensors of the model. Requests that wait are taken together and padded to one length.',
    kind: 'backend: "python"',
    rest: ['dynamic_batching { }', 'instance_group [ { count: 1 kind: KIND_CPU } ]'],
  },
  model: {
    comment:
      'The exported model. Texts that were padded to one length arrive together; the delay lets them form one batch.',
    kind: 'platform: "onnxruntime_onnx"',
    rest: ['dynamic_batching { max_queue_delay_microseconds: 100 }'],
  },
  labels: {
    comment: 'What the model answers to labels and scores.',
    kind: 'backend: "python"',
    rest: ['dynamic_batching { }', 'instance_group [ { count: 1 kind: KIND_CPU } ]'],
  },
} as const;

/** The steps in order, and after them the ensemble. @param signature of the exported model */
export function pipelineModels(
  { name, task, lastStep }: PipelinePlan & { readonly task: StepTask },
  signature: Signature,
  maxBatchSize: number,
): readonly PipelineModel[] {
  const [inputs, outputs] = [tensorsOf(signature.inputs), tensorsOf(signature.outputs)];
  const { takes } = lastTensors[task];
  const gives =
    lastStep === null ? outputs.map((one) => ({ ...one, name: 'EMBEDDING' })) : lastTensors[task].gives;
  const names: Names = {
    ...{ name, tokenizer: `${name}-tokenizer`, model: `${name}-model` },
    labels: lastStep === null ? null : `${name}-labels`,
  };
  const made = [...inputs, ...takes, truncated];
  const models: PipelineModel[] = [
    {
      name: names.tokenizer,
      content: { code: 'tokenizer.py' },
      config: configText({
        ...forms.tokenizer,
        ...{ name: names.tokenizer, maxBatchSize, inputs: [text], outputs: made },
      }),
    },
    {
      name: names.model,
      content: 'exported',
      config: configText({ ...forms.model, name: names.model, maxBatchSize, inputs, outputs }),
    },
  ];
  if (names.labels !== null && lastStep !== null) {
    const taken = [...outputs, ...takes];
    const given = { name: names.labels, maxBatchSize, inputs: taken, outputs: gives };
    models.push({
      name: names.labels,
      content: { code: lastStep },
      config: configText({ ...forms.labels, ...given }),
    });
  }
  const whole = {
    comment: 'The pipeline: each request passes these steps inside of Triton.',
    kind: 'platform: "ensemble"',
    rest: [ensembleText(names, { inputs, outputs, takes, gives })],
  };
  const answered = [...gives, truncated];
  const config = configText({ ...whole, name, maxBatchSize, inputs: [text], outputs: answered });
  return [...models, { name, content: null, config }];
}
