import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverArguments } from '../../../../main/engine/local/server-command';
import { packageChanges, toolchainOf } from '../../../../main/engine/local/serving-environment';
import { type HomeLayout, homeLayout } from '../../../../main/platform/layout';

let root: string;
let layout: HomeLayout;

const write = async (path: string, content = ''): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
};

/** A server whose help has these flags. */
async function writeTriton(folder: string, flags: readonly string[]): Promise<void> {
  const program = join(folder, 'bin', 'tritonserver');
  const help = flags.map((flag) => `echo "  --${flag} <value>" >&2`).join('\n');
  await write(program, `#!/bin/sh\n${help}\nexit 1\n`);
  await chmod(program, 0o755);
  await write(join(folder, 'backends', 'python', 'triton_python_backend_stub'));
}

async function writePython(folder: string, version: string, packages: readonly string[]): Promise<void> {
  await write(join(folder, 'bin', 'python'));
  const library = join(folder, 'lib', version, 'site-packages');
  await mkdir(library, { recursive: true });
  for (const name of packages) await mkdir(join(library, `${name}.dist-info`));
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-environments-'));
  layout = homeLayout(join(root, 'home'));
  await writeTriton(join(root, 'home', 'triton'), []);
  await write(layout.libraryPathFile, '/home-libraries\n');
  await writePython(join(root, 'home', 'python'), 'python3.11', ['onnxruntime-1.31.0', 'numpy-1.26.4']);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const open = (folder?: string) =>
  toolchainOf(
    layout,
    folder === undefined ? {} : { environment: { folder: join(root, folder), framework: 'pyt' } },
    process.env,
  );

const all = [
  ...['model-repository', 'backend-directory', 'model-control-mode', 'http-address', 'http-port'],
  ...['grpc-address', 'grpc-port', 'metrics-address', 'metrics-port', 'allow-gpu-metrics'],
  ...['backend-config', 'load-model', 'exit-timeout-secs', 'disable-auto-complete-config'],
];

const started = (knows: ReadonlySet<string> | null | undefined) =>
  serverArguments({
    ...{ program: 'tritonserver', backends: '/b', repository: '/r', engineId: 'id' },
    ...{ httpPort: undefined, grpcPort: undefined, knows },
  });

describe('a serving environment', () => {
  it('is that of the home where none is named', async () => {
    expect(await open()).toMatchObject({ program: layout.tritonServer, libraryPath: ['/home-libraries'] });
  });

  it('is another home or installation, with the flags that its Triton has', async () => {
    await writeTriton(join(root, 'other', 'triton'), all);
    await write(join(root, 'other', 'triton', 'library-path'), '/other-libraries\n');
    await writePython(join(root, 'other', 'python'), 'python3.12', []);
    const other = await open('other');
    expect(other).toMatchObject({
      program: join(root, 'other', 'triton', 'bin', 'tritonserver'),
      backends: join(root, 'other', 'triton', 'backends'),
      libraryPath: ['/other-libraries'],
      pythonBin: join(root, 'other', 'python', 'bin'),
    });
    expect(started(other.knows)).toHaveLength(started(undefined).length);
    await writeTriton(join(root, 'plain'), all);
    const plain = await open('plain');
    expect(plain.libraryPath).toEqual([join(root, 'plain', 'lib')]);
    // Its models have the packages of the home.
    expect(plain.pythonBin).toBe(join(root, 'home', 'python', 'bin'));
  });

  it('goes without a flag that an older Triton lacks, and refuses one that is too old', async () => {
    await writeTriton(join(root, 'older'), all.slice(0, -1));
    const { knows } = await open('older');
    expect(started(knows).join(' ')).not.toContain('--disable-auto-complete-config');
    expect(() => started(new Set(all.filter((flag) => flag !== 'http-address')))).toThrow(
      'This Triton has no --http-address',
    );
  });

  it('is a Python environment whose packages the Triton of the home takes', async () => {
    await writePython(join(root, 'venv'), 'python3.11', ['onnxruntime-1.20.1', 'numpy-1.26.4']);
    const venv = await open('venv');
    expect(venv).toMatchObject({
      program: layout.tritonServer,
      pythonBin: join(root, 'venv', 'bin'),
      sitePackages: join(root, 'venv', 'lib', 'python3.11', 'site-packages'),
    });
    expect(await packageChanges(await open(), venv)).toEqual([
      { name: 'onnxruntime', from: '1.31.0', to: '1.20.1' },
    ]);
    const [full, other] = ['full', 'lacking'].map((name) => join(root, name, 'python'));
    await writePython(full ?? '', 'python3.11', ['onnxruntime-1.31.0', 'numpy-1.26.4', 'torch-2.9.0']);
    await writePython(other ?? '', 'python3.11', ['torch-2.8.0', 'onnxruntime-1.20.1']);
    const program = layout.tritonServer;
    const found = await packageChanges(
      { program, pythonBin: join(full ?? '', 'bin') },
      { program, pythonBin: join(other ?? '', 'bin') },
    );
    // To be installed before anything else.
    expect(found.map(({ name, to }) => [name, to])).toEqual([
      ['numpy', null],
      ['onnxruntime', '1.20.1'],
      ['torch', '2.8.0'],
    ]);
    // Without a Triton of its own it has that of the home.
    await writePython(full ?? '', 'python3.11', ['nvidia_pytriton-0.7.0']);
    const changesTo = async (server: string) => {
      const [one, two] = [join(full ?? '', 'bin'), join(other ?? '', 'bin')];
      const all = await packageChanges({ program, pythonBin: one }, { program: server, pythonBin: two });
      return all.map(({ name }) => name);
    };
    expect(await changesTo(program)).not.toContain('nvidia_pytriton');
    expect(await changesTo('/other/bin/tritonserver')).toContain('nvidia_pytriton');
    await writePython(join(root, 'newer'), 'python3.12', []);
    await expect(open('newer')).rejects.toThrow('The environment has python3.12');
  });

  it('has transformers behind the packages of the home, and not behind those of another environment', async () => {
    const packagesOf = (...place: readonly string[]) =>
      join(root, ...place, 'lib', 'python3.11', 'site-packages');
    expect((await open()).sitePackages).toBe(packagesOf('home', 'python'));
    await writePython(join(root, 'home', 'transformers'), 'python3.11', []);
    const both = [packagesOf('home', 'python'), packagesOf('home', 'transformers')];
    expect((await open()).sitePackages).toBe(both.join(delimiter));
    await writePython(join(root, 'venv'), 'python3.11', []);
    expect((await open('venv')).sitePackages).toBe(packagesOf('venv'));
  });

  it('refuses a folder that is none, and a Triton without the Python backend', async () => {
    await mkdir(join(root, 'empty'));
    await expect(open('empty')).rejects.toThrow('empty is not a serving environment');
    await mkdir(join(root, 'bare', 'bin'), { recursive: true });
    await symlink('/bin/true', join(root, 'bare', 'bin', 'tritonserver'));
    await expect(open('bare')).rejects.toThrow('has no Python backend');
  });
});
