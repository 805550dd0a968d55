import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { createRandom } from '../../../main/domain/random';
import { formatJournalLine } from '../../../main/store/journal';
import { field, onnxBytes } from '../onnx-bytes';
import { completeBodies, journalFixture, specFixture } from '../run-state';
import { savedModelBytes } from '../savedmodel-bytes';
import { zipBytes } from '../zip-bytes';
import type { Sandbox } from './sandbox';
import { pickOf, twists } from './twists';

const folderKinds = ['model', 'run', 'specification', 'repository'] as const;

export interface ForeignFolder {
  readonly kind: (typeof folderKinds)[number];
  /** Of a run its id in the home. */
  readonly dir: string;
  /** What a person would open in it; of a run nothing, as it is opened by its id. */
  readonly open: readonly string[];
  /** What was done to it, for people. */
  readonly twists: readonly string[];
}

const torchscript = zipBytes({
  'm/data.pkl': '\x80\x02c__torch__\nM\n)\x81.',
  'm/constants.pkl': '\x80\x02).',
  'm/code/__torch__.py':
    'class M(Module):\n  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n    return x\n',
});

const config = (backend: string, more = ''): string => `name: "m"
backend: "${backend}"
max_batch_size: 8
input [ { name: "x" data_type: TYPE_FP32 dims: [ 3 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 3 ] } ]
${more}
`;

const execution =
  'parameters [ { key: "EXECUTION_ENV_PATH" value: { string_value: "$$TRITON_MODEL_DIRECTORY/env.tar.gz" } } ]';
const warmUp =
  'model_warmup [ { name: "w" inputs { key: "x" value: { data_type: TYPE_FP32 dims: 3 input_data_file: "../../secret.txt" } } } ]';

type Files = Readonly<Record<string, string | Buffer>>;

const python = 'import os\nos.system("touch pwned")\n';

const models: readonly { readonly files: Files; readonly open: readonly string[] }[] = [
  { files: { 'model.onnx': onnxBytes(), 'weights.bin': 'w' }, open: ['model.onnx'] },
  {
    files: { 'model.onnx': onnxBytes({ external: 'weights.bin' }), 'weights.bin': 'w' },
    open: ['model.onnx'],
  },
  { files: { 'model.onnx': onnxBytes({ external: '../../out/secret.onnx' }) }, open: ['model.onnx'] },
  {
    files: { 'model.onnx': onnxBytes({ graph: [field(5, Buffer.alloc(1000, 0xff))] }) },
    open: ['model.onnx'],
  },
  { files: { 'model.pt': Buffer.from(torchscript) }, open: ['model.pt'] },
  {
    files: {
      'saved/saved_model.pb': savedModelBytes(),
      'saved/variables/variables.index': 'v',
      'saved/assets/a.txt': 'a',
    },
    open: ['saved'],
  },
  {
    files: {
      'model.py': python,
      'dataloader.py': python,
      'metrics.py': python,
      'preset.yaml': 'id: own\ntitle: Own\n',
    },
    open: [''],
  },
];

const repositories: readonly { readonly files: Files; readonly open: readonly string[] }[] = [
  { files: { 'm/config.pbtxt': config('onnxruntime'), 'm/1/model.onnx': onnxBytes() }, open: ['m', ''] },
  {
    files: { 'm/config.pbtxt': config('pytorch', execution), 'm/1/model.pt': Buffer.from(torchscript) },
    open: ['m'],
  },
  {
    files: {
      'm/config.pbtxt': config('tensorflow', warmUp),
      'm/1/model.savedmodel/saved_model.pb': savedModelBytes(),
    },
    open: ['m'],
  },
  { files: { 'm/config.pbtxt': config('python', execution), 'm/1/model.py': python }, open: ['m'] },
  {
    files: {
      'm/config.pbtxt': config('onnxruntime', 'default_model_filename: "../../../out/secret.onnx"'),
      'm/1/model.onnx': onnxBytes(),
    },
    open: ['m'],
  },
];

const specifications: readonly Files[] = [
  {
    'run.yaml': stringify(specFixture()),
    'deploy.sh': 'export PRECISION=fp16\nexport FORMAT=onnx\n$(touch pwned)\n`id`\n',
  },
  { 'run.yaml': stringify({ ...specFixture(), engine: { kind: 'docker', image: 'attacker/image:1' } }) },
  { 'config.pbtxt': config('onnxruntime', execution) },
  {
    'runner.yaml': stringify({
      configurations: [{ precision: 'fp16', checkpoint: { name: '../../out/secret.txt' } }],
    }),
  },
  {
    'levels.csv':
      'Concurrency,Inferences/Second,p50 latency,p90 latency,p95 latency,p99 latency\n1,100,1,2,3,4\n',
  },
  { 'export.json': '{"experiments":[]}', 'input.json': '{"data":[{"x":[1,2,3]}]}' },
];

function runFiles(runId: string): Files {
  const entries = journalFixture(completeBodies()).map((entry) =>
    entry.type === 'run-created' ? { ...entry, runId } : entry,
  );
  const steps = ['export', 'convert', 'configure', 'deploy', 'accuracy', 'offline', 'online', 'report'];
  const repository = 'steps/configure/model-repository/resnet50';
  return {
    'run.yaml': stringify(specFixture()),
    'journal.jsonl': `${entries.map(formatJournalLine).join('\n')}\n`,
    'summary.json': '{"version":1,"summary":{"status":"done"}}',
    ...Object.fromEntries(steps.map((step) => [`steps/${step}/step.log`, `${step}\n\u001b]0;PWNED\u0007\n`])),
    ...Object.fromEntries(steps.map((step) => [`steps/${step}/output.json`, '{}'])),
    'steps/export/model.onnx': onnxBytes(),
    'steps/export/model.py': python,
    [`${repository}/config.pbtxt`]: config('python', execution),
    [`${repository}/1/model.py`]: python,
    'results/report.html': '<script>window.pwned = true</script>',
    'results/report.json': '{}',
  };
}

async function write(dir: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), content);
  }
}

/** Twists that cost a second are done to a few. */
const rare = ['2,000 files', 'folders 200 deep', 'sparse file of 3 GiB'];

/** Makes so many folders of outsiders, of every kind in turn; what is in them follows from the seed. */
export async function makeForeignFolders(
  { foreign, outside, home }: Sandbox,
  count: number,
  seed: number,
): Promise<readonly ForeignFolder[]> {
  const random = createRandom(seed);
  const names = Object.keys(twists);
  const made: ForeignFolder[] = [];
  for (let at = 0; at < count; at += 1) {
    const kind = pickOf(() => (at % folderKinds.length) / folderKinds.length, folderKinds);
    const runId = `20260101-000000-foreign-${at}`;
    const dir = kind === 'run' ? join(home, 'runs', runId) : join(foreign, `f${at}`);
    const { files, open } =
      kind === 'run'
        ? { files: runFiles(runId), open: [] }
        : kind === 'specification'
          ? { files: pickOf(random, specifications), open: [] }
          : pickOf(random, kind === 'model' ? models : repositories);
    await write(dir, files);
    const done: string[] = [];
    for (let left = 1 + Math.floor(random() * 4); left > 0; left -= 1) {
      const name = pickOf(random, names);
      if (done.includes(name) || (rare.includes(name) && random() > 0.1)) continue;
      await twists[name]?.({ dir, outside, random });
      done.push(name);
    }
    const shown = kind === 'specification' ? Object.keys(files) : open;
    made.push({ kind, dir, open: shown.map((name) => join(dir, name)), twists: done });
  }
  return made;
}
