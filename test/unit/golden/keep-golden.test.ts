import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepCheck, keptSamples, readSamples } from '../../../main/deployments/version-check';
import { keepGolden } from '../../../main/golden/keep-golden';
import { encodeTexts } from '../../../main/triton/encode-values';
import type { Tensor } from '../../../main/triton/tensor';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-kept-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const floats = (name: string, ...values: number[]): Tensor => ({
  ...{ name, datatype: 'FP32', shape: [1, values.length] },
  data: new Uint8Array(Float32Array.from(values).buffer),
});
const label = (text: string): Tensor => ({
  ...{ name: 'label', datatype: 'BYTES', shape: [1, 1], data: encodeTexts([text]) },
});
const sample = (id: string) => ({
  id,
  inputs: [floats('x', 1, 2)],
  outputs: [floats('508', 3), label(id), floats('scores', 1)],
});

it('keeps samples, and the rule of each output that is compared, for deployments and bundles', async () => {
  const [from, to] = [join(dir, 'run'), join(dir, 'deployed')];
  const rules = { label: { by: 'text' as const, ignore: ['case' as const] } };
  await keepGolden(from, { samples: [sample('a'), sample('b')], rules, file: 'ocr.json' });
  const check = { canary: null, anyValues: true, atol: {}, rtol: {}, maxMismatch: {} };
  expect(await keepCheck(to, check, from)).toEqual({ checkedSamples: 2, golden: 'ocr.json' });
  const kept = await readSamples(to);
  const usual = { by: 'numbers', atol: 1e-4, rtol: 1e-4 };
  expect(kept).toMatchObject({
    ...{ golden: 'ocr.json', rules: { '508': usual, scores: usual, label: rules.label } },
    samples: [{ id: 'a' }, { id: 'b', outputs: [{ name: '508' }, { name: 'label', datatype: 'BYTES' }, {}] }],
  });
  const [, second] = (await keptSamples(to)).samples;
  expect(second?.inputs[0]).toMatchObject({ name: 'x', shape: [1, 2] });
  expect(Buffer.from(second?.outputs[1]?.data ?? [])).toEqual(Buffer.from(encodeTexts(['b'])));
});

it('keeps at most 32 samples, and no output that belongs to the detections of another', async () => {
  const samples = Array.from({ length: 40 }, (_unused, at) => sample(String(at)));
  const boxes = { by: 'detections' as const, labels: 'label', scores: 'scores' };
  const rules = { '508': { ...boxes, boxes: 'xyxy' as const, iou: 0.5, scoreTolerance: 0.05 } };
  await keepGolden(dir, { samples, rules, file: 'boxes.json' });
  const document = JSON.parse(await readFile(join(dir, 'samples.json'), 'utf8')) as {
    readonly samples: readonly unknown[];
    readonly rules: object;
  };
  expect(document.samples).toHaveLength(32);
  expect(Object.keys(document.rules)).toEqual(['508']);
});
