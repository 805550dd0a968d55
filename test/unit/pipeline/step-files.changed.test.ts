import {
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editedConfig, writtenConfig } from '../../../main/pipeline/step-files';
import { formatJournalLine, readJournal } from '../../../main/store/journal';
import { runFolder } from '../../../main/store/run-folder';
import { formatConfigPbtxt, parseConfigPbtxt } from '../../../main/triton/config/config-pbtxt';
import { NotingRuns } from '../../support/noting-runs';
import { rejection } from '../../support/rejection';
import { deployed } from '../../support/run-state';

const config = parseConfigPbtxt('name: "resnet50" backend: "onnxruntime" max_batch_size: 8');
const weights = Buffer.alloc(2 ** 21, 7);

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'changed-files-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** A home whose steps leave a data set, a model in two folders, and a model repository. */
const homeAt = (name = 'home'): NotingRuns =>
  new NotingRuns(join(root, name), {
    'prepare-data': async ({ dir }) => {
      await mkdir(join(dir, 'dataset'));
      for (const file of ['a', 'b', 'c']) await writeFile(join(dir, 'dataset', file), file);
      return { output: { dataset: 'dataset', checkpoint: 'checkpoint.pt' } };
    },
    export: async ({ dir }) => {
      await writeFile(join(dir, 'model.onnx'), weights);
      return { output: {} };
    },
    convert: async ({ dir }) => {
      await writeFile(join(dir, 'model.onnx'), weights);
      return { output: {} };
    },
    configure: async ({ run }) => {
      const version = join(run.folder.repository, 'resnet50', '1');
      await mkdir(version, { recursive: true });
      await writeFile(join(version, 'model.onnx'), weights);
      await writeFile(join(run.folder.repository, 'resnet50', 'config.pbtxt'), formatConfigPbtxt(config));
      return { output: writtenConfig(config) };
    },
    'profile-data': async ({ dir }) => {
      await writeFile(join(dir, 'input-data.json'), '{}');
      return {};
    },
  });

const fromExport = [
  'export',
  'convert',
  'configure',
  'deploy',
  'accuracy',
  'profile-data',
  'offline',
  'online',
  'report',
];
const fromConfigure = ['configure', 'deploy', 'accuracy', 'offline', 'online', 'report'];

async function finished(home = homeAt()) {
  const runId = await home.create();
  expect((await home.attempt(runId)).outcome).toBe('done');
  const folder = runFolder(join(home.home, 'runs', runId));
  return { home, runId, folder, model: join(folder.repository, 'resnet50', '1') };
}

describe('a run that is continued', () => {
  it('does nothing when every file is as its step left it', async () => {
    const { home, runId, folder } = await finished();
    // Times say nothing of the content.
    const long = new Date(0);
    await utimes(join(folder.step('export'), 'model.onnx'), long, long);
    expect((await home.attempt(runId)).outcome).toBe('done');
    expect(home.done).toEqual([]);
  });

  it('does export and all that is made of it again when numbers inside of its model were exchanged', async () => {
    const { home, runId, folder } = await finished();
    const path = join(folder.step('export'), 'model.onnx');
    const exchanged = Buffer.from(weights);
    exchanged.fill(9, 1_000_000, 1_500_000);
    await writeFile(path, exchanged);
    expect((await home.attempt(runId)).outcome).toBe('done');
    expect(home.done).toEqual(fromExport);
    expect(await home.reason(runId)).toBe('Export model: the content of model.onnx changed');
    expect((await readFile(path)).equals(weights)).toBe(true);
    // The other step that would have taken the exchanged file finds nothing to do.
    await home.attempt(runId);
    expect(home.done).toEqual([]);
  });

  it('builds a file that was cut short anew, and does not take it from the cache', async () => {
    const { home, runId, model } = await finished();
    await truncate(join(model, 'model.onnx'), 0);
    expect((await home.attempt(runId)).outcome).toBe('done');
    expect(home.done.slice(0, 1)).toEqual(['configure']);
    expect(home.done).toEqual(fromConfigure);
    expect((await stat(join(model, 'model.onnx'))).size).toBe(weights.length);
  });

  it.each([
    [
      'a program beside the model',
      (model: string) => writeFile(join(model, 'model.py'), 'import os\n'),
      'was added',
    ],
    [
      'a link in place of the model',
      async (model: string) => {
        await rm(join(model, 'model.onnx'));
        await symlink('/etc/hostname', join(model, 'model.onnx'));
      },
      'is a link',
    ],
    ['a missing model', (model: string) => rm(join(model, 'model.onnx')), 'is missing'],
  ])('does not serve %s', async (_what, plant, words) => {
    const { home, runId, model } = await finished();
    await plant(model);
    expect((await home.attempt(runId)).outcome).toBe('done');
    expect(home.done).toEqual(fromConfigure);
    expect(await home.reason(runId)).toContain(words);
    await home.attempt(runId);
    expect(home.done).toEqual([]);
  });

  it('has byte code removed, which Python would run in place of the source', async () => {
    const { home, runId, model } = await finished();
    await mkdir(join(model, '__pycache__'));
    await writeFile(join(model, '__pycache__', 'model.cpython-312.pyc'), 'code');
    await home.attempt(runId);
    expect(home.done).toEqual([]);
    await expect(stat(join(model, '__pycache__'))).rejects.toThrow('ENOENT');
  });

  it('keeps an edit by hand of config.pbtxt, which is a change of the deployment', async () => {
    const { home, runId, folder } = await finished();
    const path = join(folder.repository, 'resnet50', 'config.pbtxt');
    await writeFile(path, formatConfigPbtxt({ ...config, maxBatchSize: 4 }));
    await home.attempt(runId);
    expect(home.done).toEqual([]);
    const { spec } = deployed((await home.store.load(runId)).state).source;
    expect(await editedConfig({ folder, spec })).not.toBeNull();
    await rm(path);
    await home.attempt(runId);
    expect(home.done).toEqual(fromConfigure);
  });
});

