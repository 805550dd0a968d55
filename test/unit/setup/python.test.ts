import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { homeLayout } from '../../../main/platform/layout';
import type { SetupContext } from '../../../main/setup/component';
import { uvEnvironment } from '../../../main/setup/package-index';
import { pinnedVersions } from '../../../main/setup/pinned';
import { makeEnvironment, type TorchChoices } from '../../../main/setup/python';
import { rejection } from '../../support/rejection';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-python-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** In the place of uv: notes how it was called, fails as $FAILS says, and lays out an environment whose Python loads everything. */
const uvInPlace = `#!/bin/sh
echo "$@" >> "$NOTED"
env | grep '^UV_' >> "$NOTED"
if [ "$1" = venv ]; then
  for fresh in "$@"; do :; done
  mkdir -p "$fresh/bin" && printf '#!/bin/sh\\n' > "$fresh/bin/python" && chmod +x "$fresh/bin/python"
fi
case "$*" in *$FAILS*) echo "$SAYS" >&2; exit 1;; esac
`;

interface Made {
  readonly lines: readonly string[];
  readonly installs: readonly string[];
  readonly texts: readonly string[];
}

/** Makes an environment with `uvInPlace`. @param fails calls with these words fail, by the second line */
async function make(
  torch: TorchChoices | null,
  [fails, says]: readonly [string, string] = ['nothing-fails', ''],
): Promise<Made> {
  const [program, noted] = [join(folder, 'uv'), join(folder, 'noted')];
  await writeFile(program, uvInPlace);
  await chmod(program, 0o755);
  const person = {
    PATH: process.env['PATH'],
    UV_LINK_MODE: 'symlink',
    UV_CONFIG_FILE: '/gone',
    UV_CONSTRAINT: '/mine.txt',
    NOTED: noted,
    FAILS: fails,
    SAYS: says,
  };
  const context: SetupContext = {
    ...{ layout: homeLayout(folder), resources: 'resources', env: person, log: null },
    uv: () => Promise.resolve({ program, env: { ...person, ...uvEnvironment(person, []) }, cwd: folder }),
  };
  const texts: string[] = [];
  const listener = {
    signal: new AbortController().signal,
    onStderrLine: () => undefined,
    onProgress: (_fraction: number | null, text: string) => void texts.push(text),
  };
  const environment = { interpreter: '/usr/bin/python3', locked: '/locked.txt', torch };
  await makeEnvironment(
    join(folder, 'fresh'),
    { ...environment, imports: 'import six', what: 'A small environment' },
    context,
    listener,
  );
  const lines = (await readFile(noted, 'utf8')).split('\n');
  return { lines, installs: lines.filter((line) => line.startsWith('pip install')), texts };
}

const torch = { cpu: '/cpu.txt', any: '/any.txt', cuda: '/cuda.txt' };

it('an environment is made of its lock by hashes, nothing resolved, never of links into the cache', async () => {
  const { lines, installs } = await make(null);
  expect(installs).toHaveLength(1);
  expect(installs[0]).toContain('--link-mode=hardlink');
  expect(installs[0]).toMatch(/ --require-hashes --no-deps -r \/locked\.txt$/);
  // Neither pip nor another package comes from beside the lock.
  expect(lines.find((line) => line.startsWith('venv'))).not.toContain('--seed');
  expect(lines.filter((line) => line === 'UV_CONSTRAINT=')).toHaveLength(1);
});

