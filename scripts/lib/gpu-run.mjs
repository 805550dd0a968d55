import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engine } from './docker-engine.mjs';
import { createBundle } from './gpu-bundle.mjs';
import { devicesOf, dockerFacts, jobsOf, jobsOnCpu, levelArgs, rowOf, tablesOf } from './gpu-suite.mjs';
import { repoRoot } from './layout.mjs';
import { say, seconds } from './say.mjs';

const cli = join(repoRoot, 'out', 'main', 'cli.cjs');

/** The CLI with these arguments: its exit code, the JSON document, null when it wrote none, and standard error. */
function run(state, args, { show = false } = {}) {
  return new Promise((resolve, reject) => {
    // A process group of its own: a Ctrl-C reaches it once, by way of `state.child`.
    const options = { env: state.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true };
    const child = spawn(process.execPath, [cli, ...args], options);
    state.child = child;
    let text = '';
    let errors = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => {
      errors += chunk;
      if (show) process.stderr.write(chunk);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      state.child = null;
      let document = null;
      try {
        document = JSON.parse(text);
      } catch {
        // What went wrong is on standard error.
      }
      resolve({ code: code ?? 1, document, errors });
    });
  });
}

/** The release that was chosen at the start; null where the run uses none of NVIDIA's images. */
const releaseIn = (dir) =>
  /^ {2}release: ["']?(\d\d\.\d\d)/m.exec(readFileSync(join(dir, 'run.yaml'), 'utf8'))?.[1] ?? null;

/** A run of the suite to its end, whatever that is: its row, and its files in the bundle. */
async function tryOut(state, job, bundle, more) {
  say(`\n── ${job.id}: ${job.preset} on ${job.device.gpu} (${job.device.id})`);
  const startMs = performance.now();
  const planned = await run(state, ['spec', job.preset, ...job.args, '--as', 'json']);
  const spec = planned.document?.spec ?? null;
  const end =
    spec === null
      ? { ...planned, code: planned.code || 1 }
      : await run(state, ['run', job.preset, ...job.args, ...levelArgs(spec), ...more, '--json'], {
          show: true,
        });
  const dir = end.document?.dir ?? /^ {2}in (.+)$/m.exec(end.errors)?.[1] ?? null;
  bundle.addRun(job.id, dir);
  bundle.add(`${job.id}.json`, { plan: planned.document, result: end.document });
  bundle.add(`${job.id}.log`, end.errors);
  const row = rowOf(job, spec === null ? null : { ...spec, release: dir && releaseIn(dir) }, end);
  say(`${row.ok ? '✓' : '✗'} ${job.id}: ${row.result} (${seconds(startMs)})`);
  return row;
}

/** What the machine says of itself; the GPUs' own report and the engine's. */
async function addFacts(state, bundle, smi) {
  const { document } = await run(state, ['detect', '--json', ...(smi === null ? [] : ['--images', 'ngc'])]);
  bundle.add('detect.json', document);
  if (smi !== null) bundle.add('nvidia-smi.xml', smi);
  const [, socketPath] = /^unix:\/\/(.+)$/.exec(state.env.DOCKER_HOST ?? '') ?? [];
  const info = await engine('GET', '/info', socketPath === undefined ? {} : { socketPath });
  const facts =
    info.status === 200 ? dockerFacts(JSON.parse(info.text)) : { problem: info.code ?? info.status };
  bundle.add('docker-info.json', facts);
  return document;
}

/**
 * Runs the suite by the CLI and packs what it left into one zip file.
 * @param state `env` for the CLI; `child`, the program that works now; `interrupted` ends the suite after it
 * @param options.smi what `nvidia-smi -q -x` printed; null: the quick profiles on the CPU, nothing of a GPU
 * @param options.python packs the zip file
 * @param options.more arguments for each of the runs, behind those of the suite
 * @returns the rows, and the tables as text
 */
export async function runSuite(state, { smi, python, file, gpu, wanted, more = [] }) {
  const bundle = createBundle(mkdtempSync(join(tmpdir(), 'workbench-gpu-')));
  const machine = await addFacts(state, bundle, smi);
  const { document: presets } = await run(state, ['presets', '--json']);
  const jobs =
    smi === null
      ? jobsOnCpu(presets, { wanted })
      : jobsOf(presets, devicesOf(machine.gpus.gpus, gpu), { wanted });
  const rows = [];
  for (const job of jobs) {
    if (state.interrupted) break;
    rows.push(await tryOut(state, job, bundle, more));
  }
  const title = smi === null ? 'On the CPU (--on-cpu): nothing here was measured on a GPU.\n\n' : '';
  const tables = `${title}${tablesOf(rows)}\n`;
  bundle.add('table.md', tables);
  await bundle.pack(python, file);
  return { rows, tables };
}
