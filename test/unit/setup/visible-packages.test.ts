import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { visibleVersions } from '../../../main/setup/visible-packages';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-visible-packages-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const packagesOf = (venv: string) => join(root, venv, 'lib', 'python3.11', 'site-packages');
async function install(folder: string, ...packages: readonly string[]): Promise<void> {
  for (const name of packages) await mkdir(join(folder, `${name}.dist-info`), { recursive: true });
}
const versionsOf = async (venv: string) => Object.fromEntries(await visibleVersions(join(root, venv)));

it('are those of the environment before those of the folders that it adds', async () => {
  await install(packagesOf('base'), 'numpy-1.26.4', 'onnxruntime-1.31.1');
  await install(packagesOf('venv'), 'numpy-2.0.0');
  expect(await versionsOf('venv')).toEqual({ numpy: '2.0.0' });
  const added = `# below\nimport os; os.sep\n\n${packagesOf('nowhere')}\n../../../../base/lib/python3.11/site-packages\n`;
  await writeFile(join(packagesOf('venv'), 'above.pth'), added);
  expect(await versionsOf('venv')).toEqual({ numpy: '2.0.0', onnxruntime: '1.31.1' });
});

it('are also those of the system where the environment takes them', async () => {
  await install(packagesOf('system'), 'torch-2.9.0');
  await install(join(root, 'system', 'lib', 'python3', 'dist-packages'), 'numpy-1.26.4');
  await install(packagesOf('venv'), 'onnxruntime-1.31.1');
  const write = (isIncluded: boolean) =>
    writeFile(
      join(root, 'venv', 'pyvenv.cfg'),
      `home = ${join(root, 'system', 'bin')}\ninclude-system-site-packages = ${isIncluded}\n`,
    );
  await write(false);
  expect(await versionsOf('venv')).toEqual({ onnxruntime: '1.31.1' });
  await write(true);
  expect(await versionsOf('venv')).toEqual({ onnxruntime: '1.31.1', numpy: '1.26.4', torch: '2.9.0' });
});

it('are none without an environment', async () => {
  expect(await versionsOf('empty')).toEqual({});
});
