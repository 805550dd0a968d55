import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { checkCanaryReply, withDriverRemedy, zeroCanary } from '../../../main/engine/serving';
import { modelConfigSchema } from '../../../main/triton/model-config';
import type { Tensor } from '../../../main/triton/tensor';

const config = modelConfigSchema.parse({
  name: 'm',
  maxBatchSize: 4,
  input: [
    { name: 'image', dataType: 'TYPE_FP16', dims: [3, -1] },
    { name: 'ids', dataType: 'TYPE_INT64', dims: [2] },
    { name: 'state', dataType: 'TYPE_FP32', dims: [2], optional: true },
  ],
  output: [{ name: 'out', dataType: 'TYPE_FP32', dims: [2, -1] }],
});

const out = (values: number[], shape: number[], datatype = 'FP32'): Tensor => ({
  name: 'out',
  datatype,
  shape,
  data: new Uint8Array(new Float32Array(values).buffer),
});

describe('an error of the driver', () => {
  it.each([
    ['the provided PTX was compiled with an unsupported toolchain.', 'The driver is older'],
    [
      'CUDA error: no kernel image is available for execution on the device',
      'no code for the compute capability',
    ],
  ])('says what helps: %s', (said, remedy) => {
    const given = new WorkbenchError('model-load-failed', 'Triton cannot load m', {
      where: 'm',
      details: said,
    });
    expect(withDriverRemedy(given)).toMatchObject({
      ...{ code: 'model-load-failed', message: 'Triton cannot load m', where: 'm', details: said },
      remedy: expect.stringContaining(remedy) as string,
    });
  });

  it('is told apart from any other', () => {
    const given = new WorkbenchError('inference-failed', 'out of memory', { remedy: 'less' });
    expect(withDriverRemedy(given)).toBe(given);
  });
});

describe('canary inference', () => {
  it('sends the smallest request that the configuration allows', () => {
    expect(zeroCanary(config).map(({ name, datatype, shape }) => ({ name, datatype, shape }))).toEqual([
      { name: 'image', datatype: 'FP16', shape: [1, 3, 1] },
      { name: 'ids', datatype: 'INT64', shape: [1, 2] },
    ]);
    expect(zeroCanary({ ...config, maxBatchSize: 0 })[0]?.shape).toEqual([3, 1]);
  });

  it('accepts what was configured and nothing else', () => {
    checkCanaryReply(config, [out([1, 2], [1, 2, 1])], 1);
    for (const [outputs, word] of [
      [[], 'is missing'],
      [[out([1, 2], [2, 1])], 'shape'],
      [[out([1, 2], [2, 1, 1])], 'shape'],
      [[out([1, 2], [1, 2, 1], 'INT32')], 'INT32'],
      [[out([1, NaN], [1, 2, 1])], 'NaN at position 1'],
      [[out([-Infinity, 1], [1, 2, 1])], '-Infinity'],
      [[out([1], [1, 2, 1])], '4 bytes'],
    ] satisfies [Tensor[], string][]) {
      expect(() => {
        checkCanaryReply(config, outputs, 1);
      }).toThrow(word);
    }
  });
});
