import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { say } from './lib/say.mjs';
import { runCampaign, vitest } from './lib/test-parts.mjs';

const help = `npm run test:production
Watches a model on a Triton with a Prometheus of its own: the rules and the dashboard of a bundle under a load that the model
holds, under one that it does not, and without Triton. Debian's prometheus is downloaded and unpacked once, in ~/.cache, and
not installed. Takes eight minutes. Exit code 1: an alert or a panel did not do what it is for.

Soaks a run whose runtime keeps memory, one that does not, and a deployment. Takes the samples of a warm-up with a run into its
deployment and its bundle.

Also measures through a gateway that waits and through a real nginx (Debian's, with its Lua module for a delay), on a server that
has only the Open Inference Protocol and on MLServer: nginx is unpacked in the same way, MLServer is installed in an environment
of its own.`;

const cache = join(homedir(), '.cache', 'triton-workbench-tests');

const run = (cwd, program, ...args) => spawnSync(program, args, { cwd, stdio: 'inherit' }).status === 0;

/** Unpacked only: an installed package would start a service. @returns the folder */
function unpacked(name, packages, file) {
  const folder = join(cache, name);
  if (existsSync(join(folder, file))) return folder;
  say(`Downloading ${packages.join(', ')} of Debian`);
  mkdirSync(folder, { recursive: true });
  const isHad =
    run(folder, 'apt-get', 'download', ...packages) &&
    readdirSync(folder)
      .filter((entry) => entry.endsWith('.deb'))
      .every((entry) => run(folder, 'dpkg', '-x', entry, '.'));
  if (!isHad || !existsSync(join(folder, file))) {
    say(`The package ${packages[0]} cannot be had: run "apt-get update", and the command again.`);
    process.exit(1);
  }
  return folder;
}

const nginxPackages = [
  ...['nginx', 'libnginx-mod-http-lua', 'libnginx-mod-http-ndk', 'lua-resty-core', 'lua-resty-lrucache'],
  ...['libluajit2-5.1-2', 'libpcre3'],
];

/** @returns the program */
function mlserverIn(folder) {
  const program = join(folder, 'bin', 'mlserver');
  if (existsSync(program)) return program;
  say('Installing MLServer from PyPI');
  mkdirSync(cache, { recursive: true });
  const pip = join(folder, 'bin', 'pip');
  if (
    !run(cache, 'python3', '-m', 'venv', folder) ||
    !run(cache, pip, 'install', '--quiet', 'mlserver==1.7.1')
  ) {
    say('MLServer cannot be installed: it needs python3 with venv, and PyPI.');
    process.exit(1);
  }
  return program;
}

const asksForHelp = process.argv.some((argument) => argument === '--help' || argument === '-h');
if (!asksForHelp) {
  process.env.WORKBENCH_PROMETHEUS ??= join(
    unpacked('prometheus', ['prometheus'], 'usr/bin/promtool'),
    'usr',
    'bin',
  );
  process.env.WORKBENCH_NGINX ??= unpacked('nginx', nginxPackages, 'usr/sbin/nginx');
  process.env.WORKBENCH_MLSERVER ??= mlserverIn(join(cache, 'mlserver'));
}
await runCampaign(vitest('production-campaign'), help);
