import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { say } from './lib/say.mjs';
import { runCampaign, vitest } from './lib/test-parts.mjs';

const help = `npm run test:production
Watches a model on a Triton with a Prometheus of its own: the rules and the dashboard of a bundle under a load that the model
holds, under one that it does not, and without Triton. Debian's prometheus is downloaded and unpacked once, in ~/.cache, and
not installed. Takes two minutes. Exit code 1: an alert or a panel did not do what it is for.`;

/** Unpacked only: an installed package would start a service. */
function prometheusIn(folder) {
  const programs = join(folder, 'usr', 'bin');
  if (existsSync(join(programs, 'promtool'))) return programs;
  say('Downloading the prometheus of Debian');
  mkdirSync(folder, { recursive: true });
  const run = (program, args) => spawnSync(program, args, { cwd: folder, stdio: 'inherit' }).status === 0;
  const file = () => readdirSync(folder).find((name) => /^prometheus_.*\.deb$/.test(name));
  if (!run('apt-get', ['download', 'prometheus']) || !run('dpkg', ['-x', file() ?? '', '.'])) {
    say('The package prometheus cannot be had: run "apt-get update", and the command again.');
    process.exit(1);
  }
  return programs;
}

const asksForHelp = process.argv.some((argument) => argument === '--help' || argument === '-h');
if (!asksForHelp) {
  process.env.WORKBENCH_PROMETHEUS ??= prometheusIn(
    join(homedir(), '.cache', 'triton-workbench-tests', 'prometheus'),
  );
}
await runCampaign(vitest('production-campaign'), help);
