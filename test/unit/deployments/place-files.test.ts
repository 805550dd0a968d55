import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addVersion, removeVersion, writeCandidate } from '../../../main/deployments/deployable-run';
import { copied, placeWarmUp, warmUpFilesOf } from '../../../main/deployments/place-files';
import { warmUpRequests } from '../../../main/formats/warm-up';
import { tinyConfig } from '../../support/tiny-model';

let root: string;
let from: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-place-files-'));
  from = join(root, 'run', 'tiny', '1');
  await mkdir(from, { recursive: true });
  await writeFile(join(from, 'model.onnx'), 'weights');
  await mkdir(join(root, 'run', 'tiny', 'warmup', '1'), { recursive: true });
  await writeFile(join(root, 'run', 'tiny', 'warmup', '1', '0-0.bin'), 'row');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const folder = () => ({
  ...{ dir: root, repository: join(root, 'models'), log: join(root, 'triton.log') },
  ...{ journal: join(root, 'journal.jsonl'), kept: () => join(root, 'kept') },
});
const warmUpIn = (...names: readonly string[]) => join(root, 'models', ...names);

it('the files of a warm-up go with a version, its candidate, and its removal', async () => {
  await addVersion(folder(), { from, model: 'tiny', version: 4 });
  expect(await readFile(warmUpIn('tiny', 'warmup', '4', '0-0.bin'), 'utf8')).toBe('row');
  const configure = { warmup: 'samples' as const, preferredBatchSizes: [], warmupBatchSizes: [1] };
  const config = {
    ...tinyConfig,
    modelWarmup: warmUpRequests(configure, { ...tinyConfig, modelVersion: 1 }),
  };
  const candidate = await writeCandidate(folder(), config, 4);
  expect(await readFile(warmUpIn(candidate, 'warmup', '4', '0-0.bin'), 'utf8')).toBe('row');
  expect(await readFile(warmUpIn(candidate, 'config.pbtxt'), 'utf8')).toContain('"4/0-0.bin"');
  await removeVersion(folder(), { model: 'tiny', version: 4 });
  expect(await readdir(warmUpIn('tiny', 'warmup'))).toEqual([]);
  expect(await readdir(warmUpIn('tiny'))).toEqual(['warmup']);
});

it('a version without a warm-up has none of it', async () => {
  await rm(join(root, 'run', 'tiny', 'warmup'), { recursive: true });
  expect(await warmUpFilesOf(from)).toBeNull();
  await placeWarmUp(from, join(root, 'models', 'tiny', '1'), copied);
  expect(await readdir(root)).toEqual(['run']);
});
