import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { homeLayout } from '../../../main/platform/layout';
import { openUv } from '../../../main/setup/uv';
import { rejection } from '../../support/rejection';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-uv-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** In the place of a Python with pip: says what it is, and as pip notes its environment and lays out a uv. */
const pythonInPlace = (facts: object): string => `#!/bin/sh
if [ "$1" = -I ]; then
  echo '${JSON.stringify(facts)}'
  exit
fi
env | grep '^PIP_' > "$NOTED"
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/bin" && : > "$2/bin/uv"
`;

const listenerOf = (lines: string[]) => ({
  signal: new AbortController().signal,
  onStderrLine: (line: string) => void lines.push(line),
  onProgress: () => undefined,
});

async function putPython(script: (facts: object) => string): Promise<string> {
  const python = join(folder, 'python');
  const facts = {
    version: '3.11',
    executable: python,
    sitePackages: '/s',
    libraryFolder: null,
    hasPip: true,
  };
  await writeFile(python, script(facts));
  await chmod(python, 0o755);
  return python;
}

it('uv is fetched with a pip that is told to ask for an environment or to install for the person', async () => {
  const [python, noted] = [await putPython(pythonInPlace), join(folder, 'noted')];
  const env = {
    ...{ PATH: process.env['PATH'], HOME: folder, PIP_CONFIG_FILE: '/dev/null' },
    ...{ PIP_REQUIRE_VIRTUALENV: '1', PIP_USER: '1', TRITON_WORKBENCH_PYTHON: python, NOTED: noted },
  };
  const layout = homeLayout(join(folder, 'home'));
  const uv = await openUv({ layout, resources: 'resources', env, log: null }, listenerOf([]));
  expect(uv.program).toBe(join(layout.home, 'uv', 'tool', 'bin', 'uv'));
  const lines = (await readFile(noted, 'utf8')).split('\n');
  expect(lines).toContain('PIP_REQUIRE_VIRTUALENV=0');
  expect(lines).toContain('PIP_USER=0');
});

/** In the place of a Python whose pip cannot reach the index of its configuration, and says its parts. */
const failingPython = (facts: object): string => `#!/bin/sh
if [ "$1" = -I ]; then
  echo '${JSON.stringify(facts)}'
  exit
fi
cat "$PIP_CONFIG_FILE"
echo 'Failed to resolve host pa@ss/word7, https://ss/word7@index.example/tokenofthepath1/simple'
exit 1
`;

it('no secret of pip.conf is in what is shown, in the log, or in the details of the error', async () => {
  const python = await putPython(failingPython);
  const config = join(folder, 'pip.conf');
  const index = 'https://me:pa@ss/word7@index.example/tokenofthepath1/simple';
  await writeFile(config, `[global]\nindex-url = ${index}\n`);
  const env = {
    ...{ PATH: process.env['PATH'], HOME: folder },
    ...{ PIP_CONFIG_FILE: config, TRITON_WORKBENCH_PYTHON: python },
  };
  const [log, shown] = [join(folder, 'setup.log'), [] as string[]];
  const layout = homeLayout(join(folder, 'home'));
  const error = await rejection(openUv({ layout, resources: 'resources', env, log }, listenerOf(shown)));
  const texts = [shown.join('\n'), await readFile(log, 'utf8'), String(error.details)];
  for (const text of texts) {
    expect(text).toContain('Failed to resolve host');
    expect(text).toContain('index.example');
    expect(text).not.toMatch(/word7|tokenofthepath1|pa@/);
  }
});
