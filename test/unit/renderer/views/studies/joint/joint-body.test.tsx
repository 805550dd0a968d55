// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Study, StudyDetail } from '../../../../../../main/contract/study/study';
import { jointSummary } from '../../../../../../main/domain/study/joint/joint-study';
import { jointTries } from '../../../../../../main/domain/study/joint/joint-tries';
import { detailOf } from '../../../../../../main/domain/study/study-detail';
import { chartThemes } from '../../../../../../renderer/charts/chart-theme';
import { jointChart } from '../../../../../../renderer/views/studies/joint/joint-chart';
import { StudiesView } from '../../../../../../renderer/views/studies/studies-view';
import { joint, searchJoint } from '../../../../../support/simulated-joint';
import { createClientDouble } from '../../../client-double';
import { mount, type Mounted } from '../../../mounted';

const ids = ['20261128-120000-resnet50-aaaaaa', '20261128-120000-bert-bbbbbb'];
const asked = { ...joint, models: joint.models.map((model, at) => ({ ...model, runId: ids[at] ?? '' })) };
const searched = searchJoint(asked, { fault: [6] });

function detailFrom(isRunning: boolean, looks = searched.looks): StudyDetail {
  const study: Study = {
    ...{ name: 'shared', spec: { name: 'shared', strategy: { ...asked, trials: [] }, hosts: null } },
    ...{ createdAt: '2026-11-28T08:17:00.000Z', updatedAt: '2026-11-28T08:19:00.000Z', isStarted: true },
    ...{ outcome: isRunning ? null : 'done', error: null, trials: {}, searched: { ...searched, looks } },
  };
  const summary = jointSummary(study, asked, isRunning);
  return detailOf({ study, summary, results: [] }, Date.parse(study.updatedAt));
}

let detail = detailFrom(false);
let shown: Mounted | null = null;
const configsOf = [
  { runId: ids[0], present: 'count: 1\n', winner: 'count: 4\n' },
  { runId: ids[1], present: 'count: 2\n', winner: 'count: 2\n' },
];
const { client, calls } = createClientDouble({
  'studies.list': () => [{ ...detail }],
  'studies.get': () => detail,
  'studies.size': () => ({ runIds: [], runBytes: 0 }),
  'searches.configs': (input) => configsOf[((input as { model?: number }).model ?? 1) - 1],
  'searches.run': () => ({ runId: ids[0] }),
  'desktop.choosePath': () => ({ path: '/empty' }),
  'desktop.saveText': () => ({ path: '/saved/config.pbtxt' }),
  'runs.bundle': () => ({ path: '/empty' }),
  'deployments.deploy': () => ({ id: 'bert', httpUrl: 'http://127.0.0.1:8000', host: null }),
  'deployments.list': () => [],
});
const named = (name: string) => calls.filter(([call]) => call === name).map(([, input]) => input);
const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function show(of: StudyDetail): Promise<Mounted> {
  detail = of;
  calls.length = 0;
  shown = await mount(client, <StudiesView name={undefined} />);
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

const group = (page: HTMLElement, title: string): HTMLElement => {
  const found = page.querySelector<HTMLElement>(`[aria-label="Best configuration of ${title}"]`);
  if (found === null) throw new Error(title);
  return found;
};
const within = (of: HTMLElement, text: string): HTMLElement => {
  const found = [...of.querySelectorAll('button')].find((one) => one.textContent.trim() === text);
  if (found === undefined) throw new Error(text);
  return found;
};

it('has the answer first, the present ones beside it, every model, every try and what was not tried', async () => {
  const { page } = await show(detailFrom(false));
  expect(page.querySelector('.answer')?.textContent).toMatch(
    /^These 2 models hold their targets together up to 2.53 × the given rates \(2.\d\d × the given rates was not held\), .* resnet limits.*Present configurations: 0.95 × the given rates\.$/,
  );
  expect(page.querySelectorAll('[aria-label="Models of shared"] tbody tr')).toHaveLength(2);
  expect(page.querySelectorAll('[data-candidate]').length).toBe(jointTries(asked, searched).length);
  expect(page.querySelector('tr.best [aria-label]')).toBeNull();
  expect(page.textContent).toContain('Could not be measured: model instances 4 of bert (does not load)');
  expect(page.textContent).toContain('Changes of config.pbtxt: resnet');
  expect(page.textContent).not.toContain('Changes of config.pbtxt: bert');
});

it('each model is run, deployed, bundled and saved by one click, with its configuration of the search', async () => {
  const { page, click, workbench } = await show(detailFrom(false));
  const [resnet, bert] = [group(page, 'resnet'), group(page, 'bert')];
  // The present configuration of this one is the best.
  expect(() => within(bert, 'Run it')).toThrow();
  await click(within(bert, 'Deploy'));
  expect(named('deployments.deploy')).toEqual([{ runId: ids[1], search: 'shared' }]);
  await click(within(resnet, 'Bundle…'));
  expect(named('runs.bundle')).toEqual([{ runId: ids[0], out: '/empty', search: 'shared' }]);
  await click(within(resnet, 'config.pbtxt…'));
  expect(named('desktop.saveText')).toEqual([{ fileName: 'config.pbtxt', text: 'count: 4\n' }]);
  await click(within(resnet, 'Run it'));
  expect(named('searches.run')).toEqual([{ name: 'shared', model: 1 }]);
  expect(workbench.route.getState().route).toEqual({ page: 'run', runId: ids[0] });
});

it('while it runs it has the best so far, the load used and left, and nothing to take yet', async () => {
  const { page } = await show(detailFrom(true, searched.looks.slice(0, 6)));
  expect(page.querySelector('.answer')?.textContent).toMatch(
    /^Best so far: .* \(the limit is not known yet\), .*, at most 5 min of load left\./,
  );
  expect(page.querySelector('[aria-label="Load used by shared"]')).not.toBeNull();
  expect(page.textContent).toContain('12 of 300 s of load');
  expect(page.querySelector('[aria-label^="Best configuration of"]')).toBeNull();
});

it('the chart has the latency of each model of the best set, with another sign where it was not held', () => {
  const chart = jointChart(asked, jointTries(asked, searched), chartThemes.dark);
  const names = chart?.data.map(({ name }) => name) ?? [];
  expect(names).toEqual([
    ...['Other configurations, held', 'Load that was not held'],
    ...['resnet', 'bert', 'Target of each model'],
  ]);
  const { marker, hovertext = [] } = chart?.data.find(({ name }) => name === 'resnet') ?? {};
  const signs = (marker?.symbol ?? []) as readonly string[];
  expect(signs.at(-1)).toBe('x-thin');
  expect(signs[0]).toBe('circle');
  expect(hovertext[0]).toContain('bert: p99');
  expect(jointChart(asked, [], chartThemes.dark)).toBeNull();
});
