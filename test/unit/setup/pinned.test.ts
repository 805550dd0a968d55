import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { homeLayout } from '../../../main/platform/layout';
import { pinDifferences, pinnedVersions } from '../../../main/setup/pinned';
import { pythonStamp } from '../../../main/setup/python';
import { createSetup } from '../../../main/setup/setup';
import { writeStamp } from '../../../main/setup/stamps';
import { tritonComponent } from '../../../main/setup/triton';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-pinned-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const requirements = `# Pinned.
numpy==1.26.4
onnx==1.23.2; python_version >= "3.10"
onnx==1.19.1; python_version < "3.10"
onnxruntime==1.23.2; python_version == "3.10"
tritonclient[grpc,http]==2.73.0; python_version >= "3.10"
torch==2.13.0; python_version >= "3.10"
nvidia-pytriton==0.7.0
`;

async function putPackages(venv: string, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    await mkdir(join(venv, 'lib', 'python3.11', 'site-packages', `${name}.dist-info`), { recursive: true });
}

it('reads the versions that are for this Python', () => {
  expect([...pinnedVersions(requirements, '3.11.7')]).toEqual([
    ['numpy', '1.26.4'],
    ['onnx', '1.23.2'],
    ['tritonclient', '2.73.0'],
    ['torch', '2.13.0'],
    ['nvidia-pytriton', '0.7.0'],
  ]);
  expect(pinnedVersions(requirements, '3.9.2').get('onnx')).toBe('1.19.1');
  expect(pinnedVersions(requirements, '3.10.1').get('onnxruntime')).toBe('1.23.2');
});

it('tells another version and a package that is not there, and no other build of the same version', async () => {
  const file = join(home, 'requirements.txt');
  await writeFile(file, requirements);
  await putPackages(home, 'numpy-1.26.4', 'onnx-1.19.0', 'torch-2.13.0+cpu', 'nvidia_pytriton-0.7.0');
  expect(await pinDifferences(home, file, '3.11.7')).toEqual([
    'onnx 1.19.0 (this version uses 1.23.2)',
    'tritonclient is missing',
  ]);
});

it('says of each outdated tool what is other than this version uses', async () => {
  const layout = homeLayout(home);
  const setup = createSetup({ layout, resources: 'resources', env: { PATH: '/nowhere', HOME: '/nowhere' } });
  const venv = dirname(dirname(layout.python));
  await mkdir(join(venv, 'bin'), { recursive: true });
  await writeFile(layout.python, '');
  await writeFile(join(venv, 'pyvenv.cfg'), 'version_info = 3.11.7\n');
  await putPackages(venv, 'numpy-1.25.0');
  await writeStamp(venv, 'of other versions');
  for (const file of tritonComponent.files(layout).filter((one) => one !== layout.python)) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '');
  }
  await writeStamp(tritonComponent.folder(layout), 'of another Python');
  const [python, triton] = [await setup.status('python'), await setup.status('triton')];
  expect(python).toMatchObject({ state: 'outdated' });
  expect(python.outdated).toMatch(
    /^Installed: numpy 1\.25\.0 \(this version uses [\d.]+\), .*, and \d+ more packages\.$/,
  );
  expect(triton.outdated).toBe('It was built from an earlier version of the Python environment.');
  await writeStamp(venv, await pythonStamp({ layout, resources: 'resources' }));
  expect(await setup.status('python')).not.toHaveProperty('outdated');
});
