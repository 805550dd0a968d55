import { describe, expect, it } from 'vitest';
import type { DeployedVersion, Deployment } from '../../../main/contract/deployment/deployment';
import { WorkbenchError } from '../../../main/contract/errors';
import { addressesOf, notAnswering, observe, unreadable } from '../../../main/deployments/observe';
import type { ServerStatus } from '../../../main/engine/engine';

const now = Date.parse('2026-11-25T10:10:00.000Z');

describe('notAnswering', () => {
  const states = (wanted: boolean, status: Parameters<typeof notAnswering>[1]) =>
    notAnswering({ wanted, engine: { kind: 'local', framework: 'pyt' } }, status, now);

  it('tells a start from a server that hangs, by the time since it was started', () => {
    expect(states(true, { kind: 'running', since: '2026-11-25T10:09:00.000Z' }).state).toBe('starting');
    expect(states(true, { kind: 'running', since: '2026-11-25T10:00:00.000Z' }).state).toBe('failed');
    expect(states(true, { kind: 'running', since: null }).state).toBe('failed');
  });

  it('says why one that should serve does not, and nothing of one that need not', () => {
    expect(states(true, { kind: 'failed', reason: 'gone' })).toEqual({ state: 'failed', reason: 'gone' });
    expect(states(true, { kind: 'unknown', reason: 'no engine' }).state).toBe('failed');
    expect(states(false, { kind: 'failed', reason: 'gone' })).toEqual({ state: 'stopped', reason: null });
    expect(states(true, { kind: 'stopped', reason: 'by hand' })).toEqual({
      state: 'stopped',
      reason: 'by hand',
    });
    expect(states(false, { kind: 'stopped', reason: 'by hand' })).toEqual({ state: 'stopped', reason: null });
  });
});

describe('a deployment on a host', () => {
  const engine = {
    ...{ kind: 'docker' as const, host: 'gpu1', imageId: 'sha256:1', image: 'triton', builtHere: true },
    ...{ gpus: [], shmSizeMiB: 64, listen: '127.0.0.1' },
  };
  const ports = { http: 8000, grpc: 8001, metrics: 8002 };
  const deployment: Deployment = {
    ...{ id: 'a', createdAt: '', engine, ports, models: {}, wanted: true, startedAt: null, process: null },
    change: null,
  };
  const folder = { dir: '/d', repository: '/d/models', log: '/d/log', journal: '/d/j', kept: () => '/d/k' };
  const away = () => Promise.reject(new WorkbenchError('host-unreachable', 'the line was cut'));
  const unused = () => Promise.reject(new Error('not asked for'));
  const server = {
    ...{ start: unused, stop: unused, remove: unused, log: unused, busyPorts: unused, sync: unused },
    readProcesses: unused,
    traces: () => ({ list: unused, take: unused }),
    readStatus: (): Promise<ServerStatus> => Promise.resolve({ kind: 'running', since: null }),
    reach: (): Promise<string> => Promise.resolve('127.0.0.1:1'),
  };
  const seen = (change: Partial<typeof server>, wanted = true, models: Deployment['models'] = {}) =>
    observe(
      { deployment: { ...deployment, wanted, models }, folder },
      { ...server, ...change },
      { work: null, isInterrupted: false, now },
    );

  it('says what a replica holds of the version that a search found, and of no other', async () => {
    const about = { model: 'm', runId: 'run', format: 'onnx', precision: 'fp32', checkedSamples: 8 } as const;
    const promised = {
      ...{ search: 'night', text: '212.0 requests/s within p99 20.00 ms', requestsPerSecond: 212 },
      ...{ inferencesPerSecond: 212, percentile: 99, latencyUs: 20_000, confirmed: true },
    };
    const found = { ...about, version: 1, promised };
    const other = { ...about, version: 2 };
    const models = async (active: DeployedVersion, previous: DeployedVersion | null) =>
      (await seen({}, true, { m: { active, previous, lastVersion: 2 } })).models.map((one) => one.promised);
    expect(await models(found, null)).toEqual([promised]);
    expect(await models(other, found)).toEqual([undefined]);
  });

  it('is unknown while its host is away, never stopped', async () => {
    const info = await seen({ readStatus: away });
    expect(info).toMatchObject({ state: 'unknown', host: 'gpu1', httpUrl: 'http://127.0.0.1:8000' });
    expect(info.reason).toBe('The host gpu1 is not reachable: the line was cut');
    expect((await seen({ readStatus: away }, false)).state).toBe('unknown');
  });

  it('is unknown where only the way to its ports is cut, and failed where nobody listens on them', async () => {
    expect((await seen({ reach: away })).state).toBe('unknown');
    expect((await seen({})).state).toBe('failed');
  });

  it('is stopped where its engine says so', async () => {
    const readStatus = () => Promise.resolve({ kind: 'stopped' as const, reason: 'by hand' });
    expect((await seen({ readStatus, reach: unused }, false)).state).toBe('stopped');
  });
});

describe('unreadable', () => {
  it('is listed with its reason, and claims nothing else', () => {
    expect(unreadable('tft', new Error('the journal is gone'))).toMatchObject({
      ...{ id: 'tft', state: 'failed', reason: 'the journal is gone', engine: null, models: [] },
    });
  });
});

describe('addressesOf', () => {
  const at = (listen: string) =>
    addressesOf({
      engine: {
        ...{ kind: 'docker', imageId: '', image: '', builtHere: false, gpus: [], shmSizeMiB: 1, listen },
      },
      ports: { http: 1, grpc: 2, metrics: 3 },
    } as unknown as Deployment);

  it('is an address that can be asked, also where all are listened on', () => {
    expect(at('0.0.0.0')).toEqual({ http: '127.0.0.1:1', grpc: '127.0.0.1:2', metrics: '127.0.0.1:3' });
    // Where all of IPv6 is listened on, that of IPv4 need not answer.
    expect(at('::').http).toBe('[::1]:1');
    expect(at('10.0.0.5').http).toBe('10.0.0.5:1');
    expect(at('fd00::5').http).toBe('[fd00::5]:1');
  });
});
