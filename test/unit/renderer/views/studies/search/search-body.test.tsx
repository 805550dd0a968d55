// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Candidate, Look, Searched, SearchStrategy } from '../../../../../../main/contract/study/search';
import type {
  Study,
  StudyDetail,
  StudyState,
  WinnerConfigs,
} from '../../../../../../main/contract/study/study';
import { createRandom } from '../../../../../../main/domain/random';
import { searchAnswer } from '../../../../../../main/domain/study/search/search-answer';
import { searchSummary } from '../../../../../../main/domain/study/search/search-study';
import { detailOf } from '../../../../../../main/domain/study/study-detail';
import { chartThemes } from '../../../../../../renderer/charts/chart-theme';
import { searchChart } from '../../../../../../renderer/views/studies/search/search-chart';
import { StudiesView } from '../../../../../../renderer/views/studies/studies-view';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../../../support/run-state';
import { closed, measure } from '../../../../../support/simulated-search';
import { createClientDouble } from '../../../client-double';
import { mount, type Mounted } from '../../../mounted';

const one: Candidate = {
  ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [] },
  ...{ maxQueueDelayUs: 0, threads: 1 },
};
const search: SearchStrategy = {
  ...{ kind: 'search', runId: 'run-1' },
  candidates: [one, { ...one, instances: 2 }, { ...one, threads: 2 }],
  load: { kind: 'closed', batchSize: 1, concurrency: [4, 8] },
  target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
  ...{ budgetS: 60, lookMs: 1000, fullMs: 3000 },
};
const look = (candidate: number, rate: number, change: Partial<Look> = {}): Look => ({
  ...{ candidate, phase: 'screen', load: { concurrency: 8 }, inferencesPerSecond: rate, seconds: 1 },
  ...{ latencyUs: 10_000, requestCount: 1000, errorCount: 0, meanServerBatch: 2, serverQueueUs: 10 },
  ...change,
});
const confirmed = [1, 2].flatMap((candidate) =>
  [1, 2, 3, 4, 5].map((at) => look(candidate, candidate * 100 + at, { phase: 'confirm' })),
);
const whole: Searched = {
  looks: [look(1, 100), look(2, 200), look(3, 60, { latencyUs: 90_000 }), ...confirmed],
  failed: {},
};
const studyOf = (searched: Searched): Study => ({
  ...{
    name: 'night',
    spec: { name: 'night', strategy: { ...search, trials: [] }, hosts: null },
    error: null,
  },
  ...{ createdAt: '2026-11-28T08:17:00.000Z', updatedAt: '2026-11-28T08:19:00.000Z', isStarted: true },
  ...{ outcome: 'done', trials: {}, searched },
});
const detailFrom = (searched: Searched, state: StudyState = 'done'): StudyDetail => {
  const study = studyOf(searched);
  const summary = searchSummary(study, search, state === 'running');
  return detailOf({ study, summary, results: [] }, Date.parse(study.updatedAt));
};

/** The best configuration as a run. */
const planned = stateOf([
  ...createdBodies(),
  measurementBody('online', pointFixture({ concurrency: 8, inferencesPerSecond: 205, p99Us: 10_000 })),
]);

let shown: Mounted | null = null;
let detail = detailFrom(whole);
let configs: WinnerConfigs;
const checked: WinnerConfigs = {
  runId: 'run-1',
  present: 'instance_group [\n  count: 1\n]\nbackend: "onnxruntime"\n',
  winner: 'instance_group [\n  count: 2\n]\nbackend: "onnxruntime"\n',
};
const { client, calls } = createClientDouble({
  'studies.list': () => [{ ...detail }],
  'studies.get': () => detail,
  'studies.size': () => ({ runIds: [], runBytes: 0 }),
  'searches.configs': () => configs,
  'searches.capacity': () => ({
    ...{ name: 'night', candidate: 2, configuration: 'model instances 2', note: 'Measured by a search.' },
    ...{ state: planned, present: null },
  }),
  'searches.run': () => ({ runId: 'run-1' }),
  'desktop.choosePath': () => ({ path: '/empty' }),
  'desktop.saveText': () => ({ path: '/saved/config.pbtxt' }),
  'runs.bundle': () => ({ path: '/empty' }),
  'deployments.deploy': () => ({ id: 'little', httpUrl: 'http://127.0.0.1:8000', host: null }),
  'deployments.list': () => [],
});
const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function show(of: StudyDetail): Promise<Mounted> {
  detail = of;
  calls.length = 0;
  shown = await mount(client, <StudiesView name={undefined} />);
  await later(50);
  return shown;
}

