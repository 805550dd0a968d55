import { describe, expect, it } from 'vitest';
import { modelConfigSchema } from '../../../main/triton/model-config';
import { compareServedConfig, parseServedConfig } from '../../../main/triton/served-config';

const configured = modelConfigSchema.parse({
  name: 'm',
  platform: 'onnxruntime_onnx',
  maxBatchSize: 8,
  input: [
    { name: 'a', dataType: 'TYPE_FP32', dims: [3, -1] },
    { name: 'b', dataType: 'TYPE_INT64', dims: [1] },
  ],
  instanceGroup: [{ count: 2, kind: 'KIND_AUTO' }],
  dynamicBatching: { preferredBatchSize: [4, 8], maxQueueDelayMicroseconds: 100, preserveOrdering: false },
  parameters: { threads: { stringValue: '2' } },
});

/** As Triton's HTTP service reports it; int64 as strings, as protobuf's JSON has them. */
const reply = {
  name: 'm',
  platform: 'onnxruntime_onnx',
  backend: 'onnxruntime',
  version_policy: { latest: { num_versions: 1 } },
  max_batch_size: 8,
  input: [
    { name: 'b', data_type: 'TYPE_INT64', dims: ['1'], format: 'FORMAT_NONE', optional: false },
    { name: 'a', data_type: 'TYPE_FP32', dims: ['3', '-1'] },
  ],
  output: [{ name: 'c', data_type: 'TYPE_FP32', dims: [7] }],
  instance_group: [{ name: 'm_0', kind: 'KIND_CPU', count: 2, gpus: [] }],
  dynamic_batching: { preferred_batch_size: [4, 8], max_queue_delay_microseconds: '100' },
  parameters: { threads: { string_value: '2' }, other: { string_value: 'x' } },
  a_field_of_tomorrow: { deep: [1] },
};

describe('served configuration', () => {
  it('counts only what was set, whatever the server adds', () => {
    expect(compareServedConfig(configured, parseServedConfig(reply))).toEqual([]);
  });

  it('names a batcher that nobody configured: a backend turns it on by itself', () => {
    const { dynamicBatching: batcher, ...plain } = configured;
    expect(batcher).toBeDefined();
    expect(compareServedConfig(plain, parseServedConfig(reply))).toEqual([
      {
        field: 'dynamic_batching',
        configured: 'not set',
        served: expect.stringContaining('[4,8]') as unknown,
        added: true,
      },
    ]);
    const without = { ...reply, dynamic_batching: undefined };
    expect(compareServedConfig(plain, parseServedConfig(without))).toEqual([]);
  });

  it('names each difference as in config.pbtxt', () => {
    const served = parseServedConfig({
      ...reply,
      platform: 'onnxruntime',
      input: [reply.input[1], { ...reply.input[0], dims: ['2'] }, { name: 'd' }],
      dynamic_batching: { preferred_batch_size: [8], preserve_ordering: true },
      parameters: {},
    });
    expect(compareServedConfig(configured, served)).toEqual([
      { field: 'platform', configured: '"onnxruntime_onnx"', served: '"onnxruntime"' },
      { field: 'input', configured: '2 entries', served: '3 entries' },
      { field: 'input[1].dims', configured: '[1]', served: '[2]' },
      { field: 'dynamic_batching.preferred_batch_size', configured: '[4,8]', served: '[8]' },
      { field: 'dynamic_batching.max_queue_delay_microseconds', configured: '100', served: 'not set' },
      { field: 'dynamic_batching.preserve_ordering', configured: 'false', served: 'true' },
      { field: 'parameters', configured: '{"threads":{"stringValue":"2"}}', served: 'not set' },
    ]);
    expect(
      compareServedConfig(configured, modelConfigSchema.parse({ name: 'm' })).map((one) => one.field),
    ).toContain('dynamic_batching');
  });
});