it('uv is without the configuration of the person', async () => {
  const [program, noted] = [join(folder, 'uv'), join(folder, 'noted')];
  await writeFile(program, uvInPlace);
  await chmod(program, 0o755);
  const person = {
    PATH: process.env['PATH'],
    UV_LINK_MODE: 'symlink',
    UV_CONFIG_FILE: '/gone',
    NOTED: noted,
  };
  const context: SetupContext = {
    ...{ layout: homeLayout(folder), resources: 'resources', env: person, log: null },
    uv: () =>
      Promise.resolve({ program, env: { ...uvEnvironment(person, []), FAILS: 'nothing' }, cwd: folder }),
  };
  await makeEnvironment(
    join(folder, 'fresh'),
    { interpreter: '/p', locked: '/l.txt', torch: null, imports: 'import six', what: 'A small environment' },
    context,
    { signal: new AbortController().signal, onStderrLine: () => undefined, onProgress: () => undefined },
  );
  const lines = (await readFile(noted, 'utf8')).split('\n');
  expect(lines.filter((line) => line === 'UV_NO_CONFIG=1')).toHaveLength(2);
  expect(lines.filter((line) => /^UV_(?:LINK_MODE|CONFIG_FILE)/.test(line))).toEqual([]);
});

describe('PyTorch, whose index is the choice of the user', () => {
  it('is the CPU build where an index has it, by the constraints of the user', async () => {
    const { lines, installs } = await make(torch);
    expect(installs).toHaveLength(2);
    expect(installs[1]).toMatch(/ --no-deps -r \/cpu\.txt$/);
    expect(lines.filter((line) => line === 'UV_CONSTRAINT=/mine.txt')).not.toHaveLength(0);
  });

  it('is the default build with the CUDA libraries of the lock, else without', async () => {
    const { installs, texts } = await make(torch, ['-r /cpu.txt', '  x No solution found when resolving']);
    expect(installs.at(-1)).toMatch(/ --constraints \/cuda\.txt -r \/any\.txt$/);
    expect(texts.join('\n')).toContain('No index has the CPU build of PyTorch');
  });

  it('is not looked for again where the index cannot be reached', async () => {
    const failed = await rejection(make(torch, ['-r /cpu.txt', 'error: dns error']));
    expect(failed.message).toContain('the package index cannot be reached');
    const lines = (await readFile(join(folder, 'noted'), 'utf8')).split('\n');
    expect(lines.filter((line) => line.includes('any.txt'))).toEqual([]);
  });
});

describe.each(['runtime', 'tensorflow', 'transformers', 'trees', 'check'])('the lock of %s.txt', (name) => {
  const read = (path: string) => readFile(join('resources/requirements', path), 'utf8');

  it('has exact versions with the hash of each file, and no PyTorch', async () => {
    const entries = (await read(`locked/${name}.txt`)).split(/\n(?=[^\s#])/).slice(1);
    expect(entries.length).toBeGreaterThan(1);
    for (const entry of entries) {
      expect(entry).toMatch(
        /^[a-z0-9-]+==[\w.+]+(?:; python_version (?:<|>=|==) "3\.\d+")?(?: \\\n {4}--hash=sha256:[0-9a-f]{64})+\n?$/,
      );
      expect(entry).not.toMatch(/^torch==/);
    }
  });

  it('has what the file asks for, for each Python', async () => {
    const [asked, locked] = [
      await read(`${name}.txt`),
      (await read(`locked/${name}.txt`)).replace(/ \\$/gm, ''),
    ];
    const pythons =
      name === 'runtime' ? ['3.9.1', '3.10.1', '3.11.1', '3.12.1'] : ['3.10.1', '3.11.1', '3.12.1'];
    for (const python of pythons) {
      const found = pinnedVersions(locked, python);
      for (const [wanted, version] of pinnedVersions(asked, python))
        if (wanted !== 'torch') expect([wanted, found.get(wanted)]).toEqual([wanted, version]);
    }
  });
});

it('the lock of what PyTorch brings for CUDA has hashes, and the lock of the environment has none of it', async () => {
  const cuda = await readFile('resources/requirements/locked/cuda.txt', 'utf8');
  expect(cuda).toMatch(/^nvidia-cublas==\S+.* \\\n {4}--hash=sha256:/m);
  const runtime = await readFile('resources/requirements/locked/runtime.txt', 'utf8');
  expect(runtime.match(/^(?:nvidia|cuda|triton)[\w-]*/gm)).toEqual([
    'nvidia-pytriton',
    'tritonclient',
    'tritonclient',
  ]);
});
