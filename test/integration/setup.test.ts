import { access, constants, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exec } from '../../main/platform/exec';
import { exists } from '../../main/platform/files';
import { homeLayout } from '../../main/platform/layout';
import type { SetupContext } from '../../main/setup/component';
import { hostPythons } from '../../main/setup/interpreter';
import { analyzerRelease, hostGlibc } from '../../main/setup/perf-analyzer';
import { makeEnvironment, packageVersion } from '../../main/setup/python';
import { createSetup } from '../../main/setup/setup';
import { openUv } from '../../main/setup/uv';
import { createTestHome, repository, type TestHome } from '../support/home';
import { rejection } from '../support/rejection';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome(['python']);
});
afterAll(() => home.remove());

const resources = join(repository, 'resources');
const never = new AbortController().signal;
const listenerOf = (signal: AbortSignal, onText: (text: string) => void = () => undefined) => ({
  signal,
  onComponent: () => undefined,
  onStderrLine: () => undefined,
  onProgress: (_fraction: number | null, text: string) => {
    onText(text);
  },
});
const setup = (env: NodeJS.ProcessEnv = process.env) =>
  createSetup({ layout: homeLayout(home.path), resources, env });
const install = { repair: false } as const;
const left = async (...names: string[]) => {
  const found = await Promise.all(names.map((name) => exists(join(home.path, name))));
  return names.filter((_name, index) => found[index] === true);
};

describe('a component from the real package index', () => {
  it('that is cancelled leaves nothing of it, and is installed by the next attempt', async () => {
    const stop = new AbortController();
    const cancelled = setup().install(['perf-analyzer'], install, {
      ...listenerOf(stop.signal),
      // The first line of uv: it is at work.
      onStderrLine: (line) => {
        if (/^Using C?Python/.test(line)) stop.abort();
      },
    });
    expect((await rejection(cancelled)).code).toBe('cancelled');
    expect(await left('perf-analyzer', 'perf-analyzer.new', 'setup.lease')).toEqual([]);
    expect((await setup().status('perf-analyzer')).state).toBe('missing');

    await setup().install(['perf-analyzer'], install, listenerOf(never));
    const { version } = analyzerRelease(hostGlibc(), process.arch);
    expect(await setup().status('perf-analyzer')).toMatchObject({ state: 'ready', version });
    expect(await left('perf-analyzer.new', 'setup.lease')).toEqual([]);
    const { perfAnalyzer, perfAnalyzerLibraries } = homeLayout(home.path);
    await access(perfAnalyzer, constants.X_OK);
    const lines: string[] = [];
    await exec({
      argv: [perfAnalyzer, '--version'],
      env: { ...process.env, LD_LIBRARY_PATH: perfAnalyzerLibraries },
      onStdoutLine: (line) => void lines.push(line),
      onStderrLine: (line) => void lines.push(line),
    });
    expect(lines.join('\n')).toContain('Perf Analyzer');
  });

  it('is made anew by a repair, and gone after it was removed', async () => {
    const marker = join(home.path, 'perf-analyzer', 'left');
    await writeFile(marker, '');
    await setup().install(['perf-analyzer'], install, listenerOf(never));
    expect(await exists(marker)).toBe(true);
    await setup().install(['perf-analyzer'], { repair: true }, listenerOf(never));
    expect(await exists(marker)).toBe(false);
    await setup().remove(['perf-analyzer'], listenerOf(never));
    expect(await left('perf-analyzer', 'perf-analyzer.removed')).toEqual([]);
    expect((await setup().status('perf-analyzer')).state).toBe('missing');
  });
});

