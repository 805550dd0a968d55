import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

type Licences = Readonly<Record<string, string>>;
interface PythonLicences {
  licencesOf: (texts: readonly string[], known: Licences, found: Licences) => Licences;
  normalName: (name: string) => string;
  pythonLicences: (interpreters: readonly string[]) => Promise<Licences>;
  readLicences: () => Licences;
  requirementFiles: readonly string[];
}
const { licencesOf, normalName, pythonLicences, readLicences, requirementFiles } = (await import(
  resolve('scripts/lib/package/python-licences.mjs')
)) as PythonLicences;
const { requirementsOf } = (await import(resolve('scripts/lib/package/notices.mjs'))) as {
  requirementsOf: (text: string) => readonly { readonly name: string }[];
};

/** A Python of this machine; null: it has none. */
const python = spawnSync('python3', ['--version']).status === 0 ? 'python3' : null;

it('takes what each environment says, the later over the earlier, and passes over one that is missing or fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-licences-'));
  const place = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const first = place('first', `echo '{"a": "MIT", "b": "BSD"}'`);
  const second = place('second', `echo '{"b": "Apache-2.0"}'`);
  const broken = place('broken', 'echo oops; exit 1');
  expect(await pythonLicences([first, join(folder, 'none'), broken, second])).toEqual({
    a: 'MIT',
    b: 'Apache-2.0',
  });
  rmSync(folder, { recursive: true });
});

it.skipIf(python === null)('takes the most precise statement that a package makes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-licences-'));
  const install = (name: string, ...lines: readonly string[]) => {
    const about = join(folder, `${name}-1.0.dist-info`);
    mkdirSync(about);
    writeFileSync(
      join(about, 'METADATA'),
      ['Metadata-Version: 2.4', `Name: ${name}`, ...lines, ''].join('\n'),
    );
  };
  const [osi, proprietary] = ['OSI Approved', 'Other/Proprietary License'].map(
    (words) => `Classifier: License :: ${words}`,
  );
  install('A_b', 'License-Expression: MIT', 'License: other');
  install('classified', `${osi} :: BSD License`, 'License: see the file');
  install('field', proprietary ?? '', 'License: LicenseRef-NVIDIA-Proprietary');
  install('proprietary', proprietary ?? '');
  install('silent', osi ?? '');
  const path = join(folder, 'python');
  writeFileSync(path, `#!/bin/sh\nPYTHONPATH=${folder} exec ${python} -S "$@"\n`);
  chmodSync(path, 0o755);
  const found = await pythonLicences([path]);
  expect(found).toMatchObject({
    'a-b': 'MIT',
    classified: 'BSD License',
    field: 'LicenseRef-NVIDIA-Proprietary',
    proprietary: 'Other/Proprietary License',
  });
  expect(found).not.toHaveProperty('silent');
  rmSync(folder, { recursive: true });
});

it('keeps what is known of a package that is not installed, and drops what is not required any more', () => {
  const texts = ['b_c==1 \\\n    --hash=sha256:00\na==2; python_version < "3.11"\n', 'a==3\nd==1\n'];
  const found = { a: 'Apache-2.0', gone: 'MIT' };
  expect(licencesOf(texts, { a: 'MIT', 'b-c': 'BSD', other: 'MIT' }, found)).toEqual({
    a: 'Apache-2.0',
    'b-c': 'BSD',
  });
});

describe('the licenses in the repository', () => {
  const required = [...requirementFiles, 'runtime'].flatMap((name) =>
    requirementsOf(readFileSync(`resources/requirements/${name}.txt`, 'utf8')),
  );
  const names = new Set(required.map(({ name }) => normalName(name)));
  const licences = readLicences();
  /** Their metadata states none; except for cuda-toolkit, which has no files, the text comes with the package. */
  const withoutStatement = ['cuda-toolkit', 'namex', 'perf-analyzer', 'skops'];

  it('cover every package that the set-up installs: run "npm run lock -- licenses" after changing the lock', () => {
    expect([...names].filter((name) => licences[name] === undefined).sort()).toEqual(withoutStatement);
  });

  it('name no other package', () => {
    expect(Object.keys(licences).filter((name) => !names.has(name))).toEqual([]);
  });
});
