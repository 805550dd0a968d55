import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { componentIds } from '../../../../../main/contract/setup';

interface Context {
  readonly layout: object;
}
const { componentNames, componentReady } = (await import(resolve('scripts/lib/steps/tools.mjs'))) as {
  componentNames: readonly string[];
  componentReady: (name: string) => (context: Context) => boolean;
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
