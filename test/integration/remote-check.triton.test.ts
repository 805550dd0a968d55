import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Core, createCore } from '../../main/core';
import { createTestHome, type TestHome } from '../support/home';
import { rejection } from '../support/rejection';
import { startTestTriton, type TestTriton } from '../support/triton';

let home: TestHome;
let triton: TestTriton;
let core: Core;

beforeAll(async () => {
  home = await createTestHome();
  triton = await startTestTriton([
    { name: 'resnet50', execute: 'return values.copy()', maxBatchSize: 8, outputElements: 10 },
  ]);
  core = await createCore({
    home: home.path,
    resources: 'resources',
    version: 'test',
    env: process.env,
    workerFile: join(process.cwd(), 'out', 'main', 'load-worker.cjs'),
    readerFile: join(process.cwd(), 'out', 'main', 'reader-process.cjs'),
    printPdf: () => Promise.reject(new Error('nothing is printed here')),
    electron: null,
  });
});
afterAll(async () => {
  await core.close();
  await triton.stop();
  await home.remove();
});

/** The address without its scheme, as people type it. */
const remote = (overrides: Readonly<Record<string, unknown>> = {}) => {
  const grpcPort = triton.grpcAddress.split(':').at(-1) ?? '';
  const url = `${triton.httpAddress}?grpcPort=${grpcPort}`;
  return core.handlers['presets.resolve']({
    preset: 'resnet50',
    overrides: { engine: { kind: 'remote', url }, ...overrides },
  });
};

describe('a run on a remote Triton, before it is started', () => {
  it('is refused where the served model has other tensors: each with what is needed and what is served', async () => {
    const [problem, ...more] = await core.handlers['runs.check']({ spec: await remote() });
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ code: 'model-mismatch', field: 'configure.modelName' });
    expect(problem?.message).toMatch(
      /Input \S+: the run needs FP32 \[.*\], but the server has no such tensor/,
    );
    expect(problem?.message).toContain('it has INPUT');
    expect((await rejection(core.handlers['runs.create']({ spec: await remote() }))).code).toBe(
      'model-mismatch',
    );
    expect(await readdir(join(home.path, 'runs')).catch(() => [])).toEqual([]);
  });

  it('is refused where the server has no such model, with the names of those that it has', async () => {
    const [problem] = await core.handlers['runs.check']({
      spec: await remote({ configure: { modelName: 'unet' } }),
    });
    expect(problem).toMatchObject({ code: 'model-not-ready', field: 'configure.modelName' });
    expect(problem?.message).toContain('does not serve version 1 of unet; ready models: resnet50');
  });
});
