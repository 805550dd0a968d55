import { join } from 'node:path';
import { appEnvironment, bootstrap, needs } from './lib/bootstrap.mjs';
import { foreground } from './lib/foreground.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { say } from './lib/say.mjs';

await main(async (args) => {
  const purpose = 'Printing the report as PDF';
  const { home } = await bootstrap(needs.run, { packages: ['window', 'display'], purpose });
  say('ResNet-50 from model code to a report, on a real Triton Inference Server');
  const cli = join(repoRoot, 'out', 'main', 'cli.cjs');
  const run = [cli, 'run', 'resnet50', '--profile', 'quick', ...args];
  const code = await foreground(process.execPath, run, { env: appEnvironment(home) });
  // The run itself has said where its PDF and CSV files are.
  if (code === 0) {
    say('To open this run in the window: npm start');
    say('To type triton-workbench commands in a terminal: npm link, once');
  }
  return code;
});
