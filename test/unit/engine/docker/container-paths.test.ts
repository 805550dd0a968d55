import { expect, it } from 'vitest';
import { containerPaths } from '../../../../main/engine/docker/container-paths';
import { filePreset } from '../../../../main/own/own-preset';
import type { ModelSource } from '../../../../main/contract/run-spec';
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
