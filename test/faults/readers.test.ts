import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorText } from '../../main/contract/error-text';
import { createRandom } from '../../main/domain/random';
import { campaignSeed, isWholeCampaign, printRow } from '../support/campaign';
import { shuffled } from '../support/interrupted-chain';
import { torchscriptAtLimit } from '../support/limits/archives-at-limit';
import type { LimitFile } from '../support/limits/at-limit';
import { csvAtLimit, profilesAtLimit } from '../support/limits/captures-at-limit';
import { inputJsonAtLimit } from '../support/limits/input-json-at-limit';
import { npzAtLimit } from '../support/limits/npz-at-limit';
import {
  configEditsAtLimit,
  configFilesAtLimit,
  repositoriesAtLimit,
} from '../support/limits/pbtxt-at-limit';
import { onnxAtLimit, savedModelsAtLimit } from '../support/limits/protobuf-at-limit';
import { rawFoldersAtLimit } from '../support/limits/raw-at-limit';
import { reportsAtLimit } from '../support/limits/smi-at-limit';
import { codeAtLimit, presetsAtLimit, shellAtLimit, specsAtLimit } from '../support/limits/texts-at-limit';
import { type ReadingEnd, ReadingProcess } from '../support/reading-process';

const mostMs = 2000;
const mostRiseMiB = 300;
/** What else runs on the machine takes time too: the least of as many counts. */
const mostTries = 3;
/** Nobody reads more of what is wrong. */
const longestMessage = 4096;

/** Every reader of what comes from outside, and what is made for it. */
const readers: readonly (readonly [name: string, files: (random: () => number) => LimitFile[]])[] = [
  ['ONNX', onnxAtLimit],
  ['TorchScript', torchscriptAtLimit],
  ['SavedModel', savedModelsAtLimit],
  ['config.pbtxt of a repository', repositoriesAtLimit],
  ['config.pbtxt as a specification', configFilesAtLimit],
  ['config.pbtxt edited in the window', configEditsAtLimit],
  ['code of a model folder', codeAtLimit],
  ['preset.yaml', presetsAtLimit],
  ['run.yaml', specsAtLimit],
  ['shell files', shellAtLimit],
  ['CSV files of perf_analyzer', csvAtLimit],
  ['profile exports of perf_analyzer', profilesAtLimit],
  ['input data as JSON', inputJsonAtLimit],
  ['input data as npz', npzAtLimit],
  ['input data as a folder', rawFoldersAtLimit],
  ['reports of nvidia-smi', reportsAtLimit],
];

let dir = '';
let reading: ReadingProcess;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'limits-'));
  reading = await ReadingProcess.create(dir);
});
afterAll(async () => {
  reading.close();
  await rm(dir, { recursive: true, force: true });
});

interface Outcome {
  readonly what: string;
  readonly ms: number;
  readonly roseMiB: number;
  readonly problems: readonly string[];
}

/** What is wrong with how a file was answered or refused. */
function wrongWith({ above }: LimitFile, { error, problem, roseMiB }: ReadingEnd): string[] {
  const wrong: string[] = [];
  const message = error === null ? problem : [error.message, error.where, error.remedy].join('\n');
  if (roseMiB >= mostRiseMiB) wrong.push(`the main process rose by ${roseMiB.toFixed(0)} MiB`);
  if (message.length > longestMessage)
    wrong.push(`it tells ${message.length} letters: ${message.slice(0, 200)}`);
  if (error?.code === 'internal') wrong.push(`internal: ${error.message.slice(0, 300)}`);
  if (error !== null && (error.where === undefined || errorText[error.code].remedy === ''))
    wrong.push(`no place or no remedy: ${error.message.slice(0, 300)}`);
  if (/was stopped|ended without a result/.test(message)) wrong.push(message.slice(0, 300));
  if (above === true && !/at most|more than|larger than|did not print a GPU report/i.test(message))
    wrong.push(`above the limit and not refused for it: ${message.slice(0, 300)}`);
  return wrong;
}

async function readOne(file: LimitFile): Promise<Outcome> {
  const folder = await mkdtemp(join(dir, 'file-'));
  try {
    const job = await file.make(folder);
    let best: Outcome | null = null;
    for (let tries = 0; tries < mostTries; tries += 1) {
      const end = await reading.read(job);
      if (end === null) return { what: file.what, ms: 0, roseMiB: 0, problems: ['the main process ended'] };
      const problems = wrongWith(file, end);
      if (isWholeCampaign && end.ms >= mostMs) problems.push(`it took ${(end.ms / 1000).toFixed(1)} s`);
      const outcome = { what: file.what, ms: end.ms, roseMiB: end.roseMiB, problems };
      if (best === null || problems.length < best.problems.length || end.ms < best.ms) best = outcome;
      if (best.problems.length === 0) break;
    }
    return best ?? { what: file.what, ms: 0, roseMiB: 0, problems: ['it was not read'] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('files at the limits of', () => {
  it.each(readers)('%s are answered or refused in two seconds, with little memory', async (name, files) => {
    const random = createRandom(campaignSeed);
    const all = files(random);
    const chosen = isWholeCampaign ? all : shuffled(all, random).slice(0, 2);
    // The process of the readers is there before anything is measured.
    await reading.read({ ask: 'text', path: join(process.cwd(), 'package.json'), fileName: 'run.yaml' });
    const outcomes: Outcome[] = [];
    for (const file of chosen) outcomes.push(await readOne(file));
    const problems = outcomes.flatMap(({ what, problems: of }) => of.map((problem) => `${what}: ${problem}`));
    const [slowest] = [...outcomes].sort((a, b) => b.ms - a.ms);
    const rose = Math.max(...outcomes.map(({ roseMiB }) => roseMiB));
    await printRow({
      what: `files at the limits of ${name}, ${all.filter(({ above }) => above === true).length} of them just above`,
      trials: outcomes.length,
      result:
        `${problems.length} without an answer, refused without place or remedy, stopped, or slow; ` +
        `slowest ${((slowest?.ms ?? 0) / 1000).toFixed(2)} s (${slowest?.what ?? ''}), the main process at most ${Math.max(0, rose).toFixed(0)} MiB larger`,
    });
    expect(problems).toEqual([]);
  });
});