/** The journal again, each record as `change` gives it; the checksums are right, as anybody can compute them. */
async function forge(
  journal: string,
  change: (entry: Awaited<ReturnType<typeof readJournal>>['entries'][number]) => unknown,
): Promise<void> {
  const { entries } = await readJournal(journal);
  const lines = entries.map((entry) => `${formatJournalLine(change(entry) as typeof entry)}\n`);
  await writeFile(journal, lines.join(''));
}

describe('a journal that was forged', () => {
  it('does not make a planted model.py the work of this home', async () => {
    const { home, runId, folder, model } = await finished();
    await writeFile(join(model, 'model.py'), 'import os\n');
    const file = { path: 'model-repository/resnet50/1/model.py', bytes: 10, sha256: '0'.repeat(64) };
    await forge(folder.journal, (entry) =>
      entry.type === 'step-finished' && entry.step === 'configure'
        ? { ...entry, files: [...(entry.files ?? []), file] }
        : entry,
    );
    expect((await home.store.load(runId)).state.origin).toBe('own');
    expect((await home.attempt(runId)).outcome).toBe('done');
    expect(home.done).toEqual(fromConfigure);
    await expect(stat(join(model, 'model.py'))).rejects.toThrow('ENOENT');
  });

  it('of a time before lists of files makes the steps run again, and says why', async () => {
    const { home, runId, folder } = await finished();
    await forge(folder.journal, (entry) => {
      if (entry.type !== 'step-finished') return entry;
      return { ...entry, files: undefined, seal: undefined };
    });
    expect((await home.attempt(runId)).outcome).toBe('done');
    expect(home.done).toContain('prepare-data');
    expect(await home.reason(runId)).toContain('no list of its files was kept');
  });
});

describe('a run of another home', () => {
  it('is used as it was trusted, and not with a byte that changed afterwards', async () => {
    const { home: sender, runId, folder } = await finished(homeAt('sender'));
    const home = homeAt('receiver');
    const there = runFolder(join(home.home, 'runs', runId));
    await cp(folder.dir, there.dir, { recursive: true });
    expect((await rejection(home.attempt(runId))).code).toBe('not-trusted');
    expect([home.done, sender.done.length]).toEqual([[], 10]);
    await home.runs.trust(runId);
    expect((await home.attempt(runId)).outcome).toBe('done');
    expect(home.done).toEqual([]);
    await writeFile(join(there.step('export'), 'model.onnx'), 'exchanged after it was trusted');
    await home.attempt(runId);
    expect(home.done).toEqual(fromExport);
  });
});
