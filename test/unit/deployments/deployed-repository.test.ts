import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  isPlaced,
  keepRepository,
  linkRepository,
  servedNames,
} from '../../../main/deployments/deployed-repository';
import { DeploymentStore } from '../../../main/deployments/deployment-store';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-deployed-repository-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const version = (number: number) => ({
  ...({ model: 'whole', version: number, runId: 'a-run', format: 'repository', precision: 'as-is' } as const),
  repository: { version: 3, models: ['whole', 'part'], with: [] },
});

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function made() {
  const ports = { http: 1, grpc: 2, metrics: 3 };
  const engine = { kind: 'local', framework: 'pyt', asIs: true } as const;
  const store = new DeploymentStore(join(root, 'deployments'));
  const { folder } = await store.create({ type: 'deployment-created', id: 'whole', engine, ports });
  await mkdir(join(root, 'run', 'whole', '3'), { recursive: true });
  await put('run/whole/config.pbtxt', 'name: "whole"  # kept\n');
  await put('run/whole/labels.txt', 'cat\n');
  await put('run/part/3/model.py', 'code');
  await put('run/part/3/__pycache__/model.pyc', 'byte code');
  await put('run/beside/1/model.py', 'of another');
  await symlink('/etc/hostname', join(root, 'run', 'part', '3', 'weights.bin'));
  return folder;
}

it('has the models of a version with the empty folders of their versions, without byte code and links', async () => {
  const folder = await made();
  await keepRepository(folder, version(1), { folder: join(root, 'run') });
  await linkRepository(folder, version(1), folder.repository);
  expect((await readdir(folder.repository, { recursive: true })).sort()).toEqual(
    [
      'part',
      'part/3',
      'part/3/model.py',
      'whole',
      'whole/3',
      'whole/config.pbtxt',
      'whole/labels.txt',
    ].sort(),
  );
  expect(await readFile(join(folder.repository, 'whole', 'config.pbtxt'), 'utf8')).toBe(
    'name: "whole"  # kept\n',
  );
  // No part of a model is left beside it.
  expect((await readdir(folder.dir)).sort()).toEqual(['journal.jsonl', 'models', 'versions']);
});

it('knows which version is placed, where two have the same number in Triton', async () => {
  const folder = await made();
  await keepRepository(folder, version(1), { folder: join(root, 'run') });
  await keepRepository(folder, version(2), {
    folder: join(root, 'run'),
    config: { model: 'whole', text: 'name: "whole"\n' },
  });
  expect(await isPlaced(folder, version(1))).toBe(false);
  await linkRepository(folder, version(1), folder.repository);
  expect([await isPlaced(folder, version(1)), await isPlaced(folder, version(2))]).toEqual([true, false]);
  await linkRepository(folder, version(2), folder.repository);
  expect([await isPlaced(folder, version(1)), await isPlaced(folder, version(2))]).toEqual([false, true]);
  // Python writes byte code there while it serves.
  await mkdir(join(folder.repository, 'part', '3', '__pycache__'));
  await writeFile(join(folder.repository, 'part', '3', '__pycache__', 'model.pyc'), 'new');
  expect(await isPlaced(folder, version(2))).toBe(true);
  await rm(join(folder.repository, 'whole', 'labels.txt'));
  expect(await isPlaced(folder, version(2))).toBe(false);
});

it('serves the models that active versions need, and not those of the previous version', () => {
  const active = {
    ...version(2),
    checkedSamples: 0,
    repository: { ...version(2).repository, models: ['whole'] },
  };
  const previous = { ...version(1), checkedSamples: 0 };
  expect([...servedNames({ whole: { active, previous, lastVersion: 2 } })]).toEqual(['whole']);
});
