import { describe, expect, it } from 'vitest';
import type { ModelSource, RunSpec } from '../../../main/contract/run/run-spec';
import { allOf } from '../../../main/domain/run/rule-finding';
import { filePreset } from '../../../main/own/own-preset';
import { repositoryFindings } from '../../../main/presets/repository-rules';
import { layerSpec, parseSpec } from '../../../main/presets/resolve-spec';

const source = (backend: string): ModelSource => ({
  ...{ kind: 'repository', path: '/r/m', title: 'm', batched: true, externalFiles: [] },
  inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 3], sample: [1, 3] }],
  outputs: [{ name: 'y', datatype: 'FP32', shape: [-1, 3] }],
  repository: {
    models: [
      { name: 'm', backend: 'ensemble' },
      { name: 'part', backend },
    ],
    ...{ with: [], version: 1, config: 'max_batch_size: 4' },
  },
});

function findings(
  backend: string,
  overrides: Readonly<Record<string, unknown>> = {},
  given = source(backend),
) {
  const { model = {}, ...rest } = overrides as { model?: object };
  const spec: RunSpec = parseSpec(
    layerSpec(filePreset(given), { ...rest, model: { source: given, ...model } }),
  );
  return allOf(repositoryFindings(spec)).filter(({ field }) => field !== 'accuracy.golden');
}

const docker = (more: object = {}) => ({ engine: { kind: 'docker', ...more } });
const nvidia = 'nvcr.io/nvidia/tritonserver';

describe('the backends of a repository', () => {
  it.each(['python', 'onnxruntime', 'pytorch', 'tensorflow'])('%s is here', (backend) => {
    expect(findings(backend)).toStrictEqual([]);
  });

  it.each([
    ['fil', {}, 'the local Triton', `${nvidia}:26.07-py3`],
    ['fil', docker(), 'the CPU image', `${nvidia}:26.07-py3`],
    ['vllm', docker({ images: 'ngc' }), 'the image of release 26.07', `${nvidia}:26.07-vllm-python-py3`],
    [
      'tensorrtllm',
      docker({ images: 'ngc', release: '25.01' }),
      'release 25.01',
      `${nvidia}:25.01-trtllm-python-py3`,
    ],
    ['tensorflow', docker({ images: 'ngc' }), 'release 26.07', `${nvidia}:25.02-py3`],
    [
      'onnxruntime',
      docker({ tritonImage: `${nvidia}:26.07-vllm-python-py3` }),
      'the image nvcr',
      `${nvidia}:26.07-py3`,
    ],
  ])('%s is missing with %j, and the image that has it is named', (backend, overrides, where, image) => {
    const [first, ...others] = findings(backend, overrides);
    expect(others).toStrictEqual([]);
    expect(first).toMatchObject({ severity: 'problem', code: 'combination-unsupported' });
    expect(first?.message).toContain(`part needs the backend "${backend}"`);
    expect(first?.message).toContain(where);
    expect(first?.remedy).toContain(`--triton-image ${image}. `);
  });

  it('that no image of NVIDIA has is measured where it is served', () => {
    expect(findings('mine')[0]?.remedy).toContain('perf -m MODEL -u HOST:PORT');
  });

  it.each([
    ['fil', docker({ images: 'ngc' })],
    ['tensorflow', docker({ images: 'ngc', release: '25.02' })],
    ['vllm', docker({ tritonImage: `${nvidia}:26.05-vllm-python-py3` })],
    ['anything', docker({ tritonImage: 'registry.example/triton:mine' })],
    ['python', docker()],
  ])('%s may be there with %j', (backend, overrides) => {
    expect(findings(backend, overrides)).toStrictEqual([]);
  });
});

it.each([
  [{ engine: { kind: 'remote', url: 'http://localhost:8000' } }, 'engine.kind'],
  [{ configure: { modelName: 'other' } }, 'configure.modelName'],
  [{ configure: { maxBatchSize: 0, batching: 'disabled' } }, 'configure.maxBatchSize'],
  [{ performance: { inputData: 'dataset' } }, 'performance.inputData'],
  [{ model: { dataset: '/data' } }, 'model.dataset'],
  [{ model: { checkpoint: '/weights' } }, 'model.checkpoint'],
])('%j is refused at its field', (overrides, field) => {
  expect(findings('python', overrides).map((one) => one.field)).toContain(field);
});

it('another model than that of the path is refused', () => {
  const found = findings('python', {}, { ...source('python'), path: '/r/another' });
  expect(found.map((one) => one.field)).toContain('model.source.repository.models');
});

it('what is not checked is said before, and not where a golden file is given', () => {
  const of = (accuracy: object) => {
    const overrides = { model: { source: source('python') }, accuracy };
    const spec = parseSpec(layerSpec(filePreset(source('python')), overrides));
    return allOf(repositoryFindings(spec)).map(({ severity, message }) => `${severity}: ${message}`);
  };
  expect(of({})).toStrictEqual(['warning: Without a golden file the outputs are not checked']);
  expect(of({ golden: '/golden.json' })).toStrictEqual([]);
});
