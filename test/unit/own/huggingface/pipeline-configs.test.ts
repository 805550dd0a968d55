import { describe, expect, it } from 'vitest';
import type { Signature } from '../../../../main/contract/run/artefacts';
import { pipelineModels } from '../../../../main/own/huggingface/pipeline-configs';
import type { PipelinePlan, StepTask } from '../../../../main/own/huggingface/pipeline-plan';
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
const plan = (task: StepTask, lastStep: string | null): PipelinePlan & { readonly task: StepTask } => ({
  ...{ name: 'my-bert', task, lastStep, mostTokens: 64 },
});

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

  it('hands the places of tokens to the spans, and calls a vector what it is', () => {
    const spans = pipelineModels(plan('token-classification', 'spans.py'), signature('logits', -1, 5), 4);
    expect(spans[0]?.config).toContain('{ name: "offsets" data_type: TYPE_INT64 dims: [ -1, 2 ] }');
    expect(spans.at(-1)?.config).toContain('input_map { key: "offsets" value: "offsets" }');
    const vectors = pipelineModels(plan('sentence-similarity', null), signature('sentence_embedding', 32), 4);
    expect(vectors.map(({ name }) => name)).toEqual(['my-bert-tokenizer', 'my-bert-model', 'my-bert']);
    expect(vectors.at(-1)?.config).toContain('output_map { key: "sentence_embedding" value: "EMBEDDING" }');
    expect(vectors.at(-1)?.config).toContain('{ name: "EMBEDDING" data_type: TYPE_FP32 dims: [ 32 ] }');
  });
});
