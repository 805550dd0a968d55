import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inputRanges } from '../../../main/own/input-ranges';
import { onnxSource } from '../../../main/own/onnx-source';
import { filePreset } from '../../../main/own/own-preset';
import { readOnnx } from '../../../main/own/read-onnx';
import { field, onnxBytes } from '../../support/onnx-bytes';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-ranges-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const node = (operator: string, inputs: readonly string[], output: string, axis?: number) =>
  field(
    1,
    Buffer.concat([
      ...inputs.map((name) => field(1, name)),
      ...[field(2, output), field(4, operator)],
      ...(axis === undefined ? [] : [field(5, Buffer.concat([field(1, 'axis'), field(3, axis)]))]),
    ]),
  );
const weight = (name: string, ...dims: number[]) =>
  field(5, Buffer.concat([...dims.map((dim) => field(1, dim)), field(2, 1), field(8, name)]));
const ids = (name: string, ...shape: (number | string)[]) => ({ name, type: 7, shape });

async function sourceOf(inputs: readonly ReturnType<typeof ids>[], graph: readonly Buffer[]) {
  const path = join(dir, 'model.onnx');
  await writeFile(path, onnxBytes({ inputs, graph }));
  return onnxSource(path, readOnnx(path), {});
}

describe('the values of generated integers', () => {
  it('are within the smallest weight that they choose from, behind operators that keep them', async () => {
    const source = await sourceOf(
      [ids('input_ids', 'batch', 'seq'), ids('features', 'batch', 26), ids('free', 'batch', 3)],
      [
        ...[node('Cast', ['input_ids'], 'cast'), node('Gather', ['words', 'cast'], 'embedded')],
        // Columns of one input choose from several tables.
        node('Gather', ['features', 'first'], 'column', 1),
        ...[node('Gather', ['large', 'column'], 'a'), node('Gather', ['small', 'column'], 'b', 0)],
        // Not along the rows, not of an input, and of what is computed.
        ...[node('Gather', ['words', 'free'], 'c', 1), node('Gather', ['words', 'position'], 'd')],
        ...[node('Add', ['free', 'free'], 'sum'), node('Gather', ['small', 'sum'], 'e')],
        ...[weight('words', 30522, 768), weight('large', 1000, 16), weight('small', 40, 16)],
      ],
    );
    expect(source.inputs.map(({ tableRows }) => tableRows)).toEqual([30522, 40, undefined]);
    expect(inputRanges(source)).toBe('input_ids:0:30522,features:0:40');
    expect(filePreset(source).profiles.quick?.args).toEqual({
      samples: '16',
      ranges: 'input_ids:0:30522,features:0:40',
    });
  });

  it('are what their names say, and 0 or 1 without a range where nothing says more', async () => {
    const named = ['attention_mask', 'token_type_ids', 'position_ids', 'other'];
    const inputs = named.map((name) => ids(name, 'batch', 'seq'));
    const source = await sourceOf([...inputs, ids('lengths', 'batch', 1)], []);
    expect(inputRanges(source)).toBe('attention_mask:1:2,token_type_ids:0:1,position_ids:0:16,lengths:16:17');
    const plain = await sourceOf([ids('other', 'batch', 'seq')], []);
    expect(inputRanges(plain)).toBeNull();
    expect(filePreset(plain).profiles.full?.args).toEqual({ samples: '64' });
    const types = await sourceOf(
      [ids('token_type_ids', 'batch', 'seq')],
      [...[node('Gather', ['types', 'token_type_ids'], 't'), weight('types', 2, 768)]],
    );
    expect(inputRanges(types)).toBe('token_type_ids:0:2');
  });
});
