import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { downloadFailure } from '../download-failure.mjs';
import { repoRoot } from '../layout.mjs';
import { say, seconds, SetupError } from '../say.mjs';
import { stampMatches, writeStamp } from '../stamp.mjs';
import { pipFlags } from './python.mjs';

const requirements = join(repoRoot, 'resources', 'requirements', 'tensorflow.txt');
const imports =
  'import tensorflow, tf2onnx, onnx, onnxruntime, pyarrow.parquet, tritonclient.grpc, tritonclient.http';

/** The same as in main/toolkit/extra-environment.ts, so that a run takes what is installed here: change both together. */
function stampOf({ layout }) {
  const base = readFileSync(join(layout.venv, 'pyvenv.cfg'), 'utf8');
  const pinned = readFileSync(requirements, 'utf8');
  return createHash('sha256').update(`tensorflow 1\0${base}\0${pinned}`).digest('hex');
}

export function tensorflowReady(context) {
  const { layout } = context;
  return (
    existsSync(layout.python) &&
    existsSync(layout.tensorflow) &&
    stampMatches(join(layout.tensorflowFolder, '.stamp'), stampOf(context))
  );
}

/** The Python with TensorFlow, which otherwise the first run of a TensorFlow model installs. */
export async function installTensorflow(context) {
  const { layout } = context;
  const startMs = performance.now();
  const log = context.logFile('pip-tensorflow.log');
  say('TensorFlow (about 400 MB download, 1.9 GB unpacked)');
  rmSync(layout.tensorflowFolder, { recursive: true, force: true });
  const steps = [
    [layout.python, ['-m', 'venv', layout.tensorflowFolder]],
    [layout.tensorflow, ['-m', 'pip', 'install', ...pipFlags, '-r', requirements]],
  ];
  for (const [program, args] of steps) {
    const done = await command(program, args, { log, name: 'TensorFlow' });
    if (done.code !== 0) throw downloadFailure('TensorFlow', done.output, log);
  }
  const loads = await command(layout.tensorflow, ['-c', imports], { log, name: 'TensorFlow' });
  if (loads.code !== 0) {
    throw new SetupError(`TensorFlow does not load: see ${log}, fix the problem and run the command again.`);
  }
  writeStamp(join(layout.tensorflowFolder, '.stamp'), stampOf(context));
  say(`  TensorFlow installed in ${seconds(startMs)}`);
}
