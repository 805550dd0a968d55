import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newerOnnxNote, olderVersion, onnxRuntimeLimits } from '../../../main/own/onnx-versions';
import { openModel } from '../../../main/own/open-model';
import { useModelBench } from '../../support/model-bench';
import { onnxBytes } from '../../support/onnx-bytes';

const bench = useModelBench();

async function notesOf(file: { readonly opset?: number; readonly irVersion?: number }) {
  const path = join(bench().dir, 'new.onnx');
  await writeFile(path, onnxBytes(file));
  return { path, notes: (await openModel({ path }, bench().tools())).notes };
}

/** test/python/test_onnx_versions.py holds the installed ONNX Runtime and the words of the run to the same file. */
it('has the limits of the locked ONNX Runtime, and the words of the run', async () => {
  const limits = JSON.parse(await readFile('test/fixtures/onnx-limits.json', 'utf8')) as {
    readonly [name in 'onnxruntime' | 'path' | 'remedy']: string;
  } & { readonly [name in 'irVersion' | 'opset']: number };
  const { onnxruntime: version, irVersion, opset, path, remedy } = limits;
  expect(onnxRuntimeLimits).toEqual({ version, irVersion, opset });
  expect(olderVersion(path, onnxRuntimeLimits)).toBe(remedy);
  expect(await readFile('resources/requirements/runtime.txt', 'utf8')).toContain(
    `onnxruntime==${version}; python_version >= "3.11"`,
  );
});

it.each([
  [{ irVersion: 99 }, 'IR version 99'],
  [{ opset: 99 }, 'operator set 99'],
  [{ irVersion: 98, opset: 99 }, 'IR version 98 and operator set 99'],
])('says of a file with %j at once why no run of it begins', async (file, beyond) => {
  const { path, notes } = await notesOf(file);
  expect(notes[0]).toBe(
    `ONNX Runtime 1.31.1 cannot load new.onnx, which has ${beyond}. ${olderVersion(path, onnxRuntimeLimits)}`,
  );
});

it('says nothing of the newest one that loads', async () => {
  const { irVersion, opset } = onnxRuntimeLimits;
  const { path, notes } = await notesOf({ irVersion, opset });
  expect(notes.join()).not.toContain('ONNX Runtime');
  expect(newerOnnxNote(path, { irVersion, opsets: new Map([['ai.onnx.ml', 99]]) })).toBeNull();
});
