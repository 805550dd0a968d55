import { lstat, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pythonBackendsOf, writePythonBackends } from '../../../../main/engine/local/python-backends';

let cache: string;
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'workbench-backends-'));
});
afterEach(() => rm(cache, { recursive: true, force: true }));

const resources = resolve('resources');
const write = (backends = '/t/backends') =>
  writePythonBackends(pythonBackendsOf({ cache }), backends, resources);

it('writes the backends by the names of Triton’s own, beside the Python backend', async () => {
  await write();
  const folder = pythonBackendsOf({ cache });
  expect((await readdir(folder)).sort()).toEqual(['onnxruntime', 'python', 'pytorch', 'tensorflow']);
  expect(await readlink(join(folder, 'python'))).toBe('/t/backends/python');
  expect(await readFile(join(folder, 'onnxruntime', 'model.py'), 'utf8')).toContain('TritonPythonModel');
});

it('leaves what is there as it should be, for servers that run on it', async () => {
  await write();
  const before = (await lstat(pythonBackendsOf({ cache }))).ino;
  await Promise.all([write(), write()]);
  expect((await lstat(pythonBackendsOf({ cache }))).ino).toBe(before);
});

it('writes it anew where a file or the Triton is another one, also twice at a time', async () => {
  await write();
  const file = join(pythonBackendsOf({ cache }), 'onnxruntime', 'model.py');
  const whole = await readFile(file);
  await writeFile(file, 'other');
  await Promise.all([write('/u/backends'), write('/u/backends')]);
  expect(await readFile(file)).toEqual(whole);
  expect(await readlink(join(pythonBackendsOf({ cache }), 'python'))).toBe('/u/backends/python');
  expect(await readdir(cache)).toEqual(['python-backends']);
});
