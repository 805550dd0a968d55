import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listModelFiles } from '../../../main/own/model-files';
import { scripted, useModelBench } from '../../support/model-bench';
import { onnxBytes } from '../../support/onnx-bytes';
import { rejection } from '../../support/rejection';

const bench = useModelBench();
const trust = () => bench().tools().trust;
const torchscript = () => scripted('  def forward(self: M,\n    x: Tensor) -> Tensor:\n');

describe('what needs trust', () => {
  it('is decided by the format that loads the file and by what is in it', async () => {
    const onnx = await bench().put('a.onnx', onnxBytes());
    const code = await bench().put('b.pt', torchscript());
    const trusted = (path: string, format?: 'onnx' | 'trt' | 'ts-trace' | 'tf-savedmodel') =>
      trust().isTrusted({ kind: 'onnx', path, format });
    expect(await Promise.all([trusted(onnx), trusted(onnx, 'onnx'), trusted(onnx, 'trt')])).toEqual([
      true,
      true,
      true,
    ]);
    expect(await trusted(code, 'ts-trace')).toBe(false);
    expect(await trusted(onnx, 'ts-trace')).toBe(false);
    expect(await trusted(onnx, 'tf-savedmodel')).toBe(false);
    expect((await rejection(trusted(code, 'onnx'))).code).toBe('model-file-invalid');
    expect(await trust().isTrusted({ kind: 'torchscript', path: onnx })).toBe(false);
  });

  it('is every file of a folder, also where the specification calls the folder an ONNX file', async () => {
    const path = await bench().folder((at) => writeFile(join(at, 'saved_model.pb'), 'x'));
    const place = { kind: 'onnx', path } as const;
    expect(await trust().isTrusted(place)).toBe(false);
    expect((await rejection(trust().require(place))).message).toContain('model.py');
    // The same content is the same question, whatever it is called.
    await trust().trust({ kind: 'folder', path });
    expect(await trust().isTrusted(place)).toBe(true);
    await writeFile(join(path, 'model.py'), 'changed = 1\n');
    expect(await trust().isTrusted(place)).toBe(false);
  });
});

describe('a link in a model folder', () => {
  const withLink = async (name: string, target: string): Promise<string> => {
    const path = await bench().folder((at) => mkdir(join(at, '.git', 'deep'), { recursive: true }));
    await mkdir(join(path, 'sub', '.git'), { recursive: true });
    for (const at of ['.git/payload.py', '.git/deep/payload.py', 'sub/.git/payload.py', 'b.py']) {
      await writeFile(join(path, at), 'harmless = True\n');
    }
    await rm(join(path, name), { force: true });
    await symlink(target, join(path, name));
    return path;
  };

  it.each(['.git/payload.py', '.git/deep/payload.py', 'sub/.git/payload.py'])(
    'to %s is refused: its content is not part of what is trusted',
    async (target) => {
      const path = await withLink('model.py', target);
      for (const action of [
        () => trust().trust({ kind: 'folder', path }),
        () => trust().isTrusted({ kind: 'folder', path }),
        () => trust().require({ kind: 'folder', path }),
      ]) {
        const error = await rejection(action());
        expect(error).toMatchObject({ code: 'model-folder-invalid', where: join(path, 'model.py') });
        expect(error.message).toContain('a link into .git');
        expect(error.remedy).toContain('Copy the file');
      }
    },
  );

  it('to a file of the folder is part of what is trusted: a link that leads elsewhere asks again', async () => {
    const path = await withLink('model.py', 'b.py');
    expect((await listModelFiles(path)).map((file) => file.path)).toContain('model.py');
    const place = { kind: 'folder', path } as const;
    await trust().trust(place);
    expect(await trust().isTrusted(place)).toBe(true);
    await rm(join(path, 'model.py'));
    await symlink('marks.py', join(path, 'model.py'));
    expect(await trust().isTrusted(place)).toBe(false);
  });
});
