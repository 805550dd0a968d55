import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeploymentBody } from '../../../main/contract/deployment/deployment';
import { WorkbenchError } from '../../../main/contract/errors';
import { DeploymentStore, type StoredDeployment } from '../../../main/deployments/deployment-store';
import { moveEngine, type MoveParts, recoverMove } from '../../../main/deployments/move-engine';

const home = { kind: 'local' as const, framework: 'pyt' as const };
const other = { ...home, environment: '/opt/other' };
const engines = { to: other, from: home };

let root: string;
let store: DeploymentStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-move-'));
  store = new DeploymentStore(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const begun = (...more: readonly DeploymentBody[]): Promise<StoredDeployment> =>
  store.create(
    { type: 'deployment-created', id: 'vision', engine: home, ports: { http: 1, grpc: 2, metrics: 3 } },
    { type: 'change-begun', what: 'move', engines, pid: process.pid },
    ...more,
  );

/** Tritons that note where they are started. @param fault of an engine, by its environment */
function partsWith(fault: Readonly<Record<string, Error>> = {}): MoveParts & { readonly started: string[] } {
  const started: string[] = [];
  const tritons = {
    stop: (stored: StoredDeployment) => store.append(stored.folder, { type: 'stopped' }),
    start: (stored: StoredDeployment) => {
      const { engine } = stored.deployment;
      const environment = (engine.kind === 'local' ? engine.environment : undefined) ?? 'home';
      started.push(environment);
      const error = fault[environment];
      return error === undefined ? store.append(stored.folder, { type: 'started' }) : Promise.reject(error);
    },
    untilAnswering: () => Promise.resolve(),
    clientOf: () => Promise.resolve({}),
    serverOf: () => ({ reach: (_deployment: unknown, address: string) => Promise.resolve(address) }),
    withLog: (_stored: StoredDeployment, error: unknown) => Promise.resolve(error),
  } as unknown as MoveParts['tritons'];
  return { store, tritons, started };
}

const failed = new WorkbenchError('server-start-failed', 'Triton ended with exit code 1');
const load = async () => (await store.load('vision')).deployment;

describe('a move', () => {
  it('serves with the other engine, which the journal has', async () => {
    const parts = partsWith();
    const { deployment } = await moveEngine(await begun(), parts);
    expect(parts.started).toEqual(['/opt/other']);
    expect(deployment).toMatchObject({ engine: other, wanted: true, change: { outcome: 'ended' } });
  });

  it('serves as before where the other engine does not', async () => {
    const parts = partsWith({ '/opt/other': failed });
    await expect(moveEngine(await begun(), parts)).rejects.toThrow('exit code 1');
    expect(parts.started).toEqual(['/opt/other', 'home']);
    expect(await load()).toMatchObject({ engine: home, wanted: true, change: { outcome: null } });
  });

  it('is completed after a kill where its models answer there, and undone otherwise', async () => {
    const stored = await begun({ type: 'stopped' }, { type: 'engine-changed', engine: other });
    await recoverMove(stored, partsWith());
    expect(await load()).toMatchObject({ engine: other, change: { outcome: 'completed' } });
    await store.remove(stored.folder);
    const again = await begun({ type: 'stopped' }, { type: 'engine-changed', engine: other });
    await recoverMove(again, partsWith({ '/opt/other': failed }));
    expect(await load()).toMatchObject({ engine: home, change: { outcome: 'undone' } });
  });

  it('is undone after a kill before the switch, and waits for an engine that is away', async () => {
    const stored = await begun({ type: 'stopped' });
    const away = new WorkbenchError('host-unreachable', 'the line was cut');
    await expect(recoverMove(stored, partsWith({ home: away }))).rejects.toThrow('the line was cut');
    const parts = partsWith();
    await recoverMove(stored, parts);
    expect(parts.started).toEqual(['home']);
    expect(await load()).toMatchObject({ engine: home, change: { outcome: 'undone' } });
  });
});
