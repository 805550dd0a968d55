import { describe, expect, it } from 'vitest';
import type { Signature } from '../../../../main/contract/run/artefacts';
import type { StepTask } from '../../../../main/contract/run/hugging-face';
import { inputsText, pipelineModels } from '../../../../main/own/huggingface/pipeline-configs';
import type { PipelinePlan } from '../../../../main/own/huggingface/pipeline-plan';
import { checkRepositories } from '../../../../main/own/repository/check-repository';
import { directReaders } from '../../../support/direct-readers';
import { useModelBench } from '../../../support/model-bench';
import { onnxBytes } from '../../../support/onnx-bytes';

const bench = useModelBench();

const rows = ['input_ids', 'attention_mask'].map((name) => ({ name, datatype: 'INT64', shape: [-1, -1] }));
const signature = (name: string, ...shape: readonly number[]): Signature => ({
  inputs: rows,
  outputs: [{ name, datatype: 'FP32', shape: [-1, ...shape] }],
});
const plan = (
  task: StepTask,
  lastStep: string | null,
  pairs = false,
): PipelinePlan & { readonly task: StepTask } => ({
  ...{ name: 'my-bert', task, lastStep, mostTokens: 64, texts: 'texts.txt', pairs },
});

const logits = ['start_logits', 'end_logits'];
const answers: Signature = {
  inputs: rows,
  outputs: logits.map((name) => ({ name, datatype: 'FP32', shape: [-1, -1] })),
};

const classes = () => pipelineModels(plan('text-classification', 'labels.py'), signature('logits', 3), 8);

