import { describe, expect, it } from 'vitest';
import type { ConfigureSpec } from '../../../main/contract/run/run-spec';
import { ownConfigText, ownEdits, ownFields, type RepositorySource } from '../../../main/formats/own-config';

const text = `# tuned by hand
name: "m"   backend: "onnxruntime"
max_batch_size: 16  # measured
dynamic_batching {
  preferred_batch_size: [ 4, 8 ]
  max_queue_delay_microseconds: 100
  priority_levels: 2, default_priority_level: 1
  default_queue_policy { max_queue_size: 32 }
}
instance_group [ { count: 2 kind: KIND_CPU } ]
parameters { key: "intra_op_thread_count" value { string_value: "3" } }
`;

function sourceOf(config: string | null, backend = 'onnxruntime', batched = false): RepositorySource {
  const models = [{ name: 'm', backend }];
  return {
    ...{ kind: 'repository', path: '/r/m', title: 'm', inputs: [], outputs: [], batched, externalFiles: [] },
    repository: { models, with: [], version: 3, config },
  };
}

const other = { warmup: 'none', backendAccelerator: 'none', captureCudaGraph: false } as const;

function changed(source: RepositorySource, fields: Partial<ConfigureSpec>) {
  return { source, configure: { ...ownFields(source), ...other, ...fields } as ConfigureSpec };
}

describe('ownFields', () => {
  it('has the values of the file', () => {
    expect(ownFields(sourceOf(text))).toStrictEqual({
      ...{ modelName: 'm', modelVersion: 3, maxBatchSize: 16, batching: 'dynamic' },
      ...{ preferredBatchSizes: [4, 8], maxQueueDelayUs: 100, maxQueueSize: 32 },
      ...{ instances: 2, instanceKind: 'KIND_CPU', threads: 3, configPatch: {} },
    });
  });

  it.each([
    ['dynamic_batching that no batch size allows', 'dynamic_batching { }', { batching: 'disabled' }],
    ['a batch size without dynamic_batching', 'max_batch_size: 2', { batching: 'static', maxBatchSize: 2 }],
    ['nothing but a GPU', 'instance_group { kind: KIND_GPU }', { instanceKind: 'KIND_GPU', instances: 1 }],
    [
      'what a load must know',
      'model_transaction_policy { decoupled: true }',
      { configPatch: { modelTransactionPolicy: { decoupled: true } } },
    ],
  ])('of %s', (_what, config, fields) => {
    expect(ownFields(sourceOf(config))).toMatchObject(fields);
  });

  it('are those that Triton completes, of a model without a configuration whose tensors batch', () => {
    expect(ownFields(sourceOf(null, 'onnxruntime', true))).toMatchObject({
      ...{ maxBatchSize: 4, batching: 'dynamic', preferredBatchSizes: [] },
    });
  });
});

describe('ownConfigText', () => {
  it('is the file, byte for byte, where the form has its values', () => {
    expect(ownConfigText(changed(sourceOf(text), {}))).toStrictEqual({ text, diff: '' });
    expect(ownConfigText(changed(sourceOf(null), {}))).toStrictEqual({ text: null, diff: '' });
  });

  it.each<readonly [Partial<ConfigureSpec>, string, string]>([
    [{ maxBatchSize: 32 }, 'max_batch_size: 16  #', 'max_batch_size: 32  #'],
    [{ instances: 4 }, 'count: 2', 'count: 4'],
    [{ instanceKind: 'KIND_GPU' }, 'KIND_CPU', 'KIND_GPU'],
    [{ preferredBatchSizes: [2, 16] }, '[ 4, 8 ]', '[ 2, 16 ]'],
    [{ maxQueueDelayUs: 250 }, 'microseconds: 100', 'microseconds: 250'],
    [{ maxQueueSize: 64 }, 'max_queue_size: 32', 'max_queue_size: 64'],
    [{ threads: 1 }, 'string_value: "3"', 'string_value: "1"'],
  ])('%j changes that field alone', (fields, before, after) => {
    const own = ownConfigText(changed(sourceOf(text), fields));
    expect(own.text).toBe(text.replace(before, after));
    expect(own.diff).toContain('--- a/m/config.pbtxt\n');
    expect(own.diff.split('\n').filter((line) => /^[+-](?![+-])/.test(line))).toHaveLength(2);
  });

  it('writes what the file lacks, and removes what is switched off', () => {
    const plain = sourceOf('max_batch_size: 8 # kept\n');
    expect(ownConfigText(changed(plain, { instances: 3 })).text).toMatch(
      /^max_batch_size: 8 # kept\ninstance_group[\s\S]*count: 3/,
    );
    const delayed = ownConfigText(changed(plain, { batching: 'dynamic', maxQueueDelayUs: 50 }));
    expect(delayed.text).toMatch(/dynamic_batching[\s\S]*max_queue_delay_microseconds: 50/);
    const off = ownConfigText(changed(sourceOf(text), { batching: 'static' })).text ?? '';
    expect(off).not.toContain('dynamic_batching');
    expect(off).toContain('instance_group [ { count: 2 kind: KIND_CPU } ]');
  });

  it('begins a file where the model has none', () => {
    const own = ownConfigText(changed(sourceOf(null), { instances: 2 }));
    expect(own.text).toMatch(/instance_group[\s\S]*count: 2/);
    expect(own.diff).toContain('--- /dev/null');
  });

  it.each<readonly [string, Partial<ConfigureSpec>, RepositorySource, string]>([
    ['the name', { modelName: 'n' }, sourceOf(text), 'the name of its folder, m'],
    ['a version', { modelVersion: 1 }, sourceOf(text), 'version_policy'],
    ['batching of a model that has none', { batching: 'static', maxBatchSize: 4 }, sourceOf(''), 'axes'],
    ['no batching', { batching: 'disabled' }, sourceOf(text), 'axes'],
    ['instances of an ensemble', { instances: 2 }, sourceOf('', 'ensemble'), 'those of its steps'],
    ['the queue of an ensemble', { maxQueueDelayUs: 5 }, sourceOf('', 'ensemble'), 'does not batch'],
    ['one of two groups', { instances: 4 }, sourceOf('instance_group [ {}, {} ]'), 'has 2 groups'],
    ['threads of Python', { threads: 2 }, sourceOf(text, 'python'), 'The backend python'],
    [
      'a batcher of sequences',
      { batching: 'dynamic' },
      sourceOf('max_batch_size: 4 sequence_batching {}'),
      'excludes',
    ],
    ['a warm-up', { warmup: 'zero' }, sourceOf(text), 'no field here'],
    ['an accelerator', { backendAccelerator: 'trt' }, sourceOf(text), 'no field here'],
    ['an edit by hand', { configPatch: { name: 'x' } }, sourceOf(text), 'no field here'],
  ])('refuses %s, with the reason', (_what, fields, source, reason) => {
    const own = changed(source, fields);
    const { refused } = ownEdits(own);
    expect(refused[0]?.message).toContain(reason);
    expect(() => ownConfigText(own)).toThrow(refused[0]?.message ?? 'nothing');
  });
});
