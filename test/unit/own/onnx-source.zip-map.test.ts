import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ModelSource } from '../../../main/contract/run/run-spec';
import { openModel } from '../../../main/own/open-model';
import { useModelBench } from '../../support/model-bench';

const bench = useModelBench();
const fixture = (name: string) => join(process.cwd(), 'test', 'fixtures', 'inputs', 'sklearn-zipmap', name);

async function open(name: string) {
  const { choice, notes } = await openModel({ path: fixture(name) }, bench().tools());
  const { model } = (choice?.overrides ?? {}) as { model: { source: ModelSource } };
  return { outputs: model.source.outputs, notes: notes.join('\n') };
}

it('maps of classes are served as the tensor that they are made of, with a word', async () => {
  const { outputs, notes } = await open('clf_zipmap.onnx');
  const plain = await open('clf_nozipmap.onnx');
  const [, maps] = outputs;
  expect(maps).toMatchObject({ name: 'output_probability', datatype: 'FP32' });
  // The same classifier, converted without them.
  expect(outputs.map(({ shape }) => shape)).toEqual(plain.outputs.map(({ shape }) => shape));
  expect(notes).toContain('"output_probability" is a list of maps (ZipMap), which Triton cannot serve');
  expect(plain.notes).not.toContain('ZipMap');
});
