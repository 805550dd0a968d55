#!/usr/bin/env node
import { join } from 'node:path';
import { appEnvironment, bootstrap, needs } from './lib/bootstrap.mjs';
import { foreground } from './lib/foreground.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';

const window = { packages: ['window', 'display'], purpose: 'Printing the report as PDF' };

/** Only what the verb needs is installed: help and lists come without Python, Triton and Electron. */
function wantedBy(args) {
  const end = args.indexOf('--');
  const flags = end === -1 ? args : args.slice(0, end);
  if (flags.some((flag) => ['--help', '-h', '--version', '-V'].includes(flag))) return [needs.core, {}];
  const verb = args.find((arg) => !arg.startsWith('-'));
  if (verb === 'run' || verb === 'resume') return [needs.run, window];
  // The packages of the images are fetched by the Python of the workbench.
  if (verb === 'images' && args.includes('build')) return [needs.images, {}];
  if (verb === 'report') return [needs.report, window];
  if (verb === 'perf' && flags.some((flag) => /(^|=)perf_analyzer$/.test(flag)))
    return [needs.perfAnalyzer, {}];
  return [needs.core, {}];
}

await main(async (args) => {
  const { home } = await bootstrap(...wantedBy(args));
  const cli = join(repoRoot, 'out', 'main', 'cli.cjs');
  return foreground(process.execPath, [cli, ...args], { env: appEnvironment(home) });
});
