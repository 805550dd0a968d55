import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Look } from '../../../../main/contract/study/search';
import type { Upgraded, UpgradeRequest, UpgradeStrategy } from '../../../../main/contract/study/upgrade';
import type { Core } from '../../../../main/core';
import { programWith, said } from '../../../support/cli-program';
import { runA } from '../../../support/duel';
import { rejection } from '../../../support/rejection';
import { completeState } from '../../../support/run-state';
import { differing, turns, upgraded, upgradeStrategy } from '../../../support/upgraded';

interface Fake {
  readonly known?: Upgraded;
  readonly looks?: readonly Look[];
  readonly change?: Partial<UpgradeStrategy>;
  readonly stop?: 'pause' | 'cancel';
}

const deployment = { id: 'vision', state: 'ready', httpUrl: 'http://127.0.0.1:8000' };

/** A core whose upgrade comes to what is given. */
function coreWith({ known = upgraded(), looks = turns(8), change = {}, stop }: Fake = {}) {
  const requests: UpgradeRequest[] = [];
  const [worked, moved, approved]: [string[], string[], unknown[]] = [[], [], []];
  const upgrade = upgradeStrategy(change);
  const spec = { name: 'next', strategy: { ...upgrade, trials: [] }, hosts: null };
  const core = {
    subscribe: () => () => undefined,
    handlers: {
      'runs.all': () =>
        Promise.resolve({ runs: [{ ...completeState(), runId: runA, name: 'nightly' }], unreadable: [] }),
      'deployments.list': () => Promise.resolve([deployment]),
      'approvals.given': (given: unknown) => {
        approved.push(given);
        return Promise.resolve();
      },
      'upgrades.plan': (request: UpgradeRequest) => {
        requests.push(request);
        return Promise.resolve({ upgrade, spec, notes: ['Load: a note.'] });
      },
      'upgrades.work': ({ stops }: { stops: Record<string, AbortController> }) => {
        worked.push(spec.name);
        if (stop !== undefined) stops[stop]?.abort();
        return Promise.resolve();
      },
      'upgrades.move': ({ name }: { name: string }) => {
        moved.push(name);
        return Promise.resolve(deployment);
      },
      'searches.get': () =>
        Promise.resolve({ name: 'next', spec, upgraded: known, searched: { looks, failed: {} } }),
      'searches.report': () =>
        Promise.resolve({ files: [{ kind: 'html', path: '/home/upgrade.html' }], problem: null }),
    },
  } as unknown as Core;
  return { core, requests, worked, moved, approved };
}

const subject = {
  subject: { kind: 'deployment' as const, id: 'vision', model: 'ocr', version: 1, runId: runA },
};

async function exitOf(core: Core, ...words: readonly string[]): Promise<number> {
  const { codes } = await said(core, 'upgrade', ...words);
  return codes.at(-1) ?? 0;
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-other-triton-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('upgrade', () => {
  it('takes a release, an image and a folder, and records what was named', async () => {
    const { core, requests, approved } = coreWith();
    await said(core, 'upgrade', 'nightly', '--to', '26.07', '--dry-run');
    await said(core, 'upgrade', 'vision', '--to', 'registry.example/triton:2', '--dry-run');
    await said(core, 'upgrade', 'nightly', '--to', folder, '--budget', '1m', '--loads', '1', '--dry-run');
    expect(requests).toEqual([
      { of: { runId: runA }, to: { release: '26.07' } },
      { of: { deployment: 'vision' }, to: { image: 'registry.example/triton:2' } },
      { of: { runId: runA }, to: { environment: folder }, budgetS: 60, loads: 1 },
    ]);
    expect(approved).toMatchObject([
      { typed: { engine: { kind: 'docker', tritonImage: 'registry.example/triton:2' } } },
      { typed: { engine: { kind: 'local', environment: folder } } },
    ]);
  });

  it('says the answer first, and exits as a gate does', async () => {
    const may = coreWith({ known: upgraded({ loadMs: 3100 }) });
    const { text } = await said(may.core, 'upgrade', 'nightly', '--to', '26.07');
    expect(text).toMatch(/Ready to move: throughput .*; loads 3\.1 times slower\./);
    expect(text).toContain('html: /home/upgrade.html');
    expect(await exitOf(may.core, 'nightly', '--to', '26.07')).toBe(0);
    const not = coreWith({ known: { ...upgraded({}, differing()), loads: [] }, looks: [] });
    expect((await said(not.core, 'upgrade', 'nightly', '--to', '26.07')).text).toContain(
      'Do not move: output logits differs by 0.012 at batch 8.',
    );
    expect(await exitOf(not.core, 'nightly', '--to', '26.07')).toBe(3);
    expect(await exitOf(coreWith({ looks: turns(2) }).core, 'nightly', '--to', '26.07')).toBe(4);
    expect(await exitOf(coreWith({ looks: [] }).core, 'nightly', '--to', '26.07')).toBe(1);
    expect(await exitOf(coreWith({ stop: 'cancel' }).core, 'nightly', '--to', '26.07')).toBe(130);
    expect(await exitOf(coreWith({ stop: 'pause' }).core, 'nightly', '--to', '26.07')).toBe(4);
  });

  it('moves a deployment with a yes only, at once or later', async () => {
    const asks = coreWith({ change: subject });
    const { text } = await said(asks.core, 'upgrade', 'vision', '--to', '26.07');
    expect(text).toContain('Nothing was moved. To move it: triton-workbench upgrade --move next');
    expect(asks.moved).toEqual([]);
    const agreed = coreWith({ change: subject });
    const now = await said(agreed.core, 'upgrade', 'vision', '--to', '26.07', '--yes');
    expect(now.text).toContain('vision is ready at http://127.0.0.1:8000.');
    expect(agreed.moved).toEqual(['next']);
    await said(asks.core, 'upgrade', '--move', 'next');
    expect(asks.moved).toEqual(['next']);
    const against = coreWith({ change: subject, known: upgraded({}, differing()) });
    await said(against.core, 'upgrade', 'vision', '--to', '26.07', '--yes');
    expect(against.moved).toEqual([]);
  });

  it('refuses a command line that names nothing to compare', async () => {
    const program = () => programWith({ core: () => Promise.resolve(coreWith().core) });
    for (const [words, message] of [
      [['upgrade'], 'An upgrade needs a run or a deployment'],
      [['upgrade', 'nightly'], 'The target of the upgrade is missing'],
      [['upgrade', 'nightly', '--to', './nowhere-at-all'], 'is not a folder'],
    ] as const) {
      const error = await rejection(program().parseAsync([...words], { from: 'user' }));
      expect(error).toMatchObject({
        code: 'input-invalid',
        message: expect.stringContaining(message) as string,
      });
    }
  });
});
