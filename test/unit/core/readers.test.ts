import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileLimits, readerBounds } from '../../../main/contract/reader-limits';
import { readerTable } from '../../../main/core/reader-table';
import { createReaders, type ReaderService } from '../../../main/core/readers';
import { scripted } from '../../support/model-bench';
import { onnxBytes } from '../../support/onnx-bytes';
import { readerBundle } from '../../support/reader-bundle';
import { rejection } from '../../support/rejection';
import { zipBytes } from '../../support/zip-bytes';
import { resnet50 } from '../specification/places';

let dir: string;
let reading: ReaderService;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'readers-'));
  reading = createReaders(await readerBundle());
});
afterAll(async () => {
  reading.close();
  await rm(dir, { recursive: true });
});

async function put(name: string, content: string | Buffer): Promise<string> {
  const path = join(dir, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  return path;
}

const wanted = { inputs: [{ name: 'X', datatype: 'FP32' as const, shape: [2] }], outputs: [] };

describe('the readers of what comes from outside', () => {
  it('have bounds each, and functions each', () => {
    expect(Object.keys(readerBounds).sort()).toEqual(Object.keys(readerTable).sort());
  });

  it('answer from their process with what the functions answer', async () => {
    const { readers } = reading;
    const onnx = await put('a.onnx', onnxBytes());
    expect(await readers.onnx({ path: onnx })).toEqual(readerTable.onnx({ path: onnx }));
    const script = await put('a.pt', scripted('  def forward(self: M,\n    x: Tensor) -> Tensor:\n'));
    expect(await readers.torchscript({ path: script })).toEqual(['x']);
    const text = 'name: "m"\nbackend: "onnxruntime"\ninput { name: "x" data_type: TYPE_FP32 dims: 3 }\n';
    await put('model/config.pbtxt', text);
    await put('model/1/model.onnx', onnxBytes());
    expect(await readers.repository({ path: join(dir, 'model') })).toMatchObject({ kind: 'onnx' });
    const spec = { text: 'model: { preset: resnet50 }\nprecision: fp16\n', fileName: 'run.yaml' };
    expect(await readers.specModel(spec)).toMatchObject({ preset: 'resnet50' });
    expect(await readers.spec({ ...spec, loaded: resnet50, overrides: {} })).toMatchObject({
      choice: { overrides: { precision: 'fp16' } },
    });
    const csv =
      'Concurrency,Inferences/Second,p50 latency,p90 latency,p95 latency,p99 latency\n1,9,1,1,1,1\n';
    const [capture] = await readers.capture({ path: await put('a.csv', csv) });
    expect(capture?.points).toHaveLength(1);
  });

  it('write input data themselves: no value of it comes to the workbench', async () => {
    const path = await put('in.json', '{"data":[{"X":[1,2]},{"X":[3,4]}]}');
    await reading.readers.inputCheck({ path, wanted, shapes: {} });
    const target = join(dir, 'stored');
    const { data, entries } = await reading.readers.inputStore({ path, wanted, shapes: {}, dir: target });
    expect(entries).toBe(2);
    expect(data.tensors).toMatchObject([
      { name: 'X', shape: [2], files: ['in-0-000000.bin', 'in-0-000001.bin'] },
    ]);
  });

  it('keep code, place and remedy of what is wrong', async () => {
    const path = await put('in.json', '{"data":[{"Y":[1,2]}]}');
    expect(await rejection(reading.readers.inputCheck({ path, wanted, shapes: {} }))).toMatchObject({
      code: 'input-invalid',
      message: 'The model has no tensor "Y"',
      where: `${path}: data[0]`,
      remedy: 'It has: X.',
    });
  });
});

// Each held the main process for seconds to minutes, or took gigabytes in it.
describe('what was too much for the workbench', () => {
  it('is answered or refused by the process: YAML of thousands of keys', async () => {
    const text = Array.from({ length: 60_000 }, (_unused, index) => `k${index}: 1`).join('\n');
    const { problem } = await reading.readers.specModel({ text, fileName: 'run.yaml' });
    expect(problem).toContain(`at most ${fileLimits.yaml.bytes}`);
  });

  it('a TorchScript file whose code is blanks', async () => {
    const code = `class M(Module):\n  def forward(self: M,\n    x: Tensor${' '.repeat(60_000)}`;
    const path = await put(
      'blank.pt',
      zipBytes({
        'm/data.pkl': '\x80\x02c__torch__\nM\nq\x00)\x81}',
        'm/code/__torch__.py': code,
        'm/constants.pkl': '\x80\x02).',
      }),
    );
    expect((await rejection(reading.readers.torchscript({ path }))).code).toBe('model-file-invalid');
  });

  it('a config.pbtxt of 110 MB, and one of 20,000 inputs', async () => {
    await put('huge/config.pbtxt', Buffer.alloc(110 * 2 ** 20, '#'));
    expect((await rejection(reading.readers.repository({ path: join(dir, 'huge') }))).message).toContain(
      `at most ${fileLimits.configPbtxt.bytes}`,
    );
    const input = (index: number) => `input { name: "i${index}" data_type: TYPE_FP32 dims: 3 }\n`;
    const text = Array.from({ length: 20_000 }, (_unused, index) => input(index)).join('');
    const { notes } = await reading.readers.spec({
      loaded: resnet50,
      text,
      fileName: 'config.pbtxt',
      overrides: {},
    });
    expect(notes.join(' ')).toContain(`at most ${fileLimits.configPbtxt.bytes}`);
    const most = text.slice(0, text.lastIndexOf('\n', fileLimits.configPbtxt.bytes) + 1);
    const edit = { loaded: resnet50, choice: { preset: 'resnet50', overrides: {} }, text: most };
    expect((await reading.readers.configEdit(edit)).problem).toBeNull();
  });

  it('a CSV file of hundreds of thousands of columns', async () => {
    const header = 'Concurrency,Inferences/Second,p50 latency,p90 latency,p95 latency,p99 latency';
    const path = await put('wide.csv', `${header}${',c'.repeat(400_000)}\n`);
    expect((await rejection(reading.readers.capture({ path }))).message).toContain('columns');
  });
});
