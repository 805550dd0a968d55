import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, needs } from './lib/bootstrap.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { makeAppImage, makeFolder } from './lib/package/builder.mjs';
import { makeDeb } from './lib/package/deb.mjs';
import { drawIcons } from './lib/package/icons.mjs';
import { bundledSoftware, pythonSoftware, thirdPartyNotices } from './lib/package/notices.mjs';
import { readPublisher } from './lib/package/publisher.mjs';
import { readLicences, requirementFiles } from './lib/package/python-licences.mjs';
import { copyRuntime, manifestOf, packageIdentity, runtimeVersion } from './lib/package/runtime.mjs';
import { billOfMaterials } from './lib/package/sbom.mjs';
import { writeShellFiles } from './lib/package/shell-files.mjs';
import { sourceDate } from './lib/package/source-date.mjs';
import { bringUv } from './lib/package/uv.mjs';
import { megabytes, say, seconds, SetupError } from './lib/say.mjs';

const usage = 'npm run package [-- [--test] [dir|deb|appimage …]]';
const kinds = ['dir', 'deb', 'appimage'];
const out = join(repoRoot, 'dist');
const build = join(out, 'build');
function readArguments(args) {
  const chosen = args.filter((arg) => arg !== '--test');
  const unknown = chosen.find((arg) => !kinds.includes(arg));
  if (unknown !== undefined) throw new SetupError(`Unknown argument "${unknown}": ${usage}`);
  const asked = chosen.includes('appimage');
  return { test: args.includes('--test'), wanted: chosen.length === 0 ? kinds : chosen, asked };
}

const requirementText = (name) =>
  readFileSync(join(repoRoot, 'resources', 'requirements', `${name}.txt`), 'utf8');

/** Notices, the list that About shows, and the bill of materials. */
function writeLicences(electron, uv, { identity, epoch }) {
  const beside = ['koffi', join('@koromix', `koffi-linux-${process.arch}`)];
  const torch = requirementText('runtime')
    .match(/^torch==.*$/gm)
    .join('\n');
  const software = [
    uv,
    ...bundledSoftware({ root: repoRoot, beside: beside.map((name) => join('node_modules', name)) }),
    ...pythonSoftware([torch, ...requirementFiles.map(requirementText)], readLicences()),
  ];
  const runtime = {
    kind: 'program',
    name: 'Electron',
    version: electron,
    license: 'MIT',
    text: 'Electron with Chromium and Node.js: see LICENSE.electron.txt and LICENSES.chromium.html beside the program.',
  };
  writeFileSync(join(build, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(software, electron));
  writeFileSync(join(build, 'licenses.json'), JSON.stringify([runtime, ...software]));
  const lock = JSON.parse(readFileSync(join(repoRoot, 'package-lock.json'), 'utf8'));
  const all = { identity, software: [runtime, ...software], lock, epoch };
  writeFileSync(join(build, 'sbom.cdx.json'), billOfMaterials(all));
}

const madeLine = (file) => say(`${file} (${megabytes(statSync(file).size)})`);

await main(async (args) => {
  const { test, wanted, asked } = readArguments(args);
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    throw new SetupError(
      `Packages are made on Linux x64 and arm64, and this is ${process.platform} ${process.arch}: ` +
        'electron-builder.yml has the targets of macOS and Windows, which have not been run yet.',
    );
  }
  const context = await bootstrap(needs.report, { packages: ['window'], purpose: 'Making a package' });
  const startMs = performance.now();
  // What electron-builder writes itself gets the same modes everywhere.
  process.umask(0o022);
  const { layout } = context;
  const [manifest, publisher] = [manifestOf(repoRoot), readPublisher(repoRoot)];
  const electron = await runtimeVersion(layout.electron);
  const identity = packageIdentity({
    name: manifest.name,
    version: manifest.version,
    wanted: manifest.devDependencies.electron,
    found: electron,
    test,
  });
  say(`Making ${identity.name} ${identity.version} with Electron ${electron}`);
  const icons = join(build, 'icons');
  const epoch = await sourceDate(repoRoot);
  const places = { root: repoRoot, out, build, icons, epoch, log: context.logFile('package.log') };
  mkdirSync(build, { recursive: true });
  await drawIcons(join(repoRoot, 'resources', 'icons', 'triton-workbench.svg'), icons);
  const uv = await bringUv(build, context.logFile('package-uv.log'));
  writeLicences(electron, uv, { identity, epoch });
  writeShellFiles(repoRoot, join(build, 'share'));
  const runtime = join(build, 'runtime');
  copyRuntime(layout.electronFolder, runtime);
  const options = { runtime, electron, identity, homepage: publisher.homepage };
  const app = await makeFolder(places, options);
  if (wanted.includes('dir')) say(app);
  if (wanted.includes('deb'))
    madeLine(
      await makeDeb({ ...places, app }, identity, { ...publisher, description: manifest.description }),
    );
  if (wanted.includes('appimage')) {
    const made = await makeAppImage(places, app, { ...options, asked });
    if ('file' in made) madeLine(made.file);
    else say(made.problem);
  }
  say(`Made in ${seconds(startMs)}`);
  return 0;
});
