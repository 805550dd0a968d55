import { expect, it } from 'vitest';
import type { CheckedModel, RepositoryCheck } from '../../../main/contract/repository-check';
import type { Core } from '../../../main/core';
import { said } from '../../support/cli-program';

const model: CheckedModel = {
  ...{ name: 'm', backend: 'onnxruntime', verdict: 'loads', problems: [], notChecked: [], versions: [1] },
  ...{ servedBy: 'ONNX Runtime in Triton’s Python backend', image: 'nvcr.io/nvidia/tritonserver:26.07-py3' },
  ...{ steps: [], named: [] },
  tensors: [{ side: 'input', name: 'x', configured: null, file: 'TYPE_FP32 [-1, 3]', result: 'completed' }],
  diff: null,
};

const wrong: CheckedModel = {
  ...{ ...model, name: 'w', verdict: 'does not load', notChecked: ['Not checked: y.'] },
  problems: ['first', 'second'].map((message) => ({
    ...{ where: 'w/config.pbtxt', message, remedy: 'Write y.', triton: 'autofill failed' },
  })),
  diff: '--- a/w/config.pbtxt\n+++ b/w/config.pbtxt\n@@ -1,1 +1,1 @@\n-a\n+b\n',
};

function asked(models: readonly CheckedModel[], ...words: readonly string[]) {
  const paths: (readonly string[])[] = [];
  const check: RepositoryCheck = {
    ...{ kind: 'triton-workbench-repository-check', version: 1, text: 'so many' },
    repositories: [{ path: '/r', models }],
  };
  const core = {
    handlers: {
      'models.check': (given: { readonly paths: readonly string[] }) => {
        paths.push(given.paths);
        return Promise.resolve(check);
      },
    },
  } as unknown as Core;
  return said(core, 'check', ...words).then((result) => ({ ...result, paths, check }));
}

it('prints each tensor, each problem with Triton’s words once, and the difference', async () => {
  const { text, codes, paths } = await asked([model, wrong], '/r', '/s');
  expect(paths).toStrictEqual([['/r', '/s']]);
  expect(codes).toStrictEqual([3]);
  expect(text).toContain('m (onnxruntime): loads');
  expect(text).toMatch(/input +x +– +TYPE_FP32 \[-1, 3\] +completed/);
  expect(text).toContain('w/config.pbtxt: first. Write y.');
  expect(text.match(/Triton: autofill failed/g)).toHaveLength(1);
  expect(text).toContain('+++ b/w/config.pbtxt\n@@ -1,1 +1,1 @@\n-a\n+b\n');
  expect(text.trimEnd().endsWith('so many')).toBe(true);
});

it('names the image that has a backend which the local Triton lacks', async () => {
  const fil: CheckedModel = { ...model, name: 'trees', backend: 'fil', servedBy: null };
  const { text } = await asked([model, fil, { ...fil, backend: 'own', image: null }], '/r');
  expect(text.match(/The local Triton does not have/g)).toHaveLength(2);
  expect(text).toContain('does not have the backend fil; nvcr.io/nvidia/tritonserver:26.07-py3 has it.');
  expect(text).toContain('does not have the backend own.');
});

it('prints the document with --json, and ends with 0 where nothing is refused', async () => {
  const { documents, codes, check } = await asked([{ ...model, verdict: 'not checked' }], '/r', '--json');
  expect(documents).toStrictEqual([check]);
  expect(codes).toStrictEqual([]);
});
