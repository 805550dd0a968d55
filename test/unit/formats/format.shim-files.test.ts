import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { shimFiles } from '../../../main/formats/format';

it.each(['onnx', 'torchscript', 'savedmodel'])(
  'the shim of %s and what it shares are files of the product',
  async (folder) => {
    const files = shimFiles('resources', folder);
    expect(files.map((file) => basename(file))).toEqual(['model.py', 'serving_shim.py']);
    for (const file of files) expect((await stat(file)).isFile()).toBe(true);
  },
);
