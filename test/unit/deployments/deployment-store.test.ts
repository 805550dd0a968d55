import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeploymentBody } from '../../../main/contract/deployment/deployment';
import { DeploymentStore } from '../../../main/deployments/deployment-store';
import { rejection } from '../../support/rejection';

const body = (id: string): DeploymentBody & { readonly type: 'deployment-created' } => ({
  type: 'deployment-created',
  id,
  engine: { kind: 'local', framework: 'pyt' },
  ports: { http: 8000, grpc: 8001, metrics: 8002 },
});

let root: string;
let store: DeploymentStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-deployments-'));
  store = new DeploymentStore(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('DeploymentStore', () => {
  it('reads back what was written, in order', async () => {
    const { folder } = await store.create(body('resnet50'));
    await store.append(folder, { type: 'started' });
    await store.append(folder, { type: 'stopped' }, { type: 'started' });
    const { deployment } = await store.load('resnet50');
    expect(deployment).toMatchObject({ id: 'resnet50', wanted: true });
    const lines = (await readFile(folder.journal, 'utf8')).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 2, 3, 4]);
    expect(await store.ids()).toEqual(['resnet50']);
  });

  it('passes over half a line and goes on behind it', async () => {
    const { folder } = await store.create(body('resnet50'));
    await store.append(folder, { type: 'started' });
    await appendFile(folder.journal, '{"seq":3,"at":"2026-11-25T10:0');
    expect((await store.load('resnet50')).deployment.wanted).toBe(true);
    await store.append(folder, { type: 'stopped' });
    expect((await store.load('resnet50')).deployment.wanted).toBe(false);
  });

  it('passes over a line that was changed', async () => {
    const { folder } = await store.create(body('resnet50'));
    await store.append(folder, { type: 'stopped' });
    const text = await readFile(folder.journal, 'utf8');
    await writeFile(folder.journal, text.replace('"stopped"', '"started"'));
    expect((await store.load('resnet50')).deployment.wanted).toBe(false);
  });

  it('refuses a name that is taken, one that is a path, and a folder without a journal', async () => {
    await store.create(body('resnet50'));
    expect(await rejection(store.create(body('resnet50')))).toMatchObject({ code: 'input-invalid' });
    expect(await rejection(store.load('../resnet50'))).toMatchObject({ code: 'deployment-unknown' });
    const held = store.hold('../resnet50', () => Promise.resolve());
    expect(await rejection(held)).toMatchObject({ code: 'input-invalid', where: 'name' });
    expect(await rejection(store.load('tft'))).toMatchObject({ code: 'deployment-unknown' });
    await writeFile((await store.load('resnet50')).folder.journal, '');
    expect(await rejection(store.load('resnet50'))).toMatchObject({ code: 'journal-corrupt' });
  });

  it('lets one change be made at a time', async () => {
    await store.create(body('resnet50'));
    const inner = await store.hold('resnet50', () =>
      rejection(store.hold('resnet50', () => Promise.resolve())),
    );
    expect(inner).toMatchObject({ code: 'deployment-busy' });
    expect(await store.hold('resnet50', () => Promise.resolve('free again'))).toBe('free again');
  });

  it('removes all of it', async () => {
    const { folder } = await store.create(body('resnet50'));
    await store.remove(folder);
    expect(await store.ids()).toEqual([]);
    await store.create(body('resnet50'));
  });
});
