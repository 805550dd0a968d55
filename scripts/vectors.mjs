import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { bootstrap, needs } from './lib/bootstrap.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { say } from './lib/say.mjs';

const help = `Usage: npm run vectors -- DIR [--limit N] [--out FILE]

Compares the networks of the presets with NVIDIA's own: same weights, same inputs, largest absolute difference of each
output. Each folder in DIR is one case: config.json (network, constructor arguments), weights.npz (NVIDIA's names),
inputs.npz, outputs.npz.

  --limit N   largest allowed difference (default: 0.0001)
  --out FILE  also write the table as a page to this file`;

const script = join(repoRoot, 'scripts', 'vectors', 'vectors.py');

/** Folders with a config.json: DIR itself, or those in it. */
function foldersOf(directory) {
  const has = (folder) => existsSync(join(folder, 'config.json'));
  if (has(directory)) return [directory];
  const names = readdirSync(directory, { withFileTypes: true });
  return names
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(directory, entry.name))
    .filter(has)
    .sort();
}

/** Wide & Deep is a TensorFlow model; what cannot be read is told by the script. */
function usesTensorflow(folder) {
  try {
    const { network } = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
    return String(network).startsWith('Wide & Deep');
  } catch {
    return false;
  }
}

const shown = (value) => (value === null ? 'not comparable' : value === 0 ? '0' : value.toExponential(1));

function lineOf({ folder, error, output, largest, classes, note, passed }) {
  const mark = passed ? '✓' : '✗';
  if (error !== undefined) return `| ${mark} | ${folder} | | | ${error.replaceAll('|', '/')} |`;
  const best = classes === null ? '' : classes === 0 ? 'equal' : `${classes} differ`;
  return `| ${mark} | ${folder} | ${output} | ${shown(largest)} | ${[best, note].filter(Boolean).join('; ')} |`;
}

/** docs/vectors.md. */
const pageOf = (table, limit) => `# The networks compared with NVIDIA's

Written by \`npm run vectors -- DIR --out docs/vectors.md\`, ${new Date().toISOString().slice(0, 10)}: small configurations of NVIDIA's networks with random weights, FP32 on a
CPU. Weights, inputs and outputs come from NVIDIA's code; the presets compute the outputs again with the converted weights. Limit: ${limit} absolute,
and the best class must be equal unless the second best is within the limit.

In the published FastPitch, the result of a sentence depends on the other sentences of its batch, because convolutions read their padding. In the
preset, each sentence has the same result as on its own. Batches are compared in both ways.

${table}
`;

/** Runs the script on folders of one framework; resolves with its verdicts. */
function compare(python, folders, limit) {
  return new Promise((done, reject) => {
    const env = {
      ...process.env,
      PYTHONPATH: join(repoRoot, 'resources'),
      PYTHONDONTWRITEBYTECODE: '1',
      ORT_DISABLE_TELEMETRY: '1',
      TF_CPP_MIN_LOG_LEVEL: '3',
    };
    const child = spawn(python, [script, ...folders, '--limit', String(limit)], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const found = [];
    let errors = '';
    createInterface({ input: child.stdout }).on('line', (line) => found.push(JSON.parse(line)));
    child.stderr.on('data', (chunk) => (errors += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      // A process that died has told nothing of the folders after that.
      if (code > 1 || code === null) {
        found.push({ folder: basename(folders[0]), error: errors.trim().split('\n').at(-1), passed: false });
      }
      done(found);
    });
  });
}

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const options = { '--limit': '0.0001', '--out': undefined };
  const places = [];
  for (let at = 0; at < args.length; at += 1) {
    if (args[at] in options) options[args[at]] = args[(at += 1)];
    else places.push(args[at]);
  }
  const limit = Number(options['--limit']);
  if (places.length !== 1 || !(limit >= 0)) {
    say(help);
    return 2;
  }
  const directory = resolve(places[0]);
  const folders = existsSync(directory) ? foldersOf(directory) : [];
  if (folders.length === 0) {
    say(`error: ${directory} has no folder with a config.json.`);
    return 2;
  }
  const keras = folders.filter(usesTensorflow);
  const torch = folders.filter((folder) => !keras.includes(folder));
  const { layout } = await bootstrap(keras.length > 0 ? [...needs.vectors, 'tensorflow'] : needs.vectors);
  const verdicts = [
    ...(torch.length > 0 ? await compare(layout.python, torch, limit) : []),
    ...(keras.length > 0 ? await compare(layout.tensorflow, keras, limit) : []),
  ];
  const table = [
    '| | case | output | largest difference | |',
    '|---|---|---|---|---|',
    ...verdicts.map(lineOf),
  ].join('\n');
  process.stdout.write(`${table}\n`);
  if (options['--out'] !== undefined) writeFileSync(options['--out'], pageOf(table, limit));
  const failed = verdicts.filter(({ passed }) => !passed).length;
  say(
    failed === 0
      ? `All ${verdicts.length} outputs are within ${limit}`
      : `${failed} of ${verdicts.length} outputs are not within ${limit}`,
  );
  return failed === 0 ? 0 : 1;
});
