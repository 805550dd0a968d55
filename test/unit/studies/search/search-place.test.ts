import { access, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { DeployedRun } from '../../../../main/contract/run/run-state';
import type { Executor } from '../../../../main/engine/engine';
import { onExecutor, type PlaceHands } from '../../../../main/studies/search/search-place';
import { rejection } from '../../../support/rejection';

const run = {} as DeployedRun;

async function placeWith() {
  const root = await mkdtemp(join(tmpdir(), 'twb-place-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const done: string[] = [];
  const noting = (what: string) => async () => {
    done.push(what);
    await Promise.resolve();
  };
  const executor = {
    reclaim: noting('reclaim'),
    release: noting('release'),
    prepareImages: noting('images'),
  };
  const hands: PlaceHands = {
    openExecutor: () => Promise.resolve(executor as unknown as Executor),
    takeTurn: () => Promise.resolve(noting('turn given back')),
  };
  const dir = join(root, 'work');
  const place = { run, name: 'night', dir, signal: new AbortController().signal };
  return { dir, done, hands, place };
}

it('has the folders that an engine of containers gives to them, and leaves none of steps', async () => {
  const { dir, done, hands, place } = await placeWith();
  await onExecutor(hands, place, async () => {
    await access(join(dir, 'repository'));
    expect(await readdir(join(dir, 'steps'))).toEqual([]);
    done.push('work');
  });
  expect(await readdir(dir)).toEqual(['repository']);
  expect(done).toEqual(['reclaim', 'images', 'work', 'turn given back', 'release']);
});

it('gives everything back where the work fails', async () => {
  const { dir, done, hands, place } = await placeWith();
  const failure = new WorkbenchError('server-start-failed', 'no server');
  expect(await rejection(onExecutor(hands, place, () => Promise.reject(failure)))).toBe(failure);
  expect(done.slice(-2)).toEqual(['turn given back', 'release']);
  expect(await readdir(dir)).not.toContain('steps');
});
