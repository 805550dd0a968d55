import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toWire } from '../../../main/contract/errors';
import { openModel } from '../../../main/own/open-model';
import { scripted, useModelBench } from '../../support/model-bench';
import { onnxBytes } from '../../support/onnx-bytes';
import { savedModelBytes, type SavedModelText } from '../../support/savedmodel-bytes';

const bench = useModelBench();
const tools = () => bench().tools();

describe('trust', () => {
  const trustedFolder = () =>
    bench().folder((path) =>
      writeFile(join(path, 'model.py'), 'import marks\ndef get_model(**arguments):\n  pass\n'),
    );

  it('is asked for before code is run, naming the files', async () => {
    const path = await trustedFolder();
    const { trust } = tools();
    expect(await openModel({ path }, tools())).toMatchObject({ kind: 'folder', trusted: false });
    const refusal = await trust.require({ kind: 'folder', path }).catch((error: unknown) => toWire(error));
    expect(refusal).toMatchObject({ code: 'not-trusted', where: path });
    expect(refusal?.message).toMatch(/dataloader\.py.*model\.py/);
    expect(existsSync(bench().executed)).toBe(false);
  });

  it.each(['model.py', '__pycache__/model.cpython-311.pyc', 'marks.py'])(
    'holds for the content: a change of %s asks again',
    async (name) => {
      const path = await trustedFolder();
      const place = { kind: 'folder', path } as const;
      await tools().trust.trust(place);
      expect((await openModel({ path }, tools())).trusted).toBe(true);
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), 'def get_model(**arguments):\n  return None\n');
      expect((await openModel({ path }, tools())).trusted).toBe(false);
    },
  );

  it('is not given by a damaged list', async () => {
    const path = await trustedFolder();
    await tools().trust.trust({ kind: 'folder', path });
    await writeFile(join(bench().dir, 'trusted.json'), '{"version":1,');
    expect((await openModel({ path }, tools())).trusted).toBe(false);
  });

  it('comes before a TorchScript file is loaded, and its shapes are asked for', async () => {
    const path = await bench().put(
      'm.pt',
      scripted('  def forward(self: M,\n    x: Tensor, scale: float=1.) -> Tensor:\n'),
    );
    const opened = await openModel({ path }, tools());
    expect(opened).toMatchObject({ choice: null, trusted: false, asked: [{ name: 'x', shape: null }] });
    await tools().trust.trust({ kind: 'torchscript', path });
    expect((await openModel({ path }, tools())).choice).toBeNull();
    await expect(openModel({ path, shapes: { x: [1, 3] } }, tools())).rejects.toThrow('may be run');
  });
});

describe('an ONNX file', () => {
  const sourceOf = async (path: string, shapes = {}) => {
    const { choice } = await openModel({ path, shapes }, tools());
    if (choice === null) throw new Error(`${path} was not recognised`);
    return (choice.overrides as { model: { source: Record<string, unknown> } }).model.source;
  };

  it('with a batch of a fixed size is said to have that many rows in one inference', async () => {
    const notesOf = async (inputs: number[], outputs: number[]) => {
      const text = { inputs: [{ name: 'x', shape: inputs }], outputs: [{ name: 'y', shape: outputs }] };
      return (await openModel({ path: await bench().put('a.onnx', onnxBytes(text)) }, tools())).notes.join();
    };
    expect(await notesOf([8, 3], [8, 2])).toContain(
      'begin with an axis of 8: where that is a batch, one inference is 8 rows.',
    );
    expect(await notesOf([8, 3], [5])).not.toContain('rows');
    expect(await notesOf([1, 3], [1, 2])).not.toContain('rows');
  });

  it('is a model with a batch where all first axes are one', async () => {
    const path = await bench().put('Net v1.onnx', onnxBytes());
    expect(await openModel({ path }, tools())).toMatchObject({
      trusted: true,
      code: [],
      choice: { preset: 'net-v1' },
    });
    expect(await sourceOf(path)).toMatchObject({
      batched: true,
      opset: 17,
      inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 3], sample: [1, 3] }],
    });
  });

  it.each([
    ['a first axis of fixed size', [1, 3], [1, 3]],
    ['first axes of different names', ['batch', 3], ['boxes', 3]],
    ['a scalar among the inputs', [], ['batch', 3]],
    ['one number a sample', ['batch'], ['batch', 3]],
  ])('has no batch with %s', async (_what, input, output) => {
    const text = { inputs: [{ name: 'x', shape: input }], outputs: [{ name: 'y', shape: output }] };
    expect(await sourceOf(await bench().put('a.onnx', onnxBytes(text)))).toMatchObject({ batched: false });
  });

  it('takes given shapes, and infers the others by name and place', async () => {
    const inputs = [
      { name: 'image', shape: ['batch', 3, 'height', ''] },
      { name: 'ids', type: 7, shape: ['batch', 'sequence'] },
      { name: 'mask', type: 7, shape: ['batch', 'sequence'] },
    ];
    const path = await bench().put('a.onnx', onnxBytes({ inputs }));
    const samples = async (shapes = {}) =>
      ((await sourceOf(path, shapes))['inputs'] as { sample: number[] }[]).map(({ sample }) => sample);
    expect(await samples()).toEqual([
      [1, 3, 224, 224],
      [1, 16],
      [1, 16],
    ]);
    expect(await samples({ image: [1, 3, 64, 64] })).toContainEqual([1, 3, 64, 64]);
    await expect(openModel({ path, shapes: { nose: [1] } }, tools())).rejects.toMatchObject({
      remedy: 'Its inputs are: image, ids, mask.',
    });
  });
});

