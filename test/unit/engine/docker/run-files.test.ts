import { describe, expect, it } from 'vitest';
import { type ModelSource, type RunSpec, sourceSchema } from '../../../../main/contract/run/run-spec';
import { containerPaths, inputPairs, PathMap } from '../../../../main/engine/docker/run-files';
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

const paths = new PathMap([
  { host: '/runs/r1', container: '/workbench/run' },
  { host: '/product/resources', container: '/workbench/resources' },
  { host: '/runs/r1/elsewhere', container: '/workbench/app' },
  { host: '/home/me/weights.pt', container: '/workbench/input/checkpoint/weights.pt' },
]);

describe('paths of this machine, seen from a container', () => {
  it.each([
    ['/runs/r1', '/workbench/run'],
    ['/runs/r1/steps/export', '/workbench/run/steps/export'],
    ['/home/me/weights.pt', '/workbench/input/checkpoint/weights.pt'],
    // The longer of two that hold it.
    ['/runs/r1/elsewhere/cli.cjs', '/workbench/app/cli.cjs'],
    // A neighbour with a longer name is another folder.
    ['/runs/r10/steps', '/runs/r10/steps'],
    ['/home/me/weights.pt.old', '/home/me/weights.pt.old'],
    ['lr=0.1', 'lr=0.1'],
  ])('%s is %s', (host, container) => {
    expect(paths.toContainer(host)).toBe(container);
  });
});

describe('what a container says, with paths of this machine', () => {
  it.each([
    ['wrote /workbench/run/steps/export/model.onnx', 'wrote /runs/r1/steps/export/model.onnx'],
    [
      '{"path":"/workbench/run/a","code":"/workbench/resources/toolkit/x.py"}',
      '{"path":"/runs/r1/a","code":"/product/resources/toolkit/x.py"}',
    ],
    ['/workbench/run/a /workbench/run/b', '/runs/r1/a /runs/r1/b'],
    // A folder or file itself, at the end of a sentence too.
    ['no space left in /workbench/run', 'no space left in /runs/r1'],
    ['Cannot read "/workbench/input/checkpoint/weights.pt".', 'Cannot read "/home/me/weights.pt".'],
    [
      'Cannot read /workbench/input/checkpoint/weights.pt. Give another.',
      'Cannot read /home/me/weights.pt. Give another.',
    ],
    // Others are left.
    [
      '/workbench/runner /workbench/run.old /workbench/other',
      '/workbench/runner /workbench/run.old /workbench/other',
    ],
    ['nothing to change', 'nothing to change'],
  ])('%s', (said, expected) => {
    expect(paths.toHost(said)).toBe(expected);
  });

  it('comes back as it was', () => {
    const path = '/runs/r1/steps/offline/b1-c1/$&.json';
    expect(paths.toHost(paths.toContainer(path))).toBe(path);
  });

  it('leaves paths of this machine that look like those of a container', () => {
    const alike = new PathMap([
      { host: '/data/workbench/app', container: '/workbench/run' },
      { host: '/product/bundles', container: '/workbench/app' },
    ]);
    expect(alike.toHost('/workbench/run/a and /workbench/app/b')).toBe(
      '/data/workbench/app/a and /product/bundles/b',
    );
  });

  it('takes a folder for its name alone, whatever characters are in it', () => {
    const odd = new PathMap([{ host: '/runs/$& $1', container: '/workbench/run' }]);
    expect(odd.toHost('/workbench/run/a')).toBe('/runs/$& $1/a');
  });
});
