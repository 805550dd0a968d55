import { describe, expect, it } from 'vitest';
import { fieldAt } from '../../../../main/contract/fields/fields';
import { parameterText } from '../../../../main/contract/fields/parameter-text';

const text = (path: string, value: unknown) => parameterText(fieldAt(path), value);

describe('the value of a parameter', () => {
  it('is an amount with separators and its unit, or a name by its digits', () => {
    expect(text('performance.measurementIntervalMs', 5000)).toBe('5,000 ms');
    expect(text('configure.maxBatchSize', 1024)).toBe('1,024');
    expect(text('engine.httpPort', 18_000)).toBe('18000');
  });

  it('of bytes is told in the larger unit too', () => {
    expect(text('performance.outputSharedMemoryBytes', 102_400)).toBe('102,400 B (100.0 KiB)');
    expect(text('performance.outputSharedMemoryBytes', 512)).toBe('512 B');
  });

  it('is the label of a choice, a list, on or off', () => {
    expect(text('performance.protocol', 'grpc')).toBe('gRPC');
    expect(text('performance.batchSizes', [1, 2])).toBe('1, 2');
    expect(text('performance.concurrency', [1, 2, 3, 4, 5, 6])).toBe('1 to 6 in steps of 1');
    expect(text('accuracy.allowUnverified', false)).toBe('off');
  });

  it('of many lengths are the first, and how many', () => {
    expect(text('performance.lengthDistribution', '32,128,512')).toBe('32,128,512');
    expect(text('performance.lengthDistribution', '12 30 7')).toBe('12 30 7');
    const many = Array.from({ length: 1000 }, (_unused, at) => at + 1).join(' ');
    expect(text('performance.lengthDistribution', many)).toBe('1, 2, 3, 4, … (1,000 values)');
  });

  it('of tensors is their name, data type and shape', () => {
    const tensor = { name: 'input_ids', datatype: 'INT64', shape: [-1, 128] };
    expect(text('model.source.outputs', [tensor])).toBe('input_ids INT64 [-1, 128]');
    expect(text('model.source.inputs', [{ ...tensor, sample: [128] }, { odd: 1 }])).toBe(
      'input_ids INT64 [-1, 128], {"odd":1}',
    );
  });

  it('that is not set is what holds in its place, or nothing', () => {
    expect(text('engine.httpPort', undefined)).toBe('a free port');
    expect(text('performance.latencyThresholdMs', 0)).toBe('none');
    expect(text('model.preset', '')).toBeNull();
  });
});
