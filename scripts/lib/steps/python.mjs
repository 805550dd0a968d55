import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { downloadFailure } from '../download-failure.mjs';
import { repoRoot } from '../layout.mjs';
import { say, seconds, SetupError } from '../say.mjs';
import { hashParts, stampMatches, writeStamp } from '../stamp.mjs';
import { pythonFacts } from './python-facts.mjs';

/** Best proven first. nvidia-pytriton needs numpy 1, which ends with Python 3.12. */
const supported = ['3.11', '3.12', '3.10', '3.9'];
const requirements = (name) => join(repoRoot, 'resources', 'requirements', name);
/** Few retries: without a network the answer is to come in seconds. */
export const pipFlags = [
  '--no-input',
  '--disable-pip-version-check',
  '--progress-bar',
  'off',
  '--retries',
  '2',
];
const imports = 'import torch, onnxruntime, onnx, numpy, PIL, tritonclient.grpc, tritonclient.http';

/** What the virtual environment holds, as a stamp; Triton and perf_analyzer are laid out against it. */
export function pythonStamp(home) {
  return hashParts('python 1', home, readFileSync(requirements('runtime.txt')));
}

export function pythonReady({ layout, pythonStamp: stamp }) {
  return existsSync(layout.python) && stampMatches(join(layout.venv, '.stamp'), stamp);
}

function checkStamp(context) {
  return hashParts('check 1', context.pythonStamp, readFileSync(requirements('check.txt')));
}

export function pythonCheckReady(context) {
  return (
    existsSync(context.layout.python) &&
    stampMatches(join(context.layout.venv, '.check-stamp'), checkStamp(context))
  );
}

const complete = (facts) => facts.venv && facts.libraryFolder !== null;

/** A Python that can make the venv and whose shared library Triton's Python backend can load, or nearly so. */
async function findPython() {
  const asked = process.env.TRITON_WORKBENCH_PYTHON;
  const names = asked ? [asked] : [...supported.map((version) => `python${version}`), 'python3'];
  const seen = [];
  for (const name of names) {
    const facts = await pythonFacts(name);
    if (facts === null) continue;
    seen.push(facts);
    if (supported.includes(facts.version) && complete(facts)) return facts;
  }
  const system = seen.find(
    (facts) => supported.includes(facts.version) && facts.executable.startsWith('/usr/bin/'),
  );
  if (system !== undefined) return system;
  const found = seen.map((facts) => facts.version).join(', ') || 'none';
  throw new SetupError(
    `Python ${supported.slice(0, -1).join(', ')} or ${supported.at(-1)} with venv and its shared library is ` +
      `needed (found: ${found}): install one, or name it in TRITON_WORKBENCH_PYTHON, and run the command again.`,
  );
}

/** Debian packages that the system's Python lacks to make the venv; none when there is a venv already. */
export async function missingPythonPackages({ layout }) {
  if (existsSync(layout.python)) return [];
  const facts = await findPython();
  return [
    ...(facts.venv ? [] : [`python${facts.version}-venv`]),
    ...(facts.libraryFolder === null ? [`libpython${facts.version}`] : []),
  ];
}

function shownLine(line) {
  const size = /^\s*(?:Downloading|Using cached) (\S+?)-(\d\S*?)-\S+ \((\d+(?:\.\d+)?) ([MG])B\)/.exec(line);
  if (size && (size[4] === 'G' || Number(size[3]) >= 5))
    return `${size[1]} ${size[2]} (${size[3]} ${size[4]}B)`;
  const all = /^Installing collected packages: (.*)/.exec(line);
  return all ? `unpacking ${all[1].split(', ').length} packages` : null;
}

async function pip(context, args, log) {
  return command(context.layout.python, ['-m', 'pip', 'install', ...pipFlags, ...args], {
    log,
    name: 'Python packages',
    show: shownLine,
  });
}

/** The same version without the CUDA libraries (2 GB less), where an index that pip knows offers it. */
async function preferCpuTorch(context, log) {
  const lines = readFileSync(requirements('runtime.txt'), 'utf8').match(/^torch==.*$/gm);
  const cpu = lines.map((line) => line.replace(/^(torch==[\d.]+)/, '$1+cpu'));
  const done = await pip(context, cpu, log);
  if (done.code !== 0 && !/Retrying/.test(done.output)) {
    say('  pip knows no index with the CPU build of torch: taking the default build (about 2.5 GB)');
  }
}

async function makeVenv(context, log) {
  const { layout } = context;
  const base = await findPython();
  rmSync(layout.venv, { recursive: true, force: true });
  // Both point into the environment that goes.
  rmSync(layout.triton, { recursive: true, force: true });
  rmSync(layout.perfAnalyzerFolder, { recursive: true, force: true });
  const made = await command(base.executable, ['-m', 'venv', layout.venv], { log });
  if (made.code !== 0) throw downloadFailure('the Python environment', made.output, log);
  say(`  Python ${base.version} from ${base.executable}`);
}

export async function installPython(context) {
  const { layout } = context;
  const startMs = performance.now();
  const log = context.logFile('pip.log');
  // While this file stands, pip was cut short: what it left cannot be trusted and is made afresh.
  const unfinished = `${layout.venv}.unfinished`;
  say('Python packages (about 1.5 GB unpacked)');
  const usable = !existsSync(unfinished) && (await pythonFacts(layout.python)) !== null;
  writeFileSync(unfinished, '');
  if (!usable) {
    await makeVenv(context, log);
    await preferCpuTorch(context, log);
  }
  const done = await pip(context, ['-r', requirements('runtime.txt')], log);
  if (done.code !== 0) throw downloadFailure('the Python packages', done.output, log);
  const loads = await command(layout.python, ['-c', imports], { log, name: 'Python packages' });
  if (loads.code !== 0) {
    throw new SetupError(
      `The Python packages do not load (${loads.output.split('\n').at(-1)}): see ${log}, fix the problem and run the ` +
        'command again.',
    );
  }
  writeStamp(join(layout.venv, '.stamp'), context.pythonStamp);
  rmSync(unfinished);
  say(`  Python packages installed in ${seconds(startMs)}`);
}

export async function installPythonCheck(context) {
  const log = context.logFile('pip-check.log');
  say('Python checkers (ruff, mypy)');
  const done = await pip(context, ['-r', requirements('check.txt')], log);
  if (done.code !== 0) throw downloadFailure('ruff and mypy', done.output, log);
  writeStamp(join(context.layout.venv, '.check-stamp'), checkStamp(context));
}
