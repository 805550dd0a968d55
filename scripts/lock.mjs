import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './lib/command.mjs';
import { defaultHome, homeLayout, repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import {
  licencesFile,
  licencesOf,
  pythonLicences,
  readLicences,
  requirementFiles,
} from './lib/package/python-licences.mjs';
import {
  lockedFiles,
  lockedPythons,
  mergeLock,
  readCompiled,
  withoutPackages,
} from './lib/package/python-lock.mjs';
import { bringUv } from './lib/package/uv.mjs';
import { say, seconds, SetupError } from './lib/say.mjs';

const help = `npm run lock
Resolves resources/requirements/{runtime,tensorflow,transformers,trees,check}.txt with uv, from PyPI only, for each Python that an environment is made
with, and writes what came of it, with the hashes of all files, to resources/requirements/locked. PyTorch is not in it: its index is the
user's choice. Of transformers.txt and trees.txt only what runtime.txt does not bring is in it: they are installed beside that. Takes minutes:
packages whose index has no metadata are downloaded.

npm run lock -- licenses [PYTHON]...
Writes scripts/lib/package/python-licences.json, which a package shows and its bill of materials has: the licenses that the locked
packages state where they are installed, in the environments of the workbench home and in those of the named interpreters. Of packages
that are installed in none of them it keeps what it had.`;
const requirements = join(repoRoot, 'resources', 'requirements');
/** The glibc of Debian 12; the wheels of Triton need 2.35. The packages for aarch64 are the same. */
const platform = 'x86_64-manylinux_2_36';

/** Installed in an environment that sees the packages of runtime.txt. */
const besideRuntime = ['transformers.txt', 'trees.txt'];

/** @returns {Promise<string | null>} null: this Python has no solution, as the packages end before it or begin after it */
async function compile(uv, file, python, constraints, log) {
  const args = [
    'pip',
    'compile',
    '--quiet',
    '--no-config',
    '--no-annotate',
    '--no-header',
    '--generate-hashes',
  ];
  const from = ['--only-binary', ':all:'];
  const target = ['--python-version', python, '--python-platform', platform];
  // Without these uv asks PyPI only.
  const ofUser = Object.entries(process.env).filter(([name]) => !/^UV_\w*INDEX(?:_URL)?$/.test(name));
  const ended = await command(uv, [...args, ...from, ...target, join(requirements, file)], {
    cwd: requirements,
    env: {
      ...Object.fromEntries(ofUser),
      UV_CONSTRAINT: constraints ?? '',
      UV_OVERRIDE: '',
      UV_FIND_LINKS: '',
    },
    collect: true,
    log,
    name: `${file}, Python ${python}`,
  });
  if (ended.code === 0) return ended.output;
  if (/does not satisfy Python/.test(ended.errors)) return null;
  throw new SetupError(`${file} cannot be resolved for Python ${python} (log: ${log}):\n${ended.errors}`);
}

/** Versions that hold already, as constraints without hashes. */
function constraintsFile(build, compiled) {
  const path = join(build, 'constraints.txt');
  const lines = readCompiled(compiled).map(({ name, version }) => `${name}==${version}`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

function write(name, source, entries) {
  const head =
    `# Written by "npm run lock" from ${source}: change that file, not this one. PyTorch is not in it, because its index is\n` +
    "# the user's choice.\n";
  writeFileSync(join(requirements, 'locked', name), `${head}${entries.join('\n')}\n`);
  say(`resources/requirements/locked/${name}: ${entries.length} packages`);
}

async function writeLicences(interpreters) {
  const { tensorflow, transformers, trees, python } = homeLayout(defaultHome());
  const found = await pythonLicences([...interpreters, tensorflow, transformers, trees, python]);
  const texts = [...requirementFiles, 'runtime'].map((name) =>
    readFileSync(join(requirements, `${name}.txt`), 'utf8'),
  );
  const licences = licencesOf(texts, readLicences(), found);
  writeFileSync(licencesFile, `${JSON.stringify(licences, null, 2)}\n`);
  say(`scripts/lib/package/python-licences.json: ${Object.keys(licences).length} packages`);
}

await main(async ([verb, ...others]) => {
  if (verb === 'licenses') {
    await writeLicences(others);
    return 0;
  }
  if (verb !== undefined) {
    say(help);
    return verb === '--help' || verb === '-h' ? 0 : 2;
  }
  const startMs = performance.now();
  const build = join(repoRoot, 'dist', 'build');
  const log = join(build, 'lock.log');
  mkdirSync(build, { recursive: true });
  mkdirSync(join(requirements, 'locked'), { recursive: true });
  await bringUv(build, log);
  const runtime = {};
  for (const file of lockedFiles) {
    const compiled = {};
    for (const python of lockedPythons) {
      const beside = besideRuntime.includes(file) ? (runtime[python] ?? null) : null;
      const text = await compile(
        join(build, 'uv', 'uv'),
        file,
        python,
        beside === null ? null : constraintsFile(build, beside),
        log,
      );
      if (text === null) say(`  ${file}: nothing for Python ${python}`);
      else compiled[python] = beside === null ? text : withoutPackages(text, beside);
    }
    if (file === 'runtime.txt') Object.assign(runtime, compiled);
    const { packages, cuda } = mergeLock(compiled);
    write(file, file, packages);
    if (cuda.length > 0) write('cuda.txt', file, cuda);
  }
  say(`Locked in ${seconds(startMs)}`);
  return 0;
});
