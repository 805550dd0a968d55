import { expect, it } from 'vitest';
import type { ModelSource, RunSpec } from '../../../../main/contract/run-spec';
import { sourceSchema } from '../../../../main/contract/run-spec';
import { containerPaths, inputPairs } from '../../../../main/engine/docker/container-paths';
import { filePreset } from '../../../../main/own/own-preset';
import { resolveSpec } from '../../../../main/presets/resolve-spec';

const pathsOf = (source: ModelSource) =>
  containerPaths({
    runDir: '/runs/r1',
    resources: '/product/resources',
    bundles: '/product/out',
    spec: resolveSpec(filePreset(source), { model: { source }, engine: { kind: 'docker' } }),
  });

const own = (kind: ModelSource['kind'], path: string, externalFiles: string[] = []): ModelSource => ({
  kind,
  path,
  title: 'own',
  inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 3], sample: [1, 3] }],
  outputs: [{ name: 'y', datatype: 'FP32', shape: [-1, 3] }],
  batched: true,
  externalFiles,
});

it('an ONNX file is seen with the weights beside it, and with nothing else of its folder', () => {
  const paths = pathsOf(own('onnx', '/home/me/net.onnx', ['weights/net.bin']));
  expect(paths.toContainer('/home/me/net.onnx')).toBe('/workbench/input/model/net.onnx');
  expect(paths.toContainer('/home/me/weights/net.bin')).toBe('/workbench/input/model/weights/net.bin');
  expect(paths.toContainer('/home/me/other')).toBe('/home/me/other');
});

it('a SavedModel is seen as a whole folder', () => {
  const paths = pathsOf(own('savedmodel', '/home/me/saved'));
  expect(paths.toContainer('/home/me/saved')).toBe('/workbench/input/model/saved');
  expect(paths.toContainer('/home/me/saved/variables/variables.index')).toBe(
    '/workbench/input/model/saved/variables/variables.index',
  );
});

/** What a run.yaml from elsewhere asks to be mounted, past the rules that a specification is made by. */
function mountedOf(change: (model: RunSpec['model']) => RunSpec['model']) {
  const source = own('onnx', '/home/me/net.onnx');
  const spec = resolveSpec(filePreset(source), { model: { source }, engine: { kind: 'docker' } });
  return inputPairs({ ...spec, model: change(spec.model) });
}

// R13: a specification from somebody else had these mounted.
const outside = [
  '../.ssh/id_rsa',
  '../../../etc/passwd',
  '/etc/passwd',
  'a/../../b',
  'net.bin\0',
  '..',
  '.',
  '',
];

it.each(outside)(
  'weights at %j are not below the folder of the model, for the schema and for a mount',
  (file) => {
    const source = own('onnx', '/home/me/net.onnx', [file]);
    expect(sourceSchema.safeParse(source).success).toBe(false);
    expect(() => mountedOf((model) => ({ ...model, source }))).toThrow(/not in the model folder/);
  },
);

it.each(['/', '//', '/home/..', 'net.onnx', '/net\0.onnx'])(
  'a model or data at %j is never mounted',
  (path) => {
    const refusal = /cannot be mounted into a container/;
    expect(() => mountedOf((model) => ({ ...model, source: own('savedmodel', path) }))).toThrow(refusal);
    expect(() => mountedOf((model) => ({ ...model, dataset: path }))).toThrow(refusal);
    expect(() => mountedOf((model) => ({ ...model, checkpoint: path }))).toThrow(refusal);
  },
);
