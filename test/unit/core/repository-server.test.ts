import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CoreParts } from '../../../main/core/core-parts';
import { serveRepository } from '../../../main/core/repository-server';
import { fine, onnx, tensors, useCheckedRepository, x, y } from '../../support/checked-repository';
import { directReaders } from '../../support/direct-readers';
import { rejection } from '../../support/rejection';

const { bench, repository } = useCheckedRepository();

const code = { config: `backend: "python" ${x} ${y}`, files: { '1/model.py': 'open("executed", "w")' } };

/** What is refused before anything is started: there is no Triton in these parts. */
async function refusal(model: string, trust = false, path = '') {
  const root = await repository({
    ...{
      fine,
      code,
      plan: { config: `platform: "tensorrt_plan" ${x} ${y}`, files: { '1/model.plan': 'x' } },
    },
    gpu: { config: `${onnx} ${x} ${y}\ninstance_group [ { kind: KIND_GPU } ]`, onnx: {} },
    wrong: { config: `${onnx} ${x.replace('FP32', 'INT8')} ${y}`, onnx: {} },
    calls: {
      config: `platform: "ensemble" ${tensors('input', 'x')} ${tensors('output', 'y')} ensemble_scheduling { step [ { model_name: "code" model_version: -1 input_map { key: "x" value: "x" } output_map { key: "y" value: "y" } } ] }`,
      files: { '1/.keep': '' },
    },
  });
  const parts = { reading: { readers: directReaders }, own: { trust: bench().tools().trust } };
  const error = await rejection(
    serveRepository(parts as unknown as CoreParts, {
      ...{ path: join(root, path), models: [model], trust },
      ...{ signal: AbortSignal.timeout(60_000), onLog: () => undefined },
    }),
  );
  return { error, root };
}

it('names the models of the repository, and the nearest one', async () => {
  const { error, root } = await refusal('fin');
  expect(error).toMatchObject({ code: 'input-invalid', where: root, remedy: 'Give fine.' });
  expect(error.message).toBe('The repository has no model "fin"');
});

it('refuses what Triton would refuse, with its words and the place', async () => {
  const { error, root } = await refusal('wrong');
  expect(error).toMatchObject({
    code: 'model-folder-invalid',
    where: join(root, 'wrong', 'config.pbtxt, line 1'),
  });
  expect(error.message).toBe('the input x is TYPE_INT8 in config.pbtxt, but TYPE_FP32 in the file');
  expect(error.details).toContain("configuration expects datatype TYPE_INT8 for input 'x'");
  expect(error.remedy).toContain(`triton-workbench check ${join(root, 'wrong')}`);
});

it('refuses a configuration that the local Triton would not follow, with its line', async () => {
  const { error, root } = await refusal('gpu');
  expect(error.code).toBe('combination-unsupported');
  expect(error.message).toBe('instance_group[0] is KIND_GPU, and the local Triton has no GPU');
  expect(error.where).toBe(join(root, 'gpu', 'config.pbtxt, line 2'));
  expect(error.details).toContain('instance group gpu_0 of model gpu has kind KIND_GPU');
});

it('refuses a backend that the local Triton lacks, with what to do', async () => {
  const { error } = await refusal('plan');
  expect(error.code).toBe('combination-unsupported');
  expect(error.message).toBe('The local Triton has no backend "tensorrt", which plan needs');
  expect(error.remedy).toContain('perf -m MODEL -u HOST:PORT');
});

it.each(['', 'calls'])('asks for trust in the code that an ensemble of %j calls', async (path) => {
  const { error, root } = await refusal('calls', false, path);
  expect(error).toMatchObject({ code: 'not-trusted', where: join(root, 'code') });
  expect(error.remedy).toContain('--trust');
});
