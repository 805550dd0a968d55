import { describe, expect, it } from 'vitest';
import type { StudySpec } from '../../../main/contract/study/study';
import { hostsOf } from '../../../main/studies/plan-trials';
import { rejection } from '../../support/rejection';

const hands = { hostNames: () => Promise.resolve(['gpu1', 'gpu2']) };
const ofHosts = (...names: readonly string[]): StudySpec['strategy'] => ({
  kind: 'matrix',
  trials: names.map((host) => ({
    choice: { preset: 'tft', overrides: { engine: { kind: 'docker', host } } },
    axes: [{ field: 'engine.host', value: host }],
    refusal: null,
  })),
});

describe('hosts of an axis', () => {
  it('are named when they are not known, before anybody is asked to approve them', async () => {
    const refused = await rejection(
      hostsOf(hands, { hosts: null, strategy: ofHosts('gpu1', 'gpu9') }, 'hosts'),
    );
    expect(refused).toMatchObject({
      ...{ code: 'host-unknown', message: 'Unknown host "gpu9"', where: 'host' },
      remedy: 'Known hosts: gpu1, gpu2.',
    });
  });

  it('are no list to spread runs over', async () => {
    expect(await hostsOf(hands, { hosts: null, strategy: ofHosts('gpu1') }, 'hosts')).toBeNull();
  });

  it('are beside a list of hosts, which stays as it is', async () => {
    const strategy = ofHosts('gpu1');
    expect(await hostsOf(hands, { hosts: ['gpu2', 'local'], strategy }, '--hosts')).toEqual([
      'gpu2',
      'local',
    ]);
    expect(await hostsOf(hands, { hosts: ['all'], strategy }, '--hosts')).toEqual(['gpu1', 'gpu2']);
    const refused = await rejection(hostsOf(hands, { hosts: ['gpu7'], strategy }, '--hosts'));
    expect(refused).toMatchObject({ message: 'Unknown host "gpu7"', where: '--hosts' });
  });
});
