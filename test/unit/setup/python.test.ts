import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { homeLayout } from '../../../main/platform/layout';
import type { SetupContext } from '../../../main/setup/component';
import { uvEnvironment } from '../../../main/setup/package-index';
import { makeEnvironment } from '../../../main/setup/python';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-python-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** In the place of uv: notes how it was called, and lays out an environment whose Python loads everything. */
const uvInPlace = `#!/bin/sh
echo "$@" >> "$NOTED"
env | grep '^UV_' >> "$NOTED"
if [ "$1" = venv ]; then
  for fresh in "$@"; do :; done
  mkdir -p "$fresh/bin" && printf '#!/bin/sh\\n' > "$fresh/bin/python" && chmod +x "$fresh/bin/python"
fi
`;

it('an environment is made by uv without its configuration, and never of links into the cache', async () => {
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
    uv: () => Promise.resolve({ program, env: uvEnvironment(person, []), cwd: folder }),
  };
  const listener = {
    signal: new AbortController().signal,
    onStderrLine: () => undefined,
    onProgress: () => undefined,
  };
  const environment = { interpreter: '/usr/bin/python3', requirements: '/r.txt', preferred: null };
  await makeEnvironment(
    join(folder, 'fresh'),
    { ...environment, imports: 'import six', what: 'A small environment' },
    context,
    listener,
  );
  const lines = (await readFile(noted, 'utf8')).split('\n');
  const installs = lines.filter((line) => line.startsWith('pip install'));
  expect(installs).toHaveLength(1);
  expect(installs[0]).toContain('--link-mode=hardlink');
  expect(lines.filter((line) => line === 'UV_NO_CONFIG=1')).toHaveLength(2);
  expect(lines.filter((line) => /^UV_(?:LINK_MODE|CONFIG_FILE)/.test(line))).toEqual([]);
});
