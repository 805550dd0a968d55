import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { repoRoot } from '../layout.mjs';
import { say, seconds, SetupError } from '../say.mjs';
import { hashTree, stampMatches, writeStamp } from '../stamp.mjs';

const stampFile = join(repoRoot, 'out', '.stamp');
/** Everything the bundles are made of. */
const sources = [
  'electron',
  'main',
  'renderer',
  'scripts/lib/package/bundled-packages.ts',
  'electron.vite.config.ts',
  'tsconfig.json',
  'package.json',
  'publisher.json',
  'package-lock.json',
];

export function buildReady() {
  return (
    existsSync(join(repoRoot, 'out', 'main', 'cli.cjs')) &&
    stampMatches(stampFile, hashTree(repoRoot, sources))
  );
}

export async function buildApp(context) {
  const startMs = performance.now();
  say('Building the app');
  const before = hashTree(repoRoot, sources);
  rmSync(stampFile, { force: true });
  mkdirSync(join(repoRoot, 'out'), { recursive: true });
  const log = context.logFile('build.log');
  const vite = join(repoRoot, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const done = await command(process.execPath, [vite, 'build'], {
    cwd: repoRoot,
    env: { ...process.env, NO_COLOR: '1' },
    log,
    name: 'build',
  });
  if (done.code !== 0) {
    say(done.output);
    throw new SetupError(
      `The app does not build: see the lines above (log: ${log}), fix the problem and try again.`,
    );
  }
  writeStamp(stampFile, before);
  say(`  built in ${seconds(startMs)}`);
}
