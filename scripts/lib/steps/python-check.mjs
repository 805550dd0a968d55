import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { downloadFailure } from '../download-failure.mjs';
import { repoRoot } from '../layout.mjs';
import { say } from '../say.mjs';
import { hashParts, stampMatches, writeStamp } from '../stamp.mjs';

const requirements = join(repoRoot, 'resources', 'requirements', 'locked', 'check.txt');
/** Few retries: without a network the answer is to come in seconds. */
const pipFlags = ['--no-input', '--disable-pip-version-check', '--progress-bar', 'off', '--retries', '2'];
const markOf = ({ layout }) => join(layout.venv, '.check-stamp');
const content = () => hashParts('check 3', readFileSync(requirements, 'utf8'));

/** The checkers are in the environment itself: it is made anew without them. */
export function pythonCheckReady(context) {
  return existsSync(context.layout.python) && stampMatches(markOf(context), content());
}

export async function installPythonCheck(context) {
  const log = context.logFile('pip-check.log');
  say('Python checkers (ruff, mypy)');
  const args = ['-m', 'pip', 'install', ...pipFlags, '--no-deps', '--require-hashes', '-r', requirements];
  const done = await command(context.layout.python, args, { log, name: 'Python packages' });
  if (done.code !== 0) throw downloadFailure('ruff and mypy', done.output, log);
  writeStamp(markOf(context), content());
}
