import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addVersion,
  leftModels,
  readConfig,
  requireModelName,
  servingOnly,
  writeCandidate,
  writeConfig,
} from '../../../main/deployments/deployable-run';
import { DeploymentStore } from '../../../main/deployments/deployment-store';
import { tinyConfig } from '../../support/tiny-model';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-deployed-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function made() {
  const ports = { http: 1, grpc: 2, metrics: 3 };
  const engine = { kind: 'local', framework: 'pyt' } as const;
  const store = new DeploymentStore(join(root, 'deployments'));
  const { folder } = await store.create({ type: 'deployment-created', id: 'tiny', engine, ports });
  const from = join(root, 'run', '1');
  await mkdir(join(from, '__pycache__'), { recursive: true });
  await writeFile(join(from, 'model.onnx'), 'weights');
  await writeFile(join(from, '__pycache__', 'model.pyc'), 'byte code');
  return { folder, from };
}

describe('the repository of a deployment', () => {
  it('has the files of a version without byte code, and serves the one that is named', async () => {
    const { folder, from } = await made();
    await addVersion(folder, { from, model: tinyConfig.name, version: 2 });
    await writeConfig(folder, servingOnly(tinyConfig, 2));
    const model = join(folder.repository, tinyConfig.name);
    expect(await readdir(join(model, '2'))).toEqual(['model.onnx']);
    expect((await readConfig(join(model, 'config.pbtxt'))).versionPolicy).toEqual({
      specific: { versions: [2] },
    });
    // What happens to the run later is not to be served.
    await writeFile(join(from, 'model.onnx'), 'changed');
    expect(await readFile(join(model, '2', 'model.onnx'), 'utf8')).toBe('weights');
  });

  it('tries a version out under another name', async () => {
    const { folder, from } = await made();
    await addVersion(folder, { from, model: tinyConfig.name, version: 2 });
    const name = await writeCandidate(folder, tinyConfig, 2);
    expect(await leftModels(folder, {})).toEqual([tinyConfig.name, name]);
    expect((await readConfig(join(folder.repository, name, 'config.pbtxt'))).name).toBe(name);
    expect(await readFile(join(folder.repository, name, '2', 'model.onnx'), 'utf8')).toBe('weights');
  });

  it('takes no link for a file of the model', async () => {
    const { folder, from } = await made();
    await symlink('/etc/hostname', join(from, 'weights.bin'));
    await addVersion(folder, { from, model: tinyConfig.name, version: 2 });
    expect(await readdir(join(folder.repository, tinyConfig.name, '2'))).toEqual(['model.onnx']);
  });

  it('refuses a model name that a candidate would have', () => {
    expect(() => {
      requireModelName('resnet50--candidate');
    }).toThrow(/cannot be deployed/);
    expect(() => {
      requireModelName('resnet50');
    }).not.toThrow();
  });
});
