#!/usr/bin/env node
import { join } from 'node:path';
import { appEnvironment, bootstrap, isSetUp, needs } from './lib/bootstrap.mjs';
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
  if (verb === 'search') return [needs.run, window];
  // The packages of the images are fetched by the Python of the workbench.
  if (verb === 'images' && args.includes('build')) return [needs.images, {}];
  if (verb === 'report') return [needs.report, window];
  if (verb === 'perf' && flags.some((flag) => /(^|=)perf_analyzer$/.test(flag)))
    return [needs.perfAnalyzer, {}];
  return [needs.core, {}];
}

await main(async (args) => {
  const wanted = wantedBy(args);
  const cli = join(repoRoot, 'out', 'main', 'cli.cjs');
  const start = (home, words) => foreground(process.execPath, [cli, ...words], { env: appEnvironment(home) });
  // Nobody downloads hundreds of MiB to hear of a typing error.
  if (!isSetUp(...wanted)) {
    const { home } = await bootstrap(needs.core);
    const code = await start(home, ['--check-only', ...args]);
    if (code !== 0) return code;
  }
  const { home } = await bootstrap(...wanted);
  return start(home, args);
});
