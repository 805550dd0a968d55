import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { componentIds } from '../../../../../main/contract/setup';

interface Context {
  readonly layout: object;
}
const { componentNames, componentReady, markReady } = (await import(
  resolve('scripts/lib/steps/tools.mjs')
)) as {
  componentNames: readonly string[];
  componentReady: (name: string) => (context: Context) => boolean;
  markReady: (name: string, context: Context) => void;
};
const { homeLayout } = (await import(resolve('scripts/lib/layout.mjs'))) as {
  homeLayout: (home: string) => object;
};

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'twb-bootstrap-'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

it('the bootstrap has the components of the set-up', () => {
  expect(componentNames).toEqual(componentIds);
});

it('a component that the set-up of this source has not called ready is asked about', () => {
  const layout = homeLayout(home);
  expect(componentReady('perf-analyzer')({ layout })).toBe(false);
  mkdirSync(join(home, 'perf-analyzer', 'bin'), { recursive: true });
  writeFileSync(join(home, 'perf-analyzer', 'bin', 'perf_analyzer'), '');
  writeFileSync(join(home, 'perf-analyzer', '.stamp'), 'stamp');
  writeFileSync(join(home, 'perf-analyzer', '.checked'), 'of another source');
  expect(componentReady('perf-analyzer')({ layout })).toBe(false);
});

it('a component is asked about again after the Python that it was laid out against changed', () => {
  const layout = homeLayout(home);
  mkdirSync(join(home, 'python'));
  writeFileSync(join(home, 'python', 'pyvenv.cfg'), 'version_info = 3.11.7\n');
  mkdirSync(join(home, 'triton', 'bin'), { recursive: true });
  writeFileSync(join(home, 'triton', 'bin', 'tritonserver'), '');
  writeFileSync(join(home, 'triton', '.stamp'), 'stamp');
  markReady('triton', { layout });
  expect(componentReady('triton')({ layout })).toBe(true);
  writeFileSync(join(home, 'python', 'pyvenv.cfg'), 'version_info = 3.12.1\n');
  expect(componentReady('triton')({ layout })).toBe(false);
});
