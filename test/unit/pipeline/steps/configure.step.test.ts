import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeModelRepository } from '../../../../main/pipeline/steps/configure.step';
import { parseConfigPbtxt } from '../../../../main/triton/config/config-pbtxt';
import { modelConfigSchema } from '../../../../main/triton/model-config';
import { rejection } from '../../../support/rejection';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-repository-'));
  await writeFile(join(folder, 'weights'), 'weights');
  await writeFile(join(folder, 'shim.py'), 'shim');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const config = modelConfigSchema.parse({ name: 'tiny', backend: 'python', maxBatchSize: 2 });
const files = () =>
  [
    { from: join(folder, 'weights'), name: 'model.onnx', by: 'link' },
    { from: join(folder, 'shim.py'), name: 'model.py', by: 'copy' },
  ] as const;

describe('model repository', () => {
  it('holds the configuration, the shared model file and a copy of the shim', async () => {
    const repository = join(folder, 'repository');
    const path = await writeModelRepository({ repository, config, version: 3, files: files() });
    expect(path).toBe(join(repository, 'tiny'));
    expect(parseConfigPbtxt(await readFile(join(path, 'config.pbtxt'), 'utf8'))).toEqual(config);
    expect((await readdir(join(path, '3'))).sort()).toEqual(['model.onnx', 'model.py']);
    expect((await stat(join(path, '3', 'model.onnx'))).ino).toBe((await stat(join(folder, 'weights'))).ino);
    expect((await stat(join(path, '3', 'model.py'))).ino).not.toBe((await stat(join(folder, 'shim.py'))).ino);
  });

  it('holds a model that is a folder, with what lies in its folders', async () => {
    const model = join(folder, 'model.savedmodel');
    await mkdir(join(model, 'variables'), { recursive: true });
    await writeFile(join(model, 'saved_model.pb'), 'graph');
    await writeFile(join(model, 'variables', 'variables.index'), 'index');
    const repository = join(folder, 'repository');
    const file = { from: model, name: 'model.savedmodel', by: 'link' } as const;
    const path = await writeModelRepository({ repository, config, version: 1, files: [file] });
    const placed = join(path, '1', 'model.savedmodel');
    expect(await readFile(join(placed, 'variables', 'variables.index'), 'utf8')).toBe('index');
    expect((await stat(join(placed, 'saved_model.pb'))).ino).toBe(
      (await stat(join(model, 'saved_model.pb'))).ino,
    );
  });

  it('has the files of a warm-up in the folder that Triton reads, by version', async () => {
    await mkdir(join(folder, 'made'));
    await writeFile(join(folder, 'made', '0-0.bin'), 'row');
    const repository = join(folder, 'repository');
    const warmUp = join(folder, 'made');
    const path = await writeModelRepository({ repository, config, version: 3, files: files(), warmUp });
    expect(await readFile(join(path, 'warmup', '3', '0-0.bin'), 'utf8')).toBe('row');
    expect((await readdir(path)).sort()).toEqual(['3', 'config.pbtxt', 'warmup']);
  });

  it('replaces what was there as a whole and leaves nothing beside it', async () => {
    const repository = join(folder, 'repository');
    await writeModelRepository({ repository, config, version: 1, files: files() });
    const path = await writeModelRepository({ repository, config, version: 2, files: files().slice(0, 1) });
    expect((await readdir(path)).sort()).toEqual(['2', 'config.pbtxt']);
    expect((await readdir(folder)).sort()).toEqual(['repository', 'shim.py', 'weights']);
  });

  it('keeps the old model when the new one cannot be written', async () => {
    const repository = join(folder, 'repository');
    await writeModelRepository({ repository, config, version: 1, files: files() });
    const missing = [{ from: join(folder, 'nothing'), name: 'model.onnx', by: 'link' as const }];
    await expect(writeModelRepository({ repository, config, version: 2, files: missing })).rejects.toThrow(
      'ENOENT',
    );
    expect((await readdir(join(repository, 'tiny'))).sort()).toEqual(['1', 'config.pbtxt']);
    expect((await readdir(folder)).sort()).toEqual(['repository', 'shim.py', 'weights']);
  });

  it.each(['../../up', '.hidden', '', 'a/b', '-x'])('refuses the model name %j', async (name) => {
    const repository = join(folder, 'repository');
    const write = writeModelRepository({ repository, config: { ...config, name }, version: 1, files: [] });
    expect((await rejection(write)).code).toBe('config-invalid');
  });
});
