// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Study, StudyDetail } from '../../../../../../main/contract/study/study';
import type { Upgraded, UpgradeStrategy } from '../../../../../../main/contract/study/upgrade';
import { detailOf } from '../../../../../../main/domain/study/study-detail';
import { upgradeSummary } from '../../../../../../main/domain/study/upgrade/upgrade-study';
import { StudiesView } from '../../../../../../renderer/views/studies/studies-view';
import { runA } from '../../../../../support/duel';
import { differing, turns, upgraded, upgradeStrategy } from '../../../../../support/upgraded';
import { createClientDouble } from '../../../client-double';
import { mount, type Mounted } from '../../../mounted';

function detailFrom(
  known: Upgraded,
  pairs: number,
  change: Partial<UpgradeStrategy> = {},
  isRunning = false,
): StudyDetail {
  const upgrade = upgradeStrategy(change);
  const study: Study = {
    ...{ name: 'next', spec: { name: 'next', strategy: { ...upgrade, trials: [] }, hosts: null } },
    ...{ createdAt: '2026-11-29T06:00:00.000Z', updatedAt: '2026-11-29T06:03:00.000Z', isStarted: true },
    ...{ outcome: isRunning ? null : 'done', error: null, trials: {} },
    ...{ searched: { looks: turns(pairs), failed: {} }, upgraded: known },
  };
  const summary = upgradeSummary(study, upgrade, isRunning);
  return detailOf({ study, summary, results: [] }, Date.parse(study.updatedAt));
}

const deployment = {
  subject: { kind: 'deployment' as const, id: 'vision', model: 'ocr', version: 1, runId: runA },
};

let detail = detailFrom(upgraded(), 8);
let shown: Mounted | null = null;
const { client, calls } = createClientDouble({
  'studies.list': () => [{ ...detail }],
  'studies.get': () => detail,
  'upgrades.move': () => ({ id: 'vision' }),
});

async function show(of: StudyDetail): Promise<HTMLElement> {
  detail = of;
  calls.length = 0;
  shown = await mount(client, <StudiesView name={undefined} />);
  await act(() => vi.advanceTimersByTimeAsync(50));
  return shown.page;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  shown?.unmount();
  vi.useRealTimers();
});

const answerIn = (page: HTMLElement) => page.querySelector<HTMLElement>('.answer');
const buttonIn = (page: HTMLElement, text: string) =>
  [...page.querySelectorAll('button')].find((one) => one.textContent.startsWith(text));

it('has the answer first, both serving environments, outputs and conditions', async () => {
  const page = await show(detailFrom(upgraded({ loadMs: 3100 }), 8));
  expect(answerIn(page)?.dataset['tone']).toBe('good');
  expect(answerIn(page)?.textContent).toMatch(/^Ready to move: throughput .*; loads 3\.1 times slower/);
  expect(page.querySelectorAll('[aria-label="Serving environments of next"] tbody tr')).toHaveLength(2);
  expect(page.querySelectorAll('[aria-label="Outputs of next"] tbody tr')).toHaveLength(2);
  expect(page.querySelectorAll('[aria-label="Conditions of next"] tbody tr')).toHaveLength(4);
  // Nothing is known of GPU memory; a run serves nobody that could be moved.
  expect(page.querySelector('[aria-label="Serving environments of next"]')?.textContent).not.toContain('GPU');
  expect(buttonIn(page, 'Move')).toBeUndefined();
});

it('is bad where an output differs, which is marked', async () => {
  const page = await show(detailFrom({ ...upgraded({}, differing()), loads: [] }, 0, deployment));
  expect(answerIn(page)?.dataset['tone']).toBe('bad');
  expect(page.querySelectorAll('[aria-label="Outputs of next"] tr.tone-bad')).toHaveLength(1);
  expect(buttonIn(page, 'Move')).toBeUndefined();
});

it('moves the deployment after a question only', async () => {
  const page = await show(detailFrom(upgraded(), 8, deployment));
  act(() => buttonIn(page, 'Move vision')?.click());
  expect(page.textContent).toContain('Switch vision to release 26.07?');
  expect(calls.map(([name]) => name)).not.toContain('upgrades.move');
  await act(async () => {
    buttonIn(page, 'Move')?.click();
    await vi.advanceTimersByTimeAsync(10);
  });
  expect(calls).toContainEqual(['upgrades.move', { name: 'next' }]);
});

it('says what it does while it works', async () => {
  const page = await show(detailFrom({ ...upgraded(), outputs: null, loads: [] }, 0, {}, true));
  expect(page.textContent).toContain('Outputs are compared');
});