beforeEach(() => {
  configs = checked;
  vi.useFakeTimers();
});
afterEach(() => {
  shown?.unmount();
  vi.useRealTimers();
});

const textOf = (page: HTMLElement, selector: string): string =>
  page.querySelector(selector)?.textContent ?? '';

describe('the page of a search', () => {
  it('plans a rate with its best configuration where it is asked to', async () => {
    const { page, click, button } = await show(detailFrom(whole));
    expect(calls.some(([name]) => name === 'searches.capacity')).toBe(false);
    await click(button('Plan capacity'));
    await later(50);
    expect(page.textContent).toContain('Configuration 2: model instances 2. Measured by a search.');
    expect(page.textContent).toMatch(/\d replicas on CPUs hold 200 inferences\/s/);
  });

  it('has the answer with its interval first, the present one beside it, and what was not tried', async () => {
    const { page } = await show(detailFrom(whole));
    expect(textOf(page, '.answer')).toMatch(
      /^Model instances 2: 2\d\d\.\d inferences\/s .* × the present configuration \(1\.9\d to \d\.\d\d\)\.$/,
    );
    const figures = [...page.querySelectorAll('.figure')].map((one) => one.textContent);
    expect(figures[0]).toContain('Best configuration');
    expect(figures[1]).toContain('Present configuration');
    expect(textOf(page, '[aria-label="What was not tried"]')).toContain('Not varied: ');
    const changes = page.querySelector('.config-changes');
    expect(changes?.querySelector('del')?.textContent).toBe('-   count: 1\n');
    expect(changes?.querySelector('ins')?.textContent).toBe('+   count: 2\n');
    expect(page.querySelector('[data-helped="configure.instances"] .best th')?.textContent).toBe('★ 2');
    // What only runs have is not there.
    for (const word of ['Offline', 'Accuracy', 'Device', 'Compare', 'Run 1']) {
      expect(page.textContent).not.toContain(word);
    }
  });

  it('sorts its configurations by any column, and back', async () => {
    const { page, click } = await show(detailFrom(whole));
    const order = () =>
      [...page.querySelectorAll('[data-candidate]')].map((row) => row.getAttribute('data-candidate'));
    expect(order()).toEqual(['2', '1', '3']);
    const heading = (title: string) =>
      [...page.querySelectorAll('.sort-head')].find((one) => one.textContent === title) as Element;
    await click(heading('No.'));
    expect(order()).toEqual(['3', '2', '1']);
    await click(heading('No.'));
    expect(order()).toEqual(['1', '2', '3']);
    // The third holds no load: it is last whichever way.
    for (const first of ['2', '1']) {
      await click(heading('Inferences/s'));
      expect(order()).toEqual([first, first === '2' ? '1' : '2', '3']);
    }
  });

  it('runs, deploys, bundles and saves the best configuration, a click each', async () => {
    const { workbench, button, click } = await show(detailFrom(whole));
    await click(button('Bundle…'));
    await click(button('config.pbtxt…'));
    await click(button('Deploy'));
    expect(workbench.route.getState().route).toEqual({ page: 'deployments' });
    await click(button('Run it'));
    expect(workbench.route.getState().route).toEqual({ page: 'run', runId: 'run-1' });
    for (const call of [
      ['runs.bundle', { runId: 'run-1', out: '/empty', search: 'night' }],
      ['desktop.saveText', { fileName: 'config.pbtxt', text: configs.winner }],
      ['deployments.deploy', { runId: 'run-1', search: 'night' }],
      ['searches.run', { name: 'night' }],
    ]) {
      expect(calls).toContainEqual(call);
    }
  });

  it('asks before it serves what nobody checked', async () => {
    configs = { ...checked, unchecked: true };
    const { page, click, button } = await show(detailFrom(whole));
    await click(button('Deploy'));
    expect(page.textContent).toContain('Accuracy not checked. Serve this model anyway?');
    expect(calls.some(([name]) => name === 'deployments.deploy')).toBe(false);
    await click(button('Serve anyway'));
    await click(button('Bundle…'));
    const given = { runId: 'run-1', search: 'night', allowUnverified: true };
    expect(calls).toContainEqual(['deployments.deploy', given]);
    expect(calls).toContainEqual(['runs.bundle', { ...given, out: '/empty' }]);
  });

  it('offers a longer search beside what was not judged, once it has ended', async () => {
    const slow = [1, 2, 3].map((candidate) => look(candidate, 100, { latencyUs: 90_000 }));
    const short: Searched = { looks: slow, failed: {} };
    const { page, workbench, click, button } = await show(detailFrom(short));
    const line = [...page.querySelectorAll('[aria-label="What was not tried"] li')].find((one) =>
      one.textContent.startsWith('Not judged within 60 s under load'),
    );
    expect(line?.querySelector('button')).toBe(button('Search longer…'));
    await click(button('Search longer…'));
    expect(workbench.overlay.getState().searched).toMatchObject({
      ...{ runId: 'run-1', like: { runId: 'run-1', load: 'closed', concurrency: [4, 8], budgetS: 120 } },
    });
    shown?.unmount();
    const judged = await show(detailFrom(whole));
    expect(() => judged.button('Search longer…')).toThrow('no button');
  });

  it('says while it runs what is best so far, and offers nothing of it yet', async () => {
    const { page } = await show(detailFrom({ looks: whole.looks.slice(0, 2), failed: {} }, 'running'));
    expect(textOf(page, '.answer')).toMatch(
      /^Best so far: Model instances 2: .*, at most 58 s of load left\.$/,
    );
    expect(page.textContent).toContain('2 of 60 s of load, 2 of 3 configurations measured; now: full load.');
    expect([...page.querySelectorAll('button')].map((one) => one.textContent)).not.toContain('Run it');
    expect(calls.map(([name]) => name)).not.toContain('searches.configs');
  });

  it('says of one that has no best configuration yet that it has none, and not that none was found', async () => {
    const slow = look(1, 60, { latencyUs: 90_000 });
    const { page } = await show(detailFrom({ looks: [slow], failed: {} }, 'running'));
    expect(textOf(page, '.answer')).toMatch(
      /^No configuration has held a load yet, at most \d+ s of load left\.$/,
    );
    expect(textOf(page, '.figures')).toContain('none yet');
  });

  it('is removed without a word of runs, which it has none of', async () => {
    const { page, button, click } = await show(detailFrom(whole));
    await click(button('Remove…'));
    expect(page.textContent).toContain('Remove night with its reports?');
    expect(page.textContent).not.toContain('0 runs');
  });
});

