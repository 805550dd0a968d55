import { expect, it } from 'vitest';
import { goldenCheckSchema } from '../../../main/contract/golden';
import { checkGolden } from '../../../main/golden/check-golden';
import type { GoldenSample } from '../../../main/golden/golden-samples';
import type { TritonClient } from '../../../main/triton/client';
import { encodeTexts } from '../../../main/triton/encode-values';
import type { ModelConfig } from '../../../main/triton/model-config';
import type { Tensor } from '../../../main/triton/tensor';

const texts = (name: string, ...values: readonly string[]): Tensor => ({
  ...{ name, datatype: 'BYTES', shape: [1, values.length], data: encodeTexts(values) },
});
const config = { ...{ name: 'm', maxBatchSize: 8, input: [], output: [] } } as unknown as ModelConfig;

/** Answers each text with its last word, and with something that cannot be read. */
const client = {
  infer: ({ inputs }: { readonly inputs: readonly Tensor[] }) => {
    const text = Buffer.from(inputs[0]?.data.subarray(4) ?? []).toString();
    const unread = { name: 'STRANGE', datatype: 'NEW', shape: [1], data: Buffer.alloc(1) };
    return Promise.resolve({ outputs: [texts('LABEL', text.split(' ').at(-1) ?? ''), unread] });
  },
} as unknown as TritonClient;

const check = (samples: readonly GoldenSample[]) =>
  checkGolden({ client, model: 'm', version: '', config, samples, rules: {} });

it('judges what came by what is true, also where it is not compared', async () => {
  const labeled = (id: string, text: string, label: string): Omit<GoldenSample, 'outputs'> => ({
    ...{ id, inputs: [texts('TEXT', text)], truth: { kind: 'label', label } },
  });
  const found = await check([
    { ...labeled('0', 'this is good', 'good'), outputs: [texts('LABEL', 'good')] },
    // A tie: Triton has the other label, which happens to be the right one.
    { ...labeled('1', 'this is bad', 'bad'), outputs: [], notCompared: [texts('LABEL', 'good')] },
    { id: '2', inputs: [texts('TEXT', 'this is neither')], outputs: [texts('LABEL', 'neither')] },
  ]);
  expect(goldenCheckSchema.parse(found)).toEqual(found);
  expect(found).toMatchObject({ passed: true, samples: 2, labeled: 2, notChecked: ['STRANGE'] });
  expect(found.outputs).toMatchObject([{ output: 'LABEL', samples: 2, differing: 0 }]);
  expect(found.figures?.[0]).toEqual({ name: 'accuracy', framework: 0.5, triton: 1 });
});

it('has no figures without labels', async () => {
  const found = await check([{ id: '0', inputs: [texts('TEXT', 'a b')], outputs: [texts('LABEL', 'c')] }]);
  expect([found.passed, 'figures' in found, 'labeled' in found]).toEqual([false, false, false]);
});
