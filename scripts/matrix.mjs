import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appEnvironment, bootstrap, needs } from './lib/bootstrap.mjs';
import { command } from './lib/command.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { say, seconds } from './lib/say.mjs';

const help = `npm run test:matrix -- [--presets ID,ID] [--engine local|docker] [--out FILE]
Runs every pair of format and precision of every preset, profile quick, that the engine can serve, from model code to the
report, and asks why of each that it cannot. Of all presets with docker it also searches, and builds the client image for GPUs; locally it
measures pairs with each load tool and protocol. Writes docs/matrix.md (--out elsewhere). Exit code 1: one that should run did
not, or one was refused without a reason.`;

const cli = join(repoRoot, 'out', 'main', 'cli.cjs');
const short = [
  ...['--batch-sizes', '1', '--concurrency', '1', '--measurement-interval-ms', '300'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
];

/** The CLI with these arguments: exit code, and the JSON document that it wrote, null when it wrote none. */
function run(env, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    let errors = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      let document = null;
      try {
        document = JSON.parse(text);
      } catch {
        // What went wrong stands on standard error.
      }
      resolve({ code, document, errors });
    });
  });
}

function option(args, name, otherwise) {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? otherwise : args[at + 1];
}

const shown = (value) =>
  value === null || value === undefined ? '–' : Number(value.toPrecision(4)).toString();

/** One line of the table: the run's figures, or why it is refused. */
async function tryOut(env, engine, preset, format, precision) {
  const choice = ['--profile', 'quick', '--engine', engine, '--format', format, '--precision', precision];
  const { document: preview } = await run(env, ['spec', preset.id, ...choice, ...short, '--as', 'json']);
  const problems = (preview?.problems ?? []).filter(({ severity }) => severity === 'problem');
  if (preview !== null && problems.length > 0) {
    const [{ message }] = problems;
    return { kind: 'refused', text: message, ok: message !== '' };
  }
  const startMs = performance.now();
  const { code, document, errors } = await run(env, ['run', preset.id, ...choice, ...short, '--json']);
  const took = seconds(startMs);
  if (code !== 0)
    return { kind: `exit code ${code}`, text: errors.trim().split('\n').slice(-3).join(' '), ok: false };
  const metrics = document.accuracy.metrics.map(
    ({ name, framework, triton }) => `${name} ${shown(framework)} / ${shown(triton)}`,
  );
  const differences = document.accuracy.outputs.map(({ maxAbsDiff }) => maxAbsDiff ?? 0);
  const text = `${metrics.join(', ')}; largest difference ${shown(Math.max(...differences))}; ${took}`;
  return { kind: 'runs', text, ok: true };
}

/**
 * What an engine has tests for: pairs with each load tool and protocol, and of Docker a search, and the client image for GPUs
 * with each framework, on stand-ins for the images that it is built on.
 */
const testsOf = {
  local: ['pipeline.triton', 'search.triton'],
  docker: ['matrix-client-gpu-image', 'matrix-search-docker'],
};

async function testsPass(env, engine) {
  const { code, output } = await command(
    join(repoRoot, 'node_modules', '.bin', 'vitest'),
    ['run', '--project', 'matrix-campaign', ...testsOf[engine]],
    { cwd: repoRoot, env, collect: true },
  );
  say(
    code === 0
      ? `✓ tests of ${testsOf[engine].join(' and ')}`
      : `✗ tests of ${testsOf[engine].join(' and ')}:\n${output}`,
  );
  return code === 0;
}

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const { home } = await bootstrap(needs.run, {
    packages: ['window', 'display'],
    purpose: 'Printing the report as PDF',
  });
  const env = appEnvironment(home);
  const engine = option(args, 'engine', 'local');
  const wanted = option(args, 'presets', '').split(',').filter(Boolean);
  const { document: presets } = await run(env, ['presets', '--json']);
  const lines = [
    '# What each preset can be served as',
    '',
    `Written by \`npm run test:matrix\`, ${new Date().toISOString().slice(0, 10)}: engine ${engine}, profile quick, CPU. Metrics: framework / Triton.`,
    '',
    '| preset | format | precision | | |',
    '|---|---|---|---|---|',
  ];
  let failed = 0;
  for (const preset of presets) {
    if (wanted.length > 0 && !wanted.includes(preset.id)) continue;
    for (const format of preset.formats) {
      for (const precision of preset.precisions) {
        const { kind, text, ok } = await tryOut(env, engine, preset, format, precision);
        if (!ok) failed += 1;
        say(`${ok ? '✓' : '✗'} ${preset.id} ${format} ${precision}: ${kind}: ${text}`);
        lines.push(`| ${preset.id} | ${format} | ${precision} | ${kind} | ${text.replaceAll('|', '/')} |`);
      }
    }
  }
  if (wanted.length === 0 && !(await testsPass(env, engine))) failed += 1;
  writeFileSync(option(args, 'out', join(repoRoot, 'docs', 'matrix.md')), `${lines.join('\n')}\n`);
  say(failed === 0 ? 'Every pair does what it says' : `${failed} pairs do not`);
  return failed === 0 ? 0 : 1;
});
