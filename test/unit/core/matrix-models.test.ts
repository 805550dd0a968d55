import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { MatrixFile } from '../../../main/contract/run/spec-tools';
import type { Core } from '../../../main/core';
import { withOwnModels } from '../../../main/core/matrix-models';
import { onnxBytes } from '../../support/onnx-bytes';
import { rejection } from '../../support/rejection';
import { createTestCore } from '../../support/test-core';

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-matrix-models-'));
  core = await createTestCore(join(home, 'home'));
});
afterEach(async () => {
  await core.close();
  await rm(home, { recursive: true, force: true });
});

const read = (preset: readonly string[], more: object = {}) =>
  core.handlers['studies.read']({
    text: stringify({ matrix: { preset, instances: [1, 2] }, ...more }),
    fileName: 'night.yaml',
  });

it('a model that the file names by its full path is served in each of its runs, beside a preset', async () => {
  const path = join(home, 'my model é.onnx');
  await writeFile(path, onnxBytes());
  const spec = await read(['resnet50', path], { performance: { batchSizes: [1] } });
  const { runs } = await core.handlers['studies.plan']({ spec });
  expect(runs.map(({ leftOut }) => leftOut)).toEqual([null, null, null, null]);
  const choices = spec.strategy.trials.map(({ choice }) => choice);
  expect(choices.map(({ preset }) => preset)).toEqual(['resnet50', 'resnet50', 'my-model', 'my-model']);
  const last = await core.handlers['spec.resolve'](choices[3] ?? { preset: '', overrides: {} });
  expect(last).toMatchObject({
    model: { preset: 'my-model', source: { kind: 'onnx', path } },
    configure: { instances: 2 },
    performance: { batchSizes: [1] },
  });
});

it('a path that needs a folder to start from, no model, or more than the file says is refused', async () => {
  expect(await rejection(read(['./model.onnx']))).toMatchObject({
    code: 'input-invalid',
    message: '"./model.onnx" is not a full path',
  });
  expect(await rejection(read([join(home, 'none.onnx')]))).toMatchObject({ code: 'input-invalid' });
  // As a TorchScript file is opened.
  const file: MatrixFile = {
    ...{ name: null, hosts: null },
    entries: [{ preset: '/m/model.pt', overrides: {}, axes: [], refusal: null, notes: [] }],
  };
  const opened = (shape: readonly number[] | null) =>
    withOwnModels(file, [], ({ path }) =>
      Promise.resolve({
        ...{ kind: 'torchscript' as const, path, title: 'model', trusted: false },
        ...{ choice: null, preset: null, asked: [{ name: 'x', shape }], notes: [] },
        code: [{ path: 'model.pt', bytes: 1 }],
      }),
    );
  expect(await rejection(opened([1, 3]))).toMatchObject({
    code: 'not-trusted',
    message: 'The runs would execute code from /m/model.pt: model.pt',
  });
  expect(await rejection(opened(null))).toMatchObject({
    code: 'input-invalid',
    where: '/m/model.pt',
    message: 'The file does not contain the shape of x',
  });
});
