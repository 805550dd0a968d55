import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { command } from '../command.mjs';
import { dockerSocket, engineProblem } from '../docker-engine.mjs';
import { repoRoot } from '../layout.mjs';
import { say, SetupError } from '../say.mjs';
import { installPackages, missingPackages } from './debian.mjs';
import { ensureBaseImage } from './docker-base.mjs';

const startLimitMs = 30_000;
/** A package's own start of its service takes a moment. */
const serviceLimitMs = 5000;

async function answersWithin(limitMs, ended = () => false) {
  const endMs = performance.now() + limitMs;
  for (;;) {
    if ((await engineProblem()) === null) return true;
    if (performance.now() > endMs || ended()) return false;
    await sleep(250);
  }
}

function lastLines(path) {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').slice(-3).join(' | ') : '';
}

/** Leaves dockerd running: the next tests use it too. */
async function startEngine(context) {
  const log = context.logFile('dockerd.log');
  say('Starting the Docker Engine');
  if (existsSync('/run/systemd/system')) {
    await command('systemctl', ['start', 'docker'], { log, name: 'systemctl' });
    if (await answersWithin(startLimitMs)) return;
  }
  const out = openSync(log, 'a');
  let ended = false;
  const child = spawn('dockerd', ['--host', `unix://${dockerSocket}`], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    detached: true,
    stdio: ['ignore', out, out],
  });
  closeSync(out);
  child.once('error', () => {
    ended = true;
  });
  child.once('exit', () => {
    ended = true;
  });
  child.unref();
  if (await answersWithin(startLimitMs, () => ended)) return;
  if (!ended) process.kill(-child.pid, 'SIGTERM');
  throw new SetupError(
    `The Docker Engine does not start on this machine (${lastLines(log)}): read ${log}, start it by hand and run ` +
      'the command again.',
  );
}

async function ensureEngine(context) {
  const problem = await engineProblem();
  if (problem === null) return;
  if (problem === 'EACCES') {
    throw new SetupError(
      `This user has no access to the Docker daemon at ${dockerSocket}: run "sudo usermod -aG docker $USER", log in ` +
        'again and run the command again.',
    );
  }
  if (process.getuid() !== 0) {
    throw new SetupError(
      `No Docker Engine answers at ${dockerSocket} (${problem}) and only root can start one: start it and run the ` +
        'command again.',
    );
  }
  const missing = missingPackages(['docker']);
  await installPackages(missing, 'Testing with containers', context);
  if (missing.length > 0 && (await answersWithin(serviceLimitMs))) return;
  await startEngine(context);
}

/** Each is built only when its content has changed: the CLI knows. */
async function buildImages(context, env) {
  const cli = join(repoRoot, 'out', 'main', 'cli.cjs');
  for (const image of ['triton-cpu', 'client-cpu']) {
    const log = context.logFile(`image-${image}.log`);
    const built = await command(process.execPath, [cli, 'images', 'build', image], {
      env,
      log,
      name: `image ${image}`,
      show: (line) => /Step \d+ of \d+/.exec(line)?.[0],
    });
    if (built.code !== 0) {
      throw new SetupError(
        `The image ${image} could not be built (${built.output.split('\n').at(-1)}): see ${log}, then try again.`,
      );
    }
  }
}

/**
 * A running Docker Engine, and what its tests need of Debian. Installs and starts what is not there, and says nothing when
 * all is. Throws a SetupError that says why Docker cannot be had here.
 * @param context of `bootstrap`
 */
export async function ensureEngineForTests(context) {
  await ensureEngine(context);
  // Without them their tests are skipped: nobody is asked to install a registry by hand.
  if (process.getuid() !== 0) return;
  await installPackages(missingPackages(['docker-test']), 'Testing with containers', context);
  try {
    await installPackages(missingPackages(['docker-compose']), 'Testing compose files', context);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(`Compose files are not tested: ${error.message}`);
  }
}

/**
 * The base image and both CPU images on the engine: pulls, makes and builds what is not there. Throws a SetupError that says
 * why they cannot be had.
 * @param context of `bootstrap`; the bundle and Python must be there
 * @param env of `appEnvironment`, for the CLI that builds the images
 */
export async function ensureImagesForTests(context, env) {
  await ensureBaseImage(context);
  await buildImages(context, env);
}
