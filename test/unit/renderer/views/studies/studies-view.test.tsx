// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StudyDetail, StudyRow, StudyState } from '../../../../../main/contract/study/study';
import { StartStudy } from '../../../../../renderer/views/studies/start-study';
import { StudiesView } from '../../../../../renderer/views/studies/studies-view';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

const row = (number: number, more: Partial<StudyRow> = {}): StudyRow => ({
  ...{ number, gpu: null, host: null, runId: null, state: 'Not started', status: null },
  axes: [
    { field: 'precision', value: 'fp16' },
    { field: 'configure.instances', value: String(number) },
  ],
  ...{ reason: null, accuracy: null, offline: null, online: null },
  ...more,
});

const study = (state: StudyState, rows: readonly StudyRow[] = [row(1), row(2)]): StudyDetail => ({
  ...{
    name: 'night',
    state,
    interrupted: false,
    isKept: state !== 'damaged',
    rows,
    underWay: [],
    winner: null,
    search: null,
    joint: null,
    error: null,
  },
  ...{ createdAt: '2025-11-21T08:17:00.000Z', updatedAt: '2025-11-21T08:17:00.000Z', secondsLeft: null },
  ...{ runs: rows.length, complete: 0, sentence: `0 of ${rows.length} runs complete` },
});

let shown: Mounted | null = null;
let detail = study('paused');
const { client, calls } = createClientDouble({
  // As over the bridge, each answer is another object.
  'studies.list': () => [{ ...detail }],
  'studies.get': () => detail,
});
const asked = (name: string): number => calls.filter(([call]) => call === name).length;
const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function show(of: StudyDetail, name?: string): Promise<Mounted> {
  detail = of;
  calls.length = 0;
  shown = await mount(client, <StudiesView name={name} />);
  await later(50);
  return shown;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  shown?.unmount();
  vi.useRealTimers();
});

describe('the page of studies', () => {
  it('reads studies again only while one of them runs, and when the list of runs changes', async () => {
    const { workbench } = await show(study('paused'));
    const [lists, details] = [asked('studies.list'), asked('studies.get')];
    await later(20_000);
    expect([asked('studies.list'), asked('studies.get')]).toEqual([lists, details]);
    act(() => workbench.runs.setState({ value: [] }));
    await later(50);
    expect(asked('studies.list')).toBe(lists + 1);
    expect(asked('studies.get')).toBe(details + 1);

    detail = study('running');
    act(() => workbench.runs.setState({ value: [] }));
    await later(50);
    const before = [asked('studies.list'), asked('studies.get')] as const;
    await later(30_000);
    expect(asked('studies.list')).toBeGreaterThan(before[0] + 3);
    expect(asked('studies.get')).toBeGreaterThan(before[1] + 10);

    detail = study('done');
    await later(10_000);
    const after = [asked('studies.list'), asked('studies.get')];
    await later(20_000);
    expect([asked('studies.list'), asked('studies.get')]).toEqual(after);
    expect(shown?.page.textContent).toContain('Done');
  });

  it('names the fields in which the runs differ, and marks figures that are not steady', async () => {
    const level = { inferencesPerSecond: 120, p99Us: 2000, text: 'batch size 8' };
    const { page } = await show(
      study('paused', [
        row(1, { offline: { ...level, steady: true } }),
        row(2, { runId: '20251121-081700-resnet50', offline: { ...level, steady: false } }),
      ]),
    );
    expect(page.querySelector('.study-runs th')?.textContent).toBe('Run: Precision, Model instances');
    const [first, second] = [...page.querySelectorAll('tr[data-trial]')].map((one) => one.textContent);
    expect(first).toContain('1. fp16, 1');
    expect(first).not.toContain('Not steady');
    expect(second).toContain('Not steady');
  });

  it('shows no other study in place of one that was removed', async () => {
    const { page } = await show(study('done'), 'gone');
    expect(page.querySelector('[role="status"]')?.textContent).toContain('There is no study gone.');
    expect(page.querySelector('[data-study-state]')).toBeNull();
    shown?.unmount();
    const named = await show(study('done'), 'night');
    expect(named.page.querySelector('[data-study-state]')?.textContent).toBe('Done');
  });

  it('answers with the best of a matrix, and then how many runs are complete', async () => {
    const sentence =
      'No clear best of 2 runs: model instances 2 has 1,800 inferences/s, but model instances 1 does not differ.';
    const rows = [row(1, { host: 'hall-4' }), row(2)];
    const { page } = await show({ ...study('done', rows), best: { sentence, isClear: false } });
    expect(page.querySelector('.answer-text')?.textContent).toBe(sentence);
    expect(page.querySelector('.answer')?.getAttribute('data-tone')).toBe('warn');
    expect(page.querySelector('.answer')?.textContent).toContain('0 of 2 runs complete.');
    expect(page.querySelector('.study-runs')?.textContent).toContain('GPU, host');
    shown?.unmount();
    const clear = await show({
      ...study('done', rows),
      best: { sentence: 'Best of 2 runs: a.', isClear: true },
    });
    expect(clear.page.querySelector('.answer')?.getAttribute('data-tone')).toBe('good');
  });

  it('says why a study failed as a whole', async () => {
    const error = { code: 'docker-unreachable' as const, message: 'Cannot connect to the Docker daemon' };
    const { page } = await show({ ...study('failed'), error });
    expect(page.querySelector('[role="alert"]')?.textContent).toContain(error.message);
  });

  it('shows a damaged study, which can be removed and not continued', async () => {
    const { page } = await show(study('damaged', []));
    expect(page.querySelector('[data-study-state]')?.textContent).toBe('Damaged');
    expect(page.textContent).toContain('Its journal is damaged: it can be removed, not continued.');
    expect([...page.querySelectorAll('button')].map((one) => one.textContent)).toContain('Remove');
    expect(page.textContent).not.toContain('Resume');
    expect(page.querySelector('.study-runs')).toBeNull();
  });
});

describe('a plan of runs', () => {
  const spec = { name: 'night', strategy: { kind: 'matrix', trials: [] }, hosts: null };
  const planned = createClientDouble({
    'studies.plan': () => ({ runs: [{ number: 1, axes: [], leftOut: null }], notes: [], seconds: null }),
  });
  const buttons = () => [...(shown?.page.querySelectorAll('button') ?? [])];

  it('leads back to the fields that it was made from', async () => {
    const onBack = vi.fn();
    shown = await mount(planned.client, <StartStudy spec={spec} onStarted={vi.fn()} onBack={onBack} />);
    await later(50);
    act(() =>
      buttons()
        .find((one) => one.textContent === 'Change the fields')
        ?.click(),
    );
    expect(onBack).toHaveBeenCalledOnce();
  });

  it('of a file has no fields to go back to', async () => {
    shown = await mount(planned.client, <StartStudy spec={spec} onStarted={vi.fn()} />);
    await later(50);
    expect(buttons().map((one) => one.textContent)).toEqual(['Start 1 run']);
  });
});
