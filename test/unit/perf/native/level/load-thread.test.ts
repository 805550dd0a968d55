import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepLoadThread, openLoadThread } from '../../../../../main/perf/native/level/load-thread';

let dir: string;
let file: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'load-thread-'));
  file = join(dir, 'thread.cjs');
  const code = `const { parentPort, threadId } = require('node:worker_threads');
parentPort.on('message', (text) => { if (text === 'end') process.exit(3); parentPort.postMessage(threadId); });`;
  await writeFile(file, code);
});
afterAll(async () => {
  await openLoadThread(file).terminate();
  await rm(dir, { recursive: true });
});

const idOf = (worker: Worker): Promise<number> =>
  new Promise((resolve) => {
    worker.once('message', resolve);
    worker.postMessage('');
  });

describe('the thread of a load generator', () => {
  it('is that of the level before, where it was kept', async () => {
    const first = openLoadThread(file);
    const id = await idOf(first);
    await keepLoadThread(file, first);
    const second = openLoadThread(file);
    expect(await idOf(second)).toBe(id);
    await second.terminate();
  });

  it('is one for each level under way, of which one is kept', async () => {
    const [first, second] = [openLoadThread(file), openLoadThread(file)];
    const ids = [await idOf(first), await idOf(second)];
    expect(new Set(ids).size).toBe(2);
    await keepLoadThread(file, first);
    await keepLoadThread(file, second);
    const [third, fourth] = [openLoadThread(file), openLoadThread(file)];
    expect(await idOf(third)).toBe(ids[0]);
    expect(ids).not.toContain(await idOf(fourth));
    await Promise.all([third.terminate(), fourth.terminate()]);
  });

  it('is another one after the kept one has ended', async () => {
    const first = openLoadThread(file);
    const id = await idOf(first);
    await keepLoadThread(file, first);
    const gone = new Promise((resolve) => {
      first.once('exit', resolve);
    });
    first.postMessage('end');
    await gone;
    const next = openLoadThread(file);
    expect(await idOf(next)).not.toBe(id);
    await next.terminate();
  });
});
