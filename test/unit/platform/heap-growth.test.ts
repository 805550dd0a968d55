import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { heapGrowthFlag } from '../../../main/platform/heap-growth';

it('the flag is one that V8 takes', () => {
  const { status, stderr } = spawnSync(process.execPath, [heapGrowthFlag, '-e', ''], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
