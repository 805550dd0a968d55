import { join } from 'node:path';
import { repoRoot } from '../lib/layout.mjs';
import { say, SetupError } from '../lib/say.mjs';
import { cli, makeFolders, run, short } from './folders.mjs';

/** One with a step of labels, and one without. */
const measured = ['bert-text', 'minilm-sentences'];

const shown = ([ms, half]) => `${ms.toFixed(2)} ± ${half.toFixed(2)}`;

function rowsOf(name, { batch, tensors, pipeline, extra }) {
  const of = (side, step) => (side[step] === undefined ? '–' : shown(side[step]));
  return [
    [name, batch, 'tokenizer', of(tensors, 'tokenizer'), of(pipeline, 'tokenizer'), ''],
    [name, batch, 'model', `${of(tensors, 'request')} (the request)`, of(pipeline, 'model'), ''],
    [name, batch, 'labels', of(tensors, 'labels'), of(pipeline, 'labels'), ''],
    [name, batch, 'whole', of(tensors, 'whole'), of(pipeline, 'whole'), shown(extra)],
  ];
}

async function costOf(layout, home, folders, name) {
  const texts = join(repoRoot, 'resources', 'huggingface', 'texts.txt');
  const flags = ['--serve', 'pipeline', '--keep-serving', `cost-${name}`, ...short];
  const served = await cli(home, ['run', join(folders, name), ...flags]);
  if (served.code !== 0) throw new SetupError(`${name} is not served:\n${served.stderr}`);
  try {
    const described = await cli(home, ['deployments', 'show', `cost-${name}`, '--json']);
    const { grpcUrl } = JSON.parse(described.stdout);
    const script = join(repoRoot, 'scripts', 'huggingface', 'pipeline_cost.py');
    const address = grpcUrl.replace(/^\w+:\/\//, '');
    const ended = await run(layout.transformers, [script, address, name, join(folders, name), texts], {
      ...process.env,
      HF_HUB_OFFLINE: '1',
      PYTHONDONTWRITEBYTECODE: '1',
    });
    if (ended.code !== 0) throw new SetupError(`Not measured:\n${ended.stderr}`);
    return JSON.parse(ended.stdout).flatMap((one) => rowsOf(name, one));
  } finally {
    await cli(home, ['deployments', 'stop', `cost-${name}`]);
  }
}

/** A pipeline beside tensors with the framework's tokenizer in the client, in turns on one Triton: rows of a table. */
export async function pipelineCosts(layout, home, names) {
  const folders = join(home, 'folders');
  const texts = join(repoRoot, 'resources', 'huggingface', 'texts.txt');
  const rows = [];
  for (const name of await makeFolders(layout, folders, names.length === 0 ? measured : names, texts)) {
    rows.push(...(await costOf(layout, home, folders, name)));
    for (const row of rows.slice(-8)) say(row.join(' | '));
  }
  return rows;
}
