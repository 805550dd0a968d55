import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Framework } from '../../../main/contract/run/run-spec';
import { resolveSpec } from '../../../main/presets/resolve-spec';
import { givenFileProblems } from '../../../main/specification/given-files';
import { resnet50 } from './places';

let dir: string;
let file: string;
let missing: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'given-files-'));
  file = join(dir, 'own.pt');
  missing = join(dir, 'missing');
  await writeFile(file, '');
});
afterAll(() => rm(dir, { recursive: true }));

async function foundIn(
  { golden, ...overrides }: { readonly golden?: string; readonly [part: string]: unknown },
  framework: Framework = 'pyt',
) {
  const spec = resolveSpec(resnet50.preset, overrides);
  const problems = await givenFileProblems({ ...spec, accuracy: { ...spec.accuracy, golden } }, framework);
  return problems.map(({ field, message, remedy }) => [field, message, remedy]);
}

it('names every file and folder that does not exist', async () => {
  const found = await foundIn({
    model: { checkpoint: missing, dataset: missing },
    golden: missing,
    performance: { inputData: 'file', inputDataFile: missing },
    engine: {
      kind: 'remote',
      url: 'https://localhost',
      tls: { caFile: missing, certFile: missing, keyFile: missing },
    },
  });
  expect(found).toEqual(
    [
      ['model.checkpoint', 'The weights file'],
      ['model.dataset', 'The data set'],
      ['accuracy.golden', 'The golden file'],
      ['performance.inputDataFile', 'The input data'],
      ['engine.tls.caFile', 'The certificate file'],
      ['engine.tls.certFile', 'The certificate file'],
      ['engine.tls.keyFile', 'The key file'],
    ].map(([field, what]) => [field, `${what} ${missing} does not exist`, 'Check the path.']),
  );
});

it('refuses a folder where a file is meant, and only there', async () => {
  const found = await foundIn({ model: { checkpoint: dir, dataset: dir }, golden: dir });
  expect(found).toEqual([
    ['model.checkpoint', `${dir} is a folder`, 'Choose the file of weights in it.'],
    [
      'accuracy.golden',
      `${dir} is a folder`,
      'Choose a golden file: "triton-workbench golden record" writes them.',
    ],
  ]);
  // A checkpoint of TensorFlow is a folder.
  expect(await foundIn({ model: { checkpoint: dir } }, 'tf')).toEqual([]);
});

it('has nothing to say of those that exist', async () => {
  const all = {
    model: { checkpoint: file, dataset: dir },
    golden: file,
    performance: { inputData: 'file', inputDataFile: dir },
    engine: { kind: 'remote', url: 'https://localhost', tls: { caFile: file } },
  };
  expect(await foundIn(all)).toEqual([]);
});
