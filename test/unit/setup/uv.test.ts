import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { homeLayout } from '../../../main/platform/layout';
import { openUv } from '../../../main/setup/uv';

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
echo "Looking in indexes: $PIP_INDEX_URL"
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/bin" && : > "$2/bin/uv"
`;

it('uv is fetched with a pip that is told to ask for an environment or to install for the person', async () => {
  const [python, noted] = [join(folder, 'python'), join(folder, 'noted')];
  const facts = {
    version: '3.11',
    executable: python,
    sitePackages: '/s',
    libraryFolder: null,
    hasPip: true,
  };
  await writeFile(python, pythonInPlace(facts));
  await chmod(python, 0o755);
  const env = {
    ...{ PATH: process.env['PATH'], HOME: folder, PIP_CONFIG_FILE: '/dev/null' },
    ...{ PIP_REQUIRE_VIRTUALENV: '1', PIP_USER: '1', TRITON_WORKBENCH_PYTHON: python, NOTED: noted },
  };
  const layout = homeLayout(join(folder, 'home'));
  const uv = await openUv(
    { layout, resources: 'resources', env, log: null },
    {
      signal: new AbortController().signal,
      onStderrLine: () => undefined,
      onProgress: () => undefined,
    },
  );
  expect(uv.program).toBe(join(layout.home, 'uv', 'tool', 'bin', 'uv'));
  const lines = (await readFile(noted, 'utf8')).split('\n');
  expect(lines).toContain('PIP_REQUIRE_VIRTUALENV=0');
  expect(lines).toContain('PIP_USER=0');
});
