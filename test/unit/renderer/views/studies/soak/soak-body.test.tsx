// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Study, StudyDetail } from '../../../../../../main/contract/study/study';
import { soakSummary } from '../../../../../../main/domain/study/soak/soak-study';
import { detailOf } from '../../../../../../main/domain/study/study-detail';
import { chartThemes } from '../../../../../../renderer/charts/chart-theme';
import { soakCharts } from '../../../../../../renderer/views/studies/soak/soak-chart';
import { StudiesView } from '../../../../../../renderer/views/studies/studies-view';
import { soaked, soakStrategy } from '../../../../../support/soaked';
import { createClientDouble } from '../../../client-double';
import { mount, type Mounted } from '../../../mounted';

function detailFrom(
  grow: Parameters<typeof soaked>[0],
  isRunning = false,
  criteria: string[] = [],
): StudyDetail {
  const soak = soakStrategy({ criteria });
  const study: Study = {
    ...{ name: 'night', spec: { name: 'night', strategy: { ...soak, trials: [] }, hosts: null } },
    ...{ createdAt: '2026-11-28T08:17:00.000Z', updatedAt: '2026-11-28T08:19:00.000Z', isStarted: true },
    ...{ outcome: isRunning ? null : 'done', error: null, trials: {}, searched: { looks: [], failed: {} } },
    soaked: soaked(grow, isRunning ? { minutes: 12 } : {}),
  };
  const summary = soakSummary(study, soak, isRunning);
  return detailOf({ study, summary, results: [] }, Date.parse(study.updatedAt));
}

let detail = detailFrom({});
let shown: Mounted | null = null;
const { client, calls } = createClientDouble({
  'studies.list': () => [{ ...detail }],
  'studies.get': () => detail,
  'studies.pause': () => null,
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

it('has the answer first, each process, and the load by slice', async () => {
  const page = await show(detailFrom({ stub: 600_000 }, false, ['rss-slope>1MB/h']));
  const answer = page.querySelector<HTMLElement>('.answer');
  expect(answer?.dataset['tone']).toBe('bad');
  expect(answer?.textContent).toMatch(/^The Python stub of ocr grows by 1\.00 MB per 1,000 requests/);
  expect(answer?.textContent).toContain('rss-slope>1MB/h: exceeded, the Python stub of ocr');
  expect(page.querySelectorAll('[aria-label="Processes of night"] tbody tr')).toHaveLength(3);
  expect(page.querySelectorAll('[aria-label="Load of night by slice"] tbody tr')).toHaveLength(4);
  // Nothing is known of GPU memory.
  expect(page.querySelector('[aria-label="Processes of night"] thead')?.textContent).not.toContain('GPU');
  expect([...page.querySelectorAll('button')].some((one) => one.textContent.includes('Compare'))).toBe(false);
});

it('is good where it is flat, and can be paused while it works', async () => {
  const page = await show(detailFrom({}, true));
  expect(page.querySelector<HTMLElement>('.answer')?.dataset['tone']).toBe('good');
  expect(page.querySelector('[aria-label="Load used by night"]')).not.toBeNull();
  expect(page.textContent).toContain('of 20 min 00 s');
  const pause = page.querySelector<HTMLButtonElement>('[aria-label="Pause night"]');
  act(() => pause?.click());
  expect(calls.map(([name]) => name)).toContain('studies.pause');
});

it('draws a line per process, with a gap between two starts of the server, over the same time', () => {
  const one = soaked({ stub: 600_000 });
  const again = one.blocks.map((block) => ({
    ...block,
    life: 2,
    fromMs: block.fromMs + 1.2e6,
    toMs: block.toMs + 1.2e6,
  }));
  const charts = soakCharts({ ...one, blocks: [...one.blocks, ...again] }, chartThemes.dark);
  expect(charts.memory.data.map(({ name }) => name)).toEqual([
    'Triton itself',
    'The Python stub of ocr',
    'The load generator',
  ]);
  const [triton, stub, client] = charts.memory.data;
  expect(Array.from(triton?.y ?? []).filter(Number.isNaN)).toHaveLength(1);
  expect(client?.line?.dash).toBe('dash');
  // From the end of the warm part on: 0.6 MB per minute.
  const last = Number(stub?.y[19]);
  expect(last).toBeGreaterThan(6);
  expect(last).toBeLessThan(12);
  expect(charts.memory.layout['shapes']).toHaveLength(1);
  for (const chart of Object.values(charts)) {
    expect(chart.layout.xaxis.range).toEqual([0, 40]);
  }
  expect(Array.from(charts.p99.data[0]?.y ?? [])).toEqual([12, 12.1, 12.2, 12.3]);
});
