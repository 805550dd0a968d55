import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { keepCompiled } from '../platform/compile-cache';
import { defaultHome, homeLayout } from '../platform/layout';

/** The bundle is in `out/main`; the repository (or the app) is two folders above. */
const appDir = process.env['TRITON_WORKBENCH_APP'] ?? join(__dirname, '..', '..');

/** Read from the package, because a package build may change the version after bundling. */
function appVersion(): string {
  const about: unknown = JSON.parse(readFileSync(join(appDir, 'package.json'), 'utf8'));
  return typeof about === 'object' && about !== null && 'version' in about ? String(about.version) : '?';
}

/** The home may be unreadable; the verb says so. */
function cacheOfHome(): string | null {
  try {
    return homeLayout(defaultHome(process.env)).cache;
  } catch {
    return null;
  }
}

/** Answers that need nothing else of the program: its version, and the help of a command. */
async function answered(words: readonly string[], version: string): Promise<boolean> {
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    process.stdout.write(`${version}\n`);
    return true;
  }
  if (!words.some((word) => ['help', '--help', '-h'].includes(word))) return false;
  const { helpAsked, printPrebuilt } = await import('./help/prebuilt-help');
  const command = helpAsked(words);
  return command !== null && printPrebuilt(__dirname, command, words);
}

async function start(words: readonly string[], version: string): Promise<void> {
  if (await answered(words, version)) return;
  // A command ends before it pays to collect what it makes: its heap grows at once, not through a dozen collections.
  setFlagsFromString('--semi-space-growth-factor=16');
  const cache = cacheOfHome();
  if (cache !== null) keepCompiled(__dirname, cache);
  const { main } = await import('./main');
  await main({ appDir, version });
}

void start(process.argv.slice(2), appVersion());