it('the chart marks the front and both configurations, and keeps far latencies at the edge', () => {
  const chart = searchChart(search, whole, searchAnswer(search, whole), chartThemes.light);
  const named = (name: string) => chart.data.find((trace) => trace.name === name);
  expect(chart.data.map(({ name }) => name)).toEqual([
    ...['Front', 'Load that is held', 'Load that is not held', 'p99 target 20 ms', 'Above the axis'],
    ...['Present configuration', 'Best configuration'],
  ]);
  expect(named('Load that is not held')?.x).toEqual([]);
  expect(named('Above the axis')).toMatchObject({ x: [60], y: [chart.layout.yaxis.range?.[1]] });
  expect(named('Above the axis')?.hovertext?.[0]).toContain('90.0');
});

it('the chart has the predicted loads of the best configuration, and calls them predicted', () => {
  const random = createRandom(1);
  const own = closed.candidates[2] as Candidate;
  const looks = [1, 8, 32].map((concurrency) =>
    measure(own, { candidate: 3, phase: 'edge', load: { concurrency }, ms: 600 }, random),
  );
  const searched = { looks, failed: {} };
  const chart = searchChart(closed, searched, searchAnswer(closed, searched), chartThemes.light);
  const predicted = chart.data.find(({ name }) => name === 'Best configuration: Predicted, not measured');
  expect(predicted).toMatchObject({ mode: 'lines', line: { dash: 'dot' } });
  expect(predicted?.hovertext?.every((text) => text.includes('predicted, not measured'))).toBe(true);
});