describe('the repository of a pipeline', () => {
  it('is an ensemble that a person would have written', () => {
    const [tokenizer, model, labels, whole] = classes();
    expect([tokenizer, model, labels, whole].map((one) => [one?.name, one?.content])).toEqual([
      ['my-bert-tokenizer', { code: 'tokenizer.py' }],
      ['my-bert-model', 'exported'],
      ['my-bert-labels', { code: 'labels.py' }],
      ['my-bert', null],
    ]);
    expect(model?.config)
      .toBe(`# The exported model. Texts that were padded to one length arrive together; the delay lets them form one batch.
name: "my-bert-model"
platform: "onnxruntime_onnx"
max_batch_size: 8
input [
  { name: "input_ids" data_type: TYPE_INT64 dims: [ -1 ] },
  { name: "attention_mask" data_type: TYPE_INT64 dims: [ -1 ] }
]
output [
  { name: "logits" data_type: TYPE_FP32 dims: [ 3 ] }
]
dynamic_batching { max_queue_delay_microseconds: 100 }
`);
    expect(whole?.config).toContain(`    {
      model_name: "my-bert-labels"
      model_version: -1
      input_map { key: "logits" value: "logits" }
      output_map { key: "LABEL" value: "LABEL" }
      output_map { key: "SCORE" value: "SCORE" }
    }
  ]
}`);
  });

  it.each([
    ['classes', plan('text-classification', 'labels.py'), signature('logits', 3)],
    ['spans', plan('token-classification', 'spans.py'), signature('logits', -1, 5)],
    ['vectors', plan('sentence-similarity', null), signature('sentence_embedding', 32)],
    ['answers', plan('question-answering', 'answers.py'), answers],
    ['pairs', plan('text-classification', 'labels.py', true), signature('logits', 3)],
    ['tokens', plan('fill-mask', 'tokens.py'), signature('logits', -1, 50)],
  ])('of %s has nothing that Triton refuses', async (_what, planned, exported) => {
    const models = pipelineModels(planned, exported, 8);
    const file = onnxBytes({
      inputs: exported.inputs.map(({ name }) => ({ name, type: 7, shape: ['batch', 'tokens'] })),
      outputs: exported.outputs.map(({ name, shape }) => ({
        name,
        shape: shape.map((size, axis) => (size === -1 ? `axis${axis}` : size)),
      })),
    });
    for (const { name, config, content } of models) {
      await bench().put(`r/${name}/config.pbtxt`, config);
      if (content === 'exported') await bench().put(`r/${name}/1/model.onnx`, file);
      else await bench().put(`r/${name}/1/${content === null ? '.keep' : 'model.py'}`, '');
    }
    const { repositories } = await checkRepositories([`${bench().dir}/r`], directReaders);
    const found = repositories.flatMap((repository) => repository.models);
    expect(found.map(({ name }) => name).sort()).toEqual(models.map(({ name }) => name).sort());
    expect(
      found.flatMap(({ name, problems }) => problems.map(({ message }) => `${name}: ${message}`)),
    ).toEqual([]);
  });

  it.each([
    ['image-classification', 'images', 'labels.py', [3, 32, 32], [['logits', 5]], 'LABEL'],
    [
      'object-detection',
      'images',
      'boxes.py',
      [3, -1, -1],
      [
        ['logits', 10, 6],
        ['pred_boxes', 10, 4],
      ],
      'BOX',
    ],
    ['image-segmentation', 'images', 'classes.py', [3, 64, 64], [['logits', 5, 16, 16]], 'CLASS'],
    ['audio-classification', 'audio', 'labels.py', [-1], [['logits', 5]], 'LABEL'],
    ['automatic-speech-recognition', 'audio', 'transcript.py', [-1], [['logits', -1, 32]], 'TEXT'],
  ] as const)(
    'of %s has nothing that Triton refuses',
    async (task, media, lastStep, shape, gives, answered) => {
      const name = media === 'images' ? 'pixel_values' : 'input_values';
      const exported: Signature = {
        inputs: [{ name, datatype: 'FP32', shape: [-1, ...shape] }],
        outputs: gives.map(([output, ...sizes]) => ({
          name: output,
          datatype: 'FP32',
          shape: [-1, ...sizes],
        })),
      };
      const planned: PipelinePlan & { readonly task: StepTask } = {
        name: 'my-vit',
        task,
        lastStep,
        mostTokens: 0,
        media,
      };
      const models = pipelineModels(planned, exported, 8);
      const last = `my-vit-${lastStep.replace('.py', '')}`;
      expect(models.map((one) => one.name)).toEqual([`my-vit-${media}`, 'my-vit-model', last, 'my-vit']);
      const beside = media === 'audio' ? { beside: 'wav.py' } : {};
      expect(models[0]?.content).toEqual({ code: `${media}.py`, ...beside });
      const named = (axes: readonly number[]) =>
        axes.map((size, axis) => (size === -1 ? `axis${axis}` : size));
      const file = onnxBytes({
        inputs: exported.inputs.map((one) => ({ name: one.name, shape: named(one.shape) })),
        outputs: exported.outputs.map((one) => ({ name: one.name, shape: named(one.shape) })),
      });
      for (const { name: model, config, content } of models) {
        await bench().put(`r/${model}/config.pbtxt`, config);
        if (content === 'exported') await bench().put(`r/${model}/1/model.onnx`, file);
        else await bench().put(`r/${model}/1/${content === null ? '.keep' : 'model.py'}`, '');
      }
      const { repositories } = await checkRepositories([`${bench().dir}/r`], directReaders);
      const found = repositories.flatMap((repository) => repository.models);
      expect(found.flatMap(({ problems }) => problems.map(({ message }) => message))).toEqual([]);
      const whole = models.at(-1)?.config;
      expect(whole).toContain(
        media === 'images' ? '"IMAGE" data_type: TYPE_STRING' : '"AUDIO" data_type: TYPE_STRING',
      );
      expect(whole).toContain(`output_map { key: "${answered}" value: "${answered}" }`);
      expect(whole).not.toContain('TRUNCATED');
    },
  );

  it('tells the boxes how large an image was', () => {
    const exported: Signature = {
      inputs: [{ name: 'pixel_values', datatype: 'FP32', shape: [-1, 3, -1, -1] }],
      outputs: [{ name: 'logits', datatype: 'FP32', shape: [-1, 10, 6] }],
    };
    const planned: PipelinePlan & { readonly task: StepTask } = {
      ...{ name: 'my-detr', task: 'object-detection', lastStep: 'boxes.py', mostTokens: 0, media: 'images' },
    };
    const [images, , , whole] = pipelineModels(planned, exported, 8);
    expect(images?.config).toContain('{ name: "image_size" data_type: TYPE_INT64 dims: [ 2 ] }');
    expect(whole?.config).toContain('input_map { key: "image_size" value: "image_size" }');
    expect(whole?.config).toContain('{ name: "BOX" data_type: TYPE_FP32 dims: [ -1, 4 ] }');
  });

  it('hands the places of tokens to the spans, and calls a vector what it is', () => {
    const spans = pipelineModels(plan('token-classification', 'spans.py'), signature('logits', -1, 5), 4);
    expect(spans[0]?.config).toContain('{ name: "offsets" data_type: TYPE_INT64 dims: [ -1, 2 ] }');
    expect(spans.at(-1)?.config).toContain('input_map { key: "offsets" value: "offsets" }');
    const vectors = pipelineModels(plan('sentence-similarity', null), signature('sentence_embedding', 32), 4);
    expect(vectors.map(({ name }) => name)).toEqual(['my-bert-tokenizer', 'my-bert-model', 'my-bert']);
    expect(vectors.at(-1)?.config).toContain('output_map { key: "sentence_embedding" value: "EMBEDDING" }');
    expect(vectors.at(-1)?.config).toContain('{ name: "EMBEDDING" data_type: TYPE_FP32 dims: [ 32 ] }');
  });

  it('asks for a question and its context, which the last step cuts the answer out of', () => {
    const [tokenizer, , last, whole] = pipelineModels(plan('question-answering', 'answers.py'), answers, 4);
    expect([last?.name, inputsText({ task: 'question-answering', pairs: false })]).toEqual([
      'my-bert-answers',
      'Inputs: QUESTION, CONTEXT',
    ]);
    // A tensor of the model has one origin, and the context comes from the caller.
    expect(tokenizer?.config.match(/name: "attention_mask"/g)).toHaveLength(1);
    expect(tokenizer?.config.match(/name: "CONTEXT"/g)).toHaveLength(1);
    expect(whole?.config).toContain(`      model_name: "my-bert-answers"
      model_version: -1
      input_map { key: "start_logits" value: "start_logits" }
      input_map { key: "end_logits" value: "end_logits" }
      input_map { key: "attention_mask" value: "attention_mask" }
      input_map { key: "sequence" value: "sequence" }
      input_map { key: "words" value: "words" }
      input_map { key: "CONTEXT" value: "CONTEXT" }
`);
  });

  it('takes a second text with each one, or none', () => {
    const pairs = plan('text-classification', 'labels.py', true);
    const optional = '{ name: "TEXT_PAIR" data_type: TYPE_STRING dims: [ 1 ] optional: true }';
    const [tokenizer, , , whole] = pipelineModels(pairs, signature('logits', 3), 8);
    for (const one of [tokenizer, whole]) expect(one?.config).toContain(optional);
    expect(whole?.config).toContain('input_map { key: "TEXT_PAIR" value: "TEXT_PAIR" }');
    expect(inputsText(pairs)).toBe('Inputs: TEXT, TEXT_PAIR (optional)');
    expect(classes().at(-1)?.config).not.toContain('TEXT_PAIR');
  });

  it('finds the mask token where the tokens of the text say', () => {
    const masks = pipelineModels(plan('fill-mask', 'tokens.py'), signature('logits', -1, 50), 4);
    expect(masks.map(({ name }) => name)).toContain('my-bert-tokens');
    expect(masks.at(-1)?.config).toContain('input_map { key: "input_ids" value: "input_ids" }');
    expect(masks.at(-1)?.config).toContain('{ name: "TOKEN" data_type: TYPE_STRING dims: [ 5 ] }');
    expect(inputsText({ task: 'fill-mask', pairs: false })).toBe('Input: TEXT');
  });
});
