/**
 * Writes resources/baselines/<preset>.json from a file that holds the tables of the five published deployment documents
 * as they stand there (a list of { model, scenario, title, config, columns, rows }). Figures are taken over digit by
 * digit; what a table has no column for is null.
 *
 *   node scripts/published-results.mjs <published-results.json>
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('Say where the tables are: node scripts/published-results.mjs <file>\n');
  process.exit(2);
}

/** Columns of resources/baselines, and their headings in both generations of documents. */
const columns = {
  batchSize: ['Batch', 'Client Batch Size'],
  concurrency: ['Concurrency', 'Concurrent client requests'],
  inferencesPerSecond: ['Inferences/Second', 'Inferences/second'],
  clientSendMs: ['Client Send (ms)', 'Client Send'],
  networkMs: ['Network+Server Send/Recv (ms)', 'Network+server Send/recv'],
  serverQueueMs: ['Server Queue (ms)', 'Server Queue'],
  computeInputMs: ['Server Compute Input (ms)', 'Server Compute Input'],
  computeInferMs: ['Server Compute Infer (ms)', 'Server Compute Infer'],
  computeOutputMs: ['Server Compute Output (ms)', 'Server Compute Output'],
  clientReceiveMs: ['Client Recv (ms)', 'Client Recv'],
  p50Ms: ['p50 latency (ms)', 'P50 Latency'],
  p90Ms: ['p90 latency (ms)', 'P90 Latency'],
  p95Ms: ['p95 latency (ms)', 'P95 Latency'],
  p99Ms: ['p99 latency (ms)', 'P99 Latency'],
  avgMs: ['avg latency (ms)', 'Avg Latency'],
};
/** Headings that repeat what the table's configuration says. */
const repeated = ['Precision', 'Backend Accelerator', 'Sequence Length'];

const formats = {
  'NVIDIA TensorRT': 'trt',
  ONNX: 'onnx',
  'TensorFlow SavedModel': 'tf-savedmodel',
  'TorchScript Trace': 'ts-trace',
  'TorchScript, Trace': 'ts-trace',
  'TorchScript, Script': 'ts-script',
};
const accelerators = { '-': 'none', CUDA: 'cuda', TensorRT: 'trt', 'Automatic FP16': 'amp' };

const loadsNote =
  'The tables print no concurrency offline and no batch size online: both are 1 by the formula of the published measuring scripts.';
const offlineNote = 'Offline, tensors were passed through system shared memory.';
const sources = {
  tft: ['Temporal Fusion Transformer', 'PyTorch/Forecasting/TFT/triton/README.md', '2022-02', offlineNote],
  fastpitch: ['FastPitch', 'PyTorch/SpeechSynthesis/FastPitch/triton/README.md', '2021-04', loadsNote],
  'wide-and-deep': [
    'Wide & Deep',
    'TensorFlow2/Recommendation/WideAndDeep/triton/README.md',
    '2022-05',
    offlineNote,
  ],
  resnet50: [
    'ResNet50 v1.5',
    'PyTorch/Classification/ConvNets/triton/resnet50/README.md',
    '2021-04',
    loadsNote,
  ],
  nnunet: [
    'nnU-Net',
    'PyTorch/Segmentation/nnUNet/triton/README.md',
    '2021-04',
    `${loadsNote} Tensors were passed through CUDA shared memory.`,
  ],
};

function known(names, value, what, title) {
  if (!Object.hasOwn(names, value)) throw new Error(`${title}: ${what} "${value}" is not known`);
  return names[value];
}

/** "NVIDIA DGX A100 (1x A100 80GB)"; a table without it has it in its title. */
function hardwareOf({ config, title }) {
  const named = config.GPU ?? /^(.*?)(?:,| with )/.exec(title)?.[1];
  if (named === undefined) throw new Error(`${title}: no GPU`);
  return named.replace(/^NVIDIA NVIDIA /, 'NVIDIA ').trim();
}

function formatOf({ config, title }) {
  const name = config['Model format'] ?? config['Model Format'];
  const variant = config['Conversion variant'];
  return known(formats, variant === undefined ? name : `${name}, ${variant}`, 'format', title);
}

function levelOf(table, row) {
  for (const heading of table.columns) {
    const found =
      repeated.includes(heading) || Object.values(columns).some((names) => names.includes(heading));
    if (!found) throw new Error(`${table.title}: column "${heading}" is not known`);
  }
  return Object.entries(columns).map(([column, headings]) => {
    const at = table.columns.findIndex((heading) => headings.includes(heading));
    if (at >= 0) return row[at];
    return column === 'batchSize' || column === 'concurrency' ? 1 : null;
  });
}

function tableOf(table) {
  const hardware = hardwareOf(table);
  const accelerator = table.config['Backend accelerator'];
  return {
    scenario: table.scenario,
    gpu: /\b(A30|A40|A100|V100|T4)\b/.exec(hardware)?.[1],
    hardware,
    format: formatOf(table),
    precision: table.config.Precision.toLowerCase(),
    accelerator:
      accelerator === undefined ? null : known(accelerators, accelerator, 'accelerator', table.title),
    dataset: table.config.Dataset ?? null,
    levels: table.rows.map((row) => levelOf(table, row)).sort((a, b) => a[0] - b[0] || a[1] - b[1]),
  };
}

/** One level a line: short, and readable as the table that it is. */
function textOf({ preset, source, tables }) {
  const body = tables.map(({ levels, ...head }) => {
    const rows = levels.map((level) => `        ${JSON.stringify(level)}`).join(',\n');
    const fields = Object.entries(head).map(([name, value]) => `      "${name}": ${JSON.stringify(value)},`);
    return `    {\n${fields.join('\n')}\n      "levels": [\n${rows}\n      ]\n    }`;
  });
  const head = [
    `  "preset": ${JSON.stringify(preset)},`,
    `  "source": ${JSON.stringify(source)},`,
    `  "columns": ${JSON.stringify(Object.keys(columns))},`,
  ];
  return `{\n${head.join('\n')}\n  "tables": [\n${body.join(',\n')}\n  ]\n}\n`;
}

const all = JSON.parse(readFileSync(file, 'utf8'));
const dir = join(import.meta.dirname, '..', 'resources', 'baselines');
mkdirSync(dir, { recursive: true });
for (const [preset, [title, path, date, note]] of Object.entries(sources)) {
  const tables = all.filter(({ model }) => model === preset).map(tableOf);
  const source = {
    title: `${title} on Triton Inference Server, NVIDIA Deep Learning Examples`,
    address: `github.com/NVIDIA/DeepLearningExamples, ${path}`,
    date,
    ...(note === undefined ? {} : { note }),
  };
  writeFileSync(join(dir, `${preset}.json`), textOf({ preset, source, tables }));
  const rows = tables.reduce((sum, { levels }) => sum + levels.length, 0);
  process.stdout.write(`${preset}: ${tables.length} tables, ${rows} rows\n`);
}
