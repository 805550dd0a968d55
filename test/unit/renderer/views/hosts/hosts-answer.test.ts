import { expect, it } from 'vitest';
import type { HostStatus } from '../../../../../main/contract/host/hosts';
import { hostsAnswer } from '../../../../../renderer/views/hosts/hosts-answer';
import { localDocker, unreachableDocker } from '../../../machine/preflight-input';

const host = { name: 'gpu1', address: 'ssh://gpu1', at: '2025-11-21T08:17:00.000Z' } as const;
const known = { gpus: null, diskFreeBytes: null, images: null, runs: null, deployments: null } as const;
const whole: HostStatus = { ...host, ...known, reachable: true, docker: localDocker };
const bare: HostStatus = { ...whole, docker: unreachableDocker('absent') };
const away: HostStatus = { ...host, reachable: false, reason: 'timeout', message: '', remedy: '' };
const answerOf = (...statuses: readonly (HostStatus | null)[]) =>
  hostsAnswer(statuses.map((status) => ({ status })));

it('counts the hosts and those that are reached', () => {
  expect(answerOf(whole)).toEqual({ text: '1 host, 1 reachable', tone: 'good' });
  expect(answerOf(whole, away)).toEqual({ text: '2 hosts, 1 reachable', tone: 'warn' });
  expect(answerOf(whole, null)).toEqual({ text: '2 hosts, connecting to 1', tone: 'info' });
});

it('is doubtful where a host that is reached has no Docker', () => {
  expect(answerOf(whole, bare)).toEqual({ text: '2 hosts, 2 reachable, 1 without Docker', tone: 'warn' });
});
