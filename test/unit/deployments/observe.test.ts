import { describe, expect, it } from 'vitest';
import type { Deployment } from '../../../main/contract/deployment';
import { addressesOf, notAnswering, unreadable } from '../../../main/deployments/observe';

const now = Date.parse('2026-11-25T10:10:00.000Z');

describe('notAnswering', () => {
  const states = (wanted: boolean, look: Parameters<typeof notAnswering>[1]) =>
    notAnswering({ wanted }, look, now);

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
    expect(at('10.0.0.5').http).toBe('10.0.0.5:1');
    expect(at('fd00::5').http).toBe('[fd00::5]:1');
  });
});