describe('an environment of Python', () => {
  const context = (): SetupContext => {
    const layout = homeLayout(home.path);
    const options = { layout, resources, env: process.env, log: null };
    return { ...options, uv: () => openUv(options, listenerOf(never)) };
  };

  /** Entries of the lock by name, with their hashes, in a file of their own. */
  const lockedFile = async (path: string, ...names: readonly string[]): Promise<string> => {
    const texts = ['tensorflow.txt', 'runtime.txt'].map((name) =>
      readFile(join(resources, 'requirements', 'locked', name), 'utf8'),
    );
    const entries = (await Promise.all(texts)).join('').split(/\n(?=\S)/);
    const wanted = names.map((name) => entries.find((entry) => entry.startsWith(`${name}==`)) ?? '');
    await writeFile(path, `${wanted.join('\n')}\n`);
    return path;
  };

  it('is made without the CPU build where no index has it, and works after it was moved', async () => {
    const folder = join(home.path, 'small');
    await mkdir(folder);
    const locked = await lockedFile(join(folder, 'small.txt'), 'six', 'pip');
    const [cpu, any] = [join(folder, 'cpu.txt'), join(folder, 'any.txt')];
    await writeFile(cpu, 'termcolor==3.3.0+cpu\n');
    await writeFile(any, 'termcolor==3.3.0\n');
    // As another index's build needs other packages than the lock has.
    const cuda = join(folder, 'cuda.txt');
    await writeFile(cuda, `termcolor==3.2.0 --hash=sha256:${'0'.repeat(64)}\n`);
    const texts: string[] = [];
    const fresh = join(folder, 'env');
    const environment = {
      ...{ interpreter: homeLayout(home.path).python, locked, torch: { cpu, any, cuda } },
      ...{ imports: 'import six, termcolor', what: 'A small environment' },
    };
    await makeEnvironment(
      fresh,
      environment,
      context(),
      listenerOf(never, (text) => void texts.push(text)),
    );
    expect(texts.join('\n')).toContain('No index has the CPU build');
    const moved = join(folder, 'moved');
    await rename(fresh, moved);
    expect(await packageVersion(moved, 'six')).toBe('1.17.0');
    // pip fetches the packages of the container images.
    const pip = join(moved, 'bin', 'pip');
    expect((await exec({ argv: [pip, 'show', 'six'], env: process.env })).exitCode).toBe(0);
  });

  it('is refused where a file is not that of the lock', async () => {
    const folder = join(home.path, 'small');
    const locked = join(folder, 'changed.txt');
    await writeFile(locked, `six==1.17.0 --hash=sha256:${'0'.repeat(64)}\n`);
    const environment = {
      ...{ interpreter: homeLayout(home.path).python, locked, torch: null },
      ...{ imports: 'import six', what: 'A small environment' },
    };
    const error = await rejection(
      makeEnvironment(join(folder, 'refused'), environment, context(), listenerOf(never)),
    );
    expect(error.message).toContain('does not match its checksum');
  });

  it('is made in its place whatever a pyproject.toml above the home says', async () => {
    const above = join(home.path, 'above');
    const within = join(above, 'home');
    await mkdir(within, { recursive: true });
    const elsewhere = join(home.path, 'elsewhere');
    await writeFile(join(above, 'pyproject.toml'), `[tool.uv.pip]\ntarget = "${elsewhere}"\n`);
    const locked = await lockedFile(join(within, 'small.txt'), 'six');
    const env = { ...process.env, UV_LINK_MODE: 'symlink', UV_CONFIG_FILE: join(above, 'gone.toml') };
    const options = { layout: homeLayout(within), resources, env, log: null };
    const environment = {
      ...{ interpreter: homeLayout(home.path).python, locked },
      ...{ torch: null, imports: 'import six', what: 'A small environment' },
    };
    const fresh = join(within, 'env');
    const own = { ...options, uv: () => openUv(options, listenerOf(never)) };
    await makeEnvironment(fresh, environment, own, listenerOf(never));
    expect(await packageVersion(fresh, 'six')).toBe('1.17.0');
    expect(await exists(elsewhere)).toBe(false);
    // Nothing of it is a link into the cache, which a repair empties.
    await rm(join(within, 'uv', 'cache'), { recursive: true });
    const python = join(fresh, 'bin', 'python');
    expect((await exec({ argv: [python, '-I', '-c', 'import six'], env })).exitCode).toBe(0);
  });

  it('says that a package does not load, with what Python said', async () => {
    const folder = join(home.path, 'small');
    const environment = {
      ...{ interpreter: homeLayout(home.path).python, locked: join(folder, 'small.txt') },
      ...{ torch: null, imports: 'import nothing_like_this', what: 'A small environment' },
    };
    const failed = makeEnvironment(join(folder, 'other'), environment, context(), listenerOf(never));
    const error = await rejection(failed);
    expect(error.code).toBe('toolchain-missing');
    expect(error.details).toContain('nothing_like_this');
  });

  it('is refused in one sentence where the named interpreter will not do', async () => {
    const env = { ...process.env, TRITON_WORKBENCH_PYTHON: '/nowhere/python' };
    expect(await hostPythons(env)).toEqual([]);
    const error = await rejection(setup(env).install(['python'], { repair: true }, listenerOf(never)));
    expect(error.message).toContain('with its shared library is needed (no Python was found)');
    expect(error.remedy).toContain('"docker"');
    expect((await setup().status('python')).state).not.toBe('missing');
  });
});
