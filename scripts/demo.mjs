import { join, resolve } from 'node:path';
import { appEnvironment, bootstrap, needs } from './lib/bootstrap.mjs';
import { command } from './lib/command.mjs';
import { foreground } from './lib/foreground.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { say } from './lib/say.mjs';

await main(async (args) => {
  const purpose = 'Printing the report as PDF';
  const { home } = await bootstrap(needs.run, { packages: ['window', 'display'], purpose });
  const cli = join(repoRoot, 'out', 'main', 'cli.cjs');
  const env = appEnvironment(home);
  const document = async (...verb) => {
    const answer = await command(process.execPath, [cli, ...verb, '--json'], { env, collect: true });
    if (answer.code !== 0) throw new Error(`cli ${verb.join(' ')} failed: ${answer.errors}`);
    return JSON.parse(answer.output);
  };
  say('ResNet50: from model code to a report on a real Triton');
  const code = await foreground(process.execPath, [cli, 'run', 'resnet50', '--profile', 'quick', ...args], {
    env,
  });
  if (code !== 0) return code;
  const newest = (await document('runs')).runs[0].runId;
  const { dir, reports } = await document('show', newest);
  process.stdout.write(`\nReports of this run, in ${dir}:\n`);
  for (const report of reports) {
    process.stdout.write(`  ${report.kind.padEnd(5)} ${resolve(dir, report.path)}\n`);
  }
  process.stdout.write('npm start opens the window on this run.\n');
  return 0;
});
