import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { downloadFailure } from '../download-failure.mjs';
import { repoRoot } from '../layout.mjs';
import { npmFlags } from '../npm.mjs';
import { say, seconds } from '../say.mjs';
import { hashParts, stampMatches, writeStamp } from '../stamp.mjs';

const folder = join(repoRoot, 'node_modules');
const stampFile = join(folder, '.workbench-stamp');

function lockfile() {
  return readFileSync(join(repoRoot, 'package-lock.json'), 'utf8');
}

function stampOf() {
  return hashParts('modules 1', lockfile());
}

export function nodeModulesReady() {
  return stampMatches(stampFile, stampOf());
}

/** npm notes what it installed in a file of its own, last: after an `npm install` by hand nothing is to be done. */
function installedByHand() {
  const own = join(folder, '.package-lock.json');
  if (!existsSync(own)) return false;
  const installed = JSON.parse(readFileSync(own, 'utf8')).packages;
  return Object.entries(JSON.parse(lockfile()).packages).every(
    ([path, wanted]) =>
      path === '' ||
      installed[path]?.version === wanted.version ||
      (installed[path] === undefined &&
        (wanted.optional || wanted.peer) &&
        !existsSync(join(repoRoot, path))),
  );
}

export async function installNodeModules(context) {
  if (!installedByHand()) {
    const startMs = performance.now();
    say('Node packages (about 700 MB unpacked)');
    const log = context.logFile('npm-ci.log');
    // `include=dev`: everything is a development dependency here, and NODE_ENV=production would leave it out.
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--include=dev', ...npmFlags];
    const done = await command('npm', args, { cwd: repoRoot, log, name: 'Node packages' });
    if (done.code !== 0) throw downloadFailure('the Node packages', done.output, log);
    say(`  Node packages installed in ${seconds(startMs)}`);
  }
  writeStamp(stampFile, stampOf());
}
