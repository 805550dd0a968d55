import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { SetupError } from '../lib/say.mjs';
import { tableOf } from './folders.mjs';
import { generationHead } from './generation.mjs';

const date = () => new Date().toISOString().slice(0, 10);
const cellsOf = (rows) => rows.map(({ cells }) => cells);

const tensorsOf = (
  rows,
) => `Runs of ${date()} as \`npm run test:huggingface\` makes them: a small folder of each architecture with random weights (two
layers, 32 wide), from the folder to a report on a CPU. The gate compares Triton with the framework, each sample without its
padding, one by one and in batches of mixed lengths. The largest difference is over all outputs and batch sizes. The rate is of the
smallest model of its kind on a busy machine: it says that the way works, not how fast a real model is.

${tableOf(
  ['folder', 'format', 'precision', 'exported', 'gate', 'largest difference', 'inferences/s', ''],
  cellsOf(rows),
)}`;

const pipelinesOf = ({ served, generated, caught }) => `## Pipelines

Runs of ${date()} as \`npm run test:huggingface -- --pipelines\` makes them: folders with random weights and tokenizers that were learned from
22 texts, served with \`run FOLDER --serve pipeline\` on a busy CPU. The gate compares the pipeline with transformers in fp32, each text without
padding: one by one, in batches of eight and of three with mixed lengths, and one text that is too long; and on 20 images or 16 recordings that the
workbench makes, one by one and in batches of one size or length (of Whisper one by one). Ties are samples whose labels, answers or tokens are closer to each other than the
tolerance. The classes of the detectors are drawn apart, so that random weights find some objects above 0.5. The largest difference is in scores and
vectors, and for detectors in pixels of the boxes.

${tableOf(['folder', 'gate', 'largest difference', 'ties', 'inferences/s', ''], cellsOf(served))}

### Planted faults

Each is one changed file of a written pipeline, run again against the same reference; the overflow is a folder whose activations are too large for
fp16, which passes in fp32. The reason is the first one that the gate gives.

${tableOf(['folder', 'fault', 'caught by the gate', 'reason'], cellsOf(caught))}

## Pipelines that generate

The reference is the greedy text of transformers in fp32, 24 tokens or to the end of the text, each prompt by itself. Triton is asked for whole
answers and for answers in pieces, which have to be the same text. Ties are texts whose best two tokens are anywhere closer to each other than the
tolerance. The times are of answers of 16 tokens, one request after the other, by the smallest models of their kind.

${tableOf(generationHead, cellsOf(generated))}`;

export const costHead = ['folder', 'batch', 'step', 'tensors, ms', 'pipeline, ms', 'more, ms'];

const costOf = (rows) => `## What a pipeline costs

Measured on ${date()} by \`npm run test:huggingface -- --cost\`: the pipeline beside the same model as tensors with the tokenizer of transformers in the
client, in turns on one local Triton on a CPU, with the workbench's 22 texts, one per request and eight per request. Times are per request, means of 20
rounds with the half-width of the 95 % interval; "more" is the mean of the differences of the rounds. The models have two layers and are 32 wide, so that nearly all of a time is what
the way costs, and not the model.

${tableOf(costHead, rows)}`;

/** Parts of the page, with the option that writes each. */
const parts = {
  tensors: { option: '', textOf: tensorsOf },
  pipelines: { option: ' -- --pipelines', textOf: pipelinesOf },
  cost: { option: ' -- --cost', textOf: costOf },
};

const beginOf = (part) => `<!-- begin ${part}: npm run test:huggingface${parts[part].option} -->`;
const endOf = (part) => `<!-- end ${part} -->`;

/**
 * Writes the part between its marks and leaves the rest of the page as it is; a file that is not there gets the part with its
 * marks. Throws where the page has no place for it.
 */
export function writePart(file, part, found) {
  const text = `${beginOf(part)}\n\n${parts[part].textOf(found)}\n\n${endOf(part)}`;
  if (!existsSync(file)) {
    writeFileSync(file, `${text}\n`);
    return;
  }
  const page = readFileSync(file, 'utf8');
  const [from, to] = [page.indexOf(beginOf(part)), page.indexOf(endOf(part))];
  if (from === -1 || to < from) {
    throw new SetupError(
      `${file} has no lines "${beginOf(part)}" and "${endOf(part)}": write them where the tables belong, or name a new file.`,
    );
  }
  writeFileSync(file, `${page.slice(0, from)}${text}${page.slice(to + endOf(part).length)}`);
}
