import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ReaderPool } from '../../../main/readers/reader-pool';
import { onnxBytes } from '../../support/onnx-bytes';
import { readerBundle } from '../../support/reader-bundle';
import { rejection } from '../../support/rejection';

const bounds = { what: 'the ONNX file', deadlineMs: 1500, memoryMiB: 400 };
const patient = { ...bounds, deadlineMs: 50_000 };

let dir: string;
let pool: ReaderPool;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'reader-pool-'));
  await writeFile(join(dir, 'good.onnx'), onnxBytes());
});
afterAll(() => rm(dir, { recursive: true }));
afterEach(() => {
  pool.close();
});

const faulty = async () => {
  pool = new ReaderPool(await readerBundle('test/support/faulty-reader-process.ts'));
};
const read = (name: string, limits = patient) => {
  const path = join(dir, name);
  return pool.read('onnx', { path }, limits, path);
};
const good = async () => {
  expect(await read('good.onnx')).toMatchObject({ inputs: [{ name: 'x' }], outputs: [{ name: 'y' }] });
};

describe('a reader with an injected fault', () => {
  it.each([
    ['that hangs', 'hangs.onnx', bounds, 'was stopped after 1.5 s'],
    ['that takes all memory of the heap', 'takes-heap.onnx', patient, 'needs more than 400 MiB of memory'],
    ['that takes memory beside the heap', 'takes-buffers.onnx', patient, 'needs more than 400 MiB of memory'],
    ['that ends its process', 'exits.onnx', patient, 'ended without a result (exit code 3)'],
    ['that aborts its process', 'aborts.onnx', patient, 'ended without a result (SIGABRT)'],
  ])('%s is an error with file and limit, and the next read works', async (_what, name, limits, says) => {
    await faulty();
    await good();
    const error = await rejection(read(name, limits));
    expect(error).toMatchObject({ code: 'input-invalid', where: join(dir, name) });
    expect(error.message).toContain(says);
    expect(error.remedy).toContain('the intended file');
    await good();
  });

  it('does not read the next file with what it still holds of the last', async () => {
    await faulty();
    await read('holds-much.onnx', { ...patient, memoryMiB: 4096 });
    await good();
  });

  it('keeps neither this process nor other readers from their work', async () => {
    await faulty();
    const hanging = rejection(read('hangs.onnx', { ...bounds, deadlineMs: 8000 }));
    const order: string[] = [];
    void hanging.then(() => order.push('hung'));
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (turn % 5 === 0) await good();
      order.push('turn');
    }
    expect(order).toEqual(Array(20).fill('turn'));
    expect((await hanging).message).toContain('was stopped after 8 s');
  });

  it('waits where as many read as may, and is answered in the end', async () => {
    await faulty();
    const many = Array.from({ length: 12 }, (_unused, index) => index);
    const answers = await Promise.all(
      many.map((index) => (index % 3 === 0 ? rejection(read('exits.onnx')) : good())),
    );
    expect(answers).toHaveLength(12);
  });
});

describe('an error of a reader', () => {
  it('comes over the border whole', async () => {
    await faulty();
    expect(await rejection(read('refuses.onnx'))).toMatchObject({
      code: 'model-file-invalid',
      message: 'a reason',
      where: 'a place',
      remedy: 'a remedy',
      details: 'evidence',
    });
  });

  it('of a process that cannot be started says so', async () => {
    pool = new ReaderPool('/nowhere/reader.cjs');
    expect((await rejection(read('good.onnx'))).message).toContain('ended without a result');
  });
});