describe('a SavedModel', () => {
  const saved = async (text: SavedModelText = {}) =>
    dirname(await bench().put('Segmenter v2/saved_model.pb', savedModelBytes(text)));

  it('is read without TensorFlow, asks for trust, and is then a model with its own tensors', async () => {
    const path = await saved({
      inputs: [
        { name: 'image', shape: [-1, -1, -1, 3] },
        { name: 'flag', type: 10, shape: [-1, 1] },
      ],
      outputs: [
        { name: 'output_10', type: 9, shape: [-1, 4] },
        { name: 'output_2', shape: [-1, 4] },
      ],
    });
    expect(await openModel({ path }, tools())).toMatchObject({
      kind: 'savedmodel',
      trusted: false,
      choice: null,
      code: [{ path: 'saved_model.pb' }],
    });
    await tools().trust.trust({ kind: 'savedmodel', path });
    const opened = await openModel({ path, shapes: { image: [1, 64, 64, 3] } }, tools());
    expect(opened.preset).toMatchObject({
      framework: 'tf',
      formats: ['tf-savedmodel', 'onnx', 'trt'],
      defaults: { format: 'tf-savedmodel' },
    });
    expect(opened.choice?.overrides).toMatchObject({
      model: {
        source: {
          batched: true,
          inputs: [
            { name: 'flag', datatype: 'BOOL', shape: [-1, 1], sample: [1, 1] },
            { name: 'image', datatype: 'FP32', shape: [-1, -1, -1, 3], sample: [1, 64, 64, 3] },
          ],
          outputs: [{ name: 'output_2' }, { name: 'output_10', datatype: 'INT64' }],
        },
      },
    });
  });

  it('is the same when its saved_model.pb is chosen', async () => {
    const path = await saved();
    const opened = await openModel({ path: join(path, 'saved_model.pb') }, tools());
    expect(opened).toMatchObject({ kind: 'savedmodel', path, title: 'Segmenter v2' });
  });

  it('is trusted by the content of every file of it', async () => {
    const path = await saved();
    await bench().put('Segmenter v2/variables/variables.index', 'i');
    const weights = await bench().put('Segmenter v2/variables/variables.data-00000-of-00001', 'w');
    await tools().trust.trust({ kind: 'savedmodel', path });
    expect((await openModel({ path }, tools())).trusted).toBe(true);
    await writeFile(weights, 'v');
    expect((await openModel({ path }, tools())).trusted).toBe(false);
  });

  it('asks for the shape of an input whose number of axes it does not say', async () => {
    const path = await saved({ inputs: [{ name: 'x', shape: null }] });
    await tools().trust.trust({ kind: 'savedmodel', path });
    expect(await openModel({ path }, tools())).toMatchObject({
      choice: null,
      asked: [{ name: 'x', shape: null }],
    });
    const opened = await openModel({ path, shapes: { x: [1, 5] } }, tools());
    expect(opened.choice?.overrides).toMatchObject({
      model: { source: { inputs: [{ name: 'x', shape: [-1, -1], sample: [1, 5] }] } },
    });
  });
});
