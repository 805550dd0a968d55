import { describe, expect, it } from 'vitest';
import { PathMap } from '../../../../main/engine/docker/path-map';

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
  ])('%s', (said, told) => {
    expect(paths.toHost(said)).toBe(told);
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
