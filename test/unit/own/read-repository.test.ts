import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mostConfigBytes, readRepository } from '../../../main/own/read-repository';
import { useModelBench } from '../../support/model-bench';
import { onnxBytes } from '../../support/onnx-bytes';
import { rejection } from '../../support/rejection';

const bench = useModelBench();
const pipe = (path: string) => execFileSync('mkfifo', [path]);
const served = 'name: "m" backend: "onnxruntime" max_batch_size: 4\n';

/** A whole model of a repository, with one change. */
async function repository(change: (folder: string) => unknown, config = served): Promise<string> {
  await bench().put('m/1/model.onnx', onnxBytes());
  const folder = dirname(await bench().put('m/config.pbtxt', config));
  await change(folder);
  return folder;
}

describe('config.pbtxt', () => {
  const replaced = (by: (path: string) => unknown) => async (folder: string) => {
    const path = join(folder, 'config.pbtxt');
    await rm(path);
    await by(path);
  };

  it.each([
    ['a pipe', pipe, /not a regular file/],
    ['an endless device behind a link', (path: string) => symlink('/dev/zero', path), /it is a link/],
    ['a link to a file elsewhere', (path: string) => symlink('/etc/passwd', path), /it is a link/],
    ['a folder', (path: string) => mkdir(path), /not a regular file/],
  ])('that is %s is refused, and nothing of it is read', async (_what, by, words) => {
    const folder = await repository(replaced(by));
    const error = await rejection(readRepository(folder));
    expect(error).toMatchObject({ code: 'model-folder-invalid', where: join(folder, 'config.pbtxt') });
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain('root');
    expect(error.remedy).toContain('regular file');
  });

  it('of the largest size is read, and a byte more or a hundred megabytes are refused', async () => {
    const full = `${served}${'#'.repeat(mostConfigBytes - served.length)}`;
    const folder = await repository(() => undefined, full);
    expect((await readRepository(folder)).config.maxBatchSize).toBe(4);
    for (const size of [mostConfigBytes + 1, 110 * 2 ** 20]) {
      await truncate(join(folder, 'config.pbtxt'), size);
      const error = await rejection(readRepository(folder));
      expect(error.code).toBe('model-folder-invalid');
      expect(error.message).toContain(`${size} bytes, at most ${mostConfigBytes}`);
    }
  });
});

describe('the model of a repository', () => {
  const replaced = (by: (path: string) => unknown) => async (folder: string) => {
    const path = join(folder, '1', 'model.onnx');
    await rm(path);
    await by(path);
  };

  it.each([
    ['a pipe', pipe],
    ['a folder', (path: string) => mkdir(path)],
    ['a link', (path: string) => symlink('/etc/passwd', path)],
  ])('that is %s instead of a file is refused', async (_what, by) => {
    const folder = await repository(replaced(by));
    const error = await rejection(readRepository(folder));
    expect(error).toMatchObject({
      code: 'model-folder-invalid',
      where: join(folder, '1', 'model.onnx'),
      message: 'The model is not a regular file',
    });
    expect(error.remedy).toContain('regular file');
  });

  it('that is a file where a SavedModel is a folder is refused', async () => {
    const config = 'name: "m" backend: "tensorflow" default_model_filename: "model.onnx"\n';
    const error = await rejection(readRepository(await repository(() => undefined, config)));
    expect(error).toMatchObject({ code: 'model-folder-invalid', message: 'The model is not a folder' });
  });

  it('that is named outside its version folder is refused', async () => {
    const config = `${served}default_model_filename: "../../other.onnx"\n`;
    const error = await rejection(readRepository(await repository(() => undefined, config)));
    expect(error.message).toContain('leads out of the version folder: "../../other.onnx"');
  });
});
