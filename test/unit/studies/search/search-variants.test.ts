import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ServerHandle } from '../../../../main/engine/engine';
import { Variants, type VariantsOptions } from '../../../../main/studies/search/search-variants';
import { modelConfigSchema } from '../../../../main/triton/model-config';
import { rejection } from '../../../support/rejection';

/** A Triton with a model of others, that has GPU memory for so many models. */
async function tritonOf(most: number) {
  const loaded = new Set<string>(['other']);
  const calls: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const [, name = '', verb = ''] =
      /models\/([^/]+)\/(?:versions\/1\/)?(\w+)$/.exec(request.url ?? '') ?? [];
    const answer = (status: number, body: object = {}) => {
      response.statusCode = status;
      response.end(JSON.stringify(body));
    };
    if (verb === 'load' || verb === 'unload') calls.push(`${verb} ${name}`);
    if (verb === 'load' && loaded.size >= most) answer(400, { error: 'CUDA error: out of memory' });
    else if (verb === 'load') answer(200, { ok: loaded.add(name).size });
    else if (verb === 'unload') answer(200, { ok: loaded.delete(name) });
    else if (verb === 'ready') answer(loaded.has(name) ? 200 : 400);
    else answer(200, { model_name: name, model_version: '1', outputs: [] });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const handle: ServerHandle = {
    ...{ httpAddress: address, grpcAddress: address, metricsAddress: null, tritonVersion: '2', pid: null },
    forClients: { httpAddress: address, grpcAddress: address },
    exited: new Promise(() => undefined),
    stop: () => {
      calls.push('stop');
      loaded.clear();
      return Promise.resolve();
    },
  };
  return { loaded, calls, handle };
}

async function variantsOn(
  handle: ServerHandle,
  change: Partial<VariantsOptions> = {},
): Promise<{ readonly variants: Variants; readonly starts: number[] }> {
  const dir = await mkdtemp(join(tmpdir(), 'twb-variants-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const files = join(dir, 'files');
  await mkdir(files);
  await writeFile(join(files, 'model.onnx'), 'twelve bytes');
  const starts: number[] = [];
  const variant = {
    ...{
      name: 'm',
      files,
      version: 1,
      check: { canary: [], anyValues: false, atol: {}, rtol: {}, maxMismatch: {} },
    },
    configOf: (name: string) => modelConfigSchema.parse({ name, backend: 'onnxruntime' }),
  };
  const variants = new Variants({
    ...{ variants: [variant, variant, variant], name: 'night', dir, signal: new AbortController().signal },
    startServer: () => {
      starts.push(1);
      return Promise.resolve(handle);
    },
    readMemory: () => Promise.resolve({ hostBytes: null, gpuBytes: null }),
    readRoom: () => Promise.resolve({ hostBytes: null, gpuBytes: null }),
    ...change,
  });
  return { variants, starts };
}

it('serves its variants side by side on one server', async () => {
  const { handle, loaded, calls } = await tritonOf(9);
  const { variants, starts } = await variantsOn(handle);
  const names = [];
  for (const number of [1, 2, 3, 1]) names.push((await variants.serve(number)).modelName);
  expect(names).toEqual(['m', 'm--2', 'm--3', 'm']);
  expect([...loaded]).toEqual(['other', 'm', 'm--2', 'm--3']);
  await variants.close();
  expect(calls).toEqual(['load m', 'load m--2', 'load m--3', 'stop']);
  expect(starts).toHaveLength(1);
});

it('unloads the others where GPU memory ends, without a restart', async () => {
  const { handle, calls } = await tritonOf(3);
  const { variants, starts } = await variantsOn(handle);
  for (const number of [1, 2, 3]) await variants.serve(number);
  expect(calls).toEqual(['load m', 'load m--2', 'load m--3', 'unload m', 'unload m--2', 'load m--3']);
  expect(starts).toHaveLength(1);
});

it('makes room by unloading what was asked for longest ago', async () => {
  const { handle, loaded } = await tritonOf(9);
  // Each takes 30 of 100, and one like it is to stay free.
  const readRoom = () => Promise.resolve({ hostBytes: 100 - 30 * (loaded.size - 1), gpuBytes: null });
  const { variants } = await variantsOn(handle, { readRoom });
  for (const number of [1, 2]) await variants.serve(number);
  expect([...loaded]).toEqual(['other', 'm', 'm--2']);
  await variants.serve(3);
  expect([...loaded]).toEqual(['other', 'm--2', 'm--3']);
});

it('is named by its mark on a server of others, which is left as it was', async () => {
  const { handle, loaded, calls } = await tritonOf(9);
  const running = { mark: 'ab12cd34', metricsAddress: '127.0.0.1:1' };
  const { variants } = await variantsOn(handle, { running });
  loaded.add('workbench-search-ab12cd34-2');
  await variants.open();
  expect([...loaded]).toEqual(['other']);
  await variants.serve(1);
  expect([...loaded]).toEqual(['other', 'workbench-search-ab12cd34-1']);
  await variants.restart();
  await variants.serve(3);
  await variants.close();
  expect([...loaded]).toEqual(['other']);
  expect(calls).not.toContain('stop');
});

it('loads nothing where a server of others has too little memory left', async () => {
  const { handle, calls } = await tritonOf(9);
  const running = { mark: 'ab12cd34', metricsAddress: '127.0.0.1:1' };
  // The file has twelve bytes, and as much again is to stay free.
  const readRoom = () => Promise.resolve({ hostBytes: 20, gpuBytes: null });
  const { variants } = await variantsOn(handle, { running, readRoom });
  expect(await rejection(variants.serve(1))).toMatchObject({
    code: 'model-load-failed',
    message: expect.stringContaining('has too little memory left') as string,
  });
  expect(calls.some((call) => call.startsWith('load '))).toBe(false);
});
