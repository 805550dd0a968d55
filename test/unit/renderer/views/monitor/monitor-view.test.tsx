// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { act, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type {
  Alert,
  AlertRule,
  ModelSample,
  MonitorState,
  RecordingInfo,
} from '../../../../../main/contract/monitor/monitor';
import { MonitorHistory } from '../../../../../main/contract/monitor/monitor-history';
import { AlertPanel, FiringAlerts } from '../../../../../renderer/views/monitor/alert-panel';
import { ModelCharts } from '../../../../../renderer/views/monitor/model-charts';
import { ModelTable } from '../../../../../renderer/views/monitor/model-table';
import { alertSince } from '../../../../../renderer/views/monitor/monitor-text';
import { NowStrip } from '../../../../../renderer/views/monitor/now-strip';
import { NoProbes } from '../../../../../renderer/views/monitor/probe-control';
import { RecordingsList } from '../../../../../renderer/views/monitor/recordings-list';
import { createWorkbench, WorkbenchProvider } from '../../../../../renderer/workbench';
import { model, sample } from '../../../monitor/fixtures';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';
import { monitorStateFixture } from '../../window-fixtures';

function drawn(element: ReactElement): Document {
  const { client } = createClientDouble({});
  const page = (
    <MantineProvider>
      <WorkbenchProvider value={createWorkbench(client, sessionStorage)}>{element}</WorkbenchProvider>
    </MantineProvider>
  );
  return new DOMParser().parseFromString(renderToStaticMarkup(page), 'text/html');
}

describe('the table of models', () => {
  function pageOf(models: readonly ModelSample[]): Document {
    const ignore = () => undefined;
    return drawn(
      <ModelTable
        models={models}
        more={0}
        server="localhost:8000"
        selected={null}
        why={null}
        onSelect={ignore}
        onConfig={ignore}
      />,
    );
  }
  function under(heading: string, ...models: readonly ModelSample[]): string[] {
    const page = pageOf(models);
    const at = [...page.querySelectorAll('th')].findIndex((cell) => cell.textContent === heading);
    return [...page.querySelectorAll('tbody tr')].map((row) => row.children[at]?.textContent ?? '');
  }

  it('names its columns, and says of each figure what it is', () => {
    const cells = [...pageOf([model()]).querySelectorAll('th')];
    expect(cells.map((cell) => cell.textContent)).toEqual([
      ...['Model', 'State', 'Requests/s', 'Errors', 'Pending', 'Queue (ms)', 'Infer (ms)', 'Batch'],
      ...['Probe p50 / p99 (ms)', 'Actions'],
    ]);
    expect(cells.slice(2, -1).map(({ title }) => title)).not.toContain('');
  });

  it('has the requests that wait, and – where the metrics do not say', () => {
    const models = [model({ pending: 1234 }), model({ name: 'other', pending: null })];
    expect(under('Pending', ...models)).toEqual(['1,234', '–']);
  });

  it('has cache hits only of a model that has some', () => {
    const known = model();
    const rates = known.rates === null ? null : { ...known.rates, cacheHitShare: 0.925 };
    expect(under('Requests/s', model({ rates }), model())).toEqual(['10.00cache 92.5 %', '10.00']);
  });
});

describe('the table of thousands of models', () => {
  function tableOf(count: number, more: number): Element | null {
    const ignore = () => undefined;
    const models = Array.from({ length: count }, (_unused, at) => model({ name: `m-${at}` }));
    const fixed = { server: 'localhost:8000', selected: null, why: null, onSelect: ignore, onConfig: ignore };
    return drawn(<ModelTable models={models} more={more} {...fixed} />).querySelector('section');
  }

  it('has 100 rows at first, a button for the others, and how many are not monitored', () => {
    const table = tableOf(103, 15_904);
    expect(table?.querySelectorAll('tbody tr')).toHaveLength(100);
    expect(table?.textContent).toContain('and 3 more models');
    expect(table?.textContent).toContain('Show 3 more');
    expect(table?.textContent).toContain('and 15,904 more models not monitored; the limit is 4,096');
  });

  it('says nothing of more where everything is shown', () => {
    expect(tableOf(3, 0)?.textContent).not.toContain(' more');
  });
});

describe('the rules of the alerts', () => {
  const rule: AlertRule = {
    id: 'q',
    metric: 'queue-ms',
    model: '',
    above: 5,
    forSeconds: 10,
    enabled: true,
  };
  const modelOf = (one: AlertRule) =>
    drawn(<AlertPanel alerts={[]} rules={[one]} models={['echo', 'echo']} nowMs={0} />)
      .querySelector('input[aria-label$=": model"]')
      ?.getAttribute('value');

  it('are of all models or of one, also of one that is not seen', () => {
    expect(modelOf(rule)).toBe('All models');
    expect(modelOf({ ...rule, model: 'echo' })).toBe('echo');
    expect(modelOf({ ...rule, model: 'gone' })).toBe('gone');
  });

  it('have no model where the server is watched', () => {
    expect(modelOf({ ...rule, metric: 'server' })).toBeUndefined();
  });

  it('keep a change that a second one follows before it is answered', async () => {
    const asked: (readonly AlertRule[])[] = [];
    const { client } = createClientDouble({
      'monitor.setRules': (input) => {
        asked.push((input as { readonly rules: readonly AlertRule[] }).rules);
        return new Promise<null>(() => undefined);
      },
    });
    const rules = [
      { ...rule, id: 'a' },
      { ...rule, id: 'b' },
    ];
    const panel = <AlertPanel alerts={[]} rules={rules} models={[]} nowMs={0} />;
    const { page, unmount } = await mount(client, panel);
    const removes = [...page.querySelectorAll<HTMLElement>('button[aria-label^="Remove rule"]')];
    for (const remove of removes) act(() => remove.click());
    expect(asked.map((one) => one.map(({ id }) => id))).toEqual([['b'], []]);
    unmount();
  });
});

it('an alert says since when and for how long, a resolved one since when it is over', () => {
  const nowMs = new Date(2026, 0, 5, 12, 3, 30).getTime();
  const sinceMs = new Date(2026, 0, 5, 12, 0, 20).getTime();
  expect(alertSince({ state: 'firing', sinceMs }, nowMs)).toBe('for 3 min, since 12:00:20');
  expect(alertSince({ state: 'pending', sinceMs: nowMs - 4000 }, nowMs)).toBe('for 4 s, since 12:03:26');
  expect(alertSince({ state: 'resolved', sinceMs }, nowMs)).toBe('3 min ago, at 12:00:20');
  const before = new Date(2026, 0, 3, 9, 15).getTime();
  expect(alertSince({ state: 'firing', sinceMs: before }, nowMs)).toMatch(/^for 2 d, since 03 Jan, 09:15$/);
});

it('alerts that fire are at the top of the page, three of them, and nothing is there without one', () => {
  const alert = (at: number, state: Alert['state'] = 'firing'): Alert => ({
    ...{ ruleId: 'model', subject: `m-${at}/1`, state, sinceMs: 0, text: 'failing' },
  });
  const shown = (...alerts: readonly Alert[]) =>
    drawn(<FiringAlerts alerts={alerts} nowMs={90_000} />).querySelector('[aria-label="Firing alerts"]');
  expect(shown(alert(0, 'pending'), alert(1, 'resolved'))).toBeNull();
  const list = shown(...[0, 1, 2, 3, 4].map((at) => alert(at)));
  expect(list?.querySelectorAll('[data-alert="firing"]')).toHaveLength(3);
  expect(list?.textContent).toContain('m-0/1 failingfor 1 min, since');
  expect(list?.lastElementChild?.textContent).toBe('and 2 more alerts');
});

describe('the model now', () => {
  const probe = {
    count: 120,
    failures: 2,
    p50Us: 5000,
    p95Us: 6000,
    p99Us: 81_100,
    sendP99Us: 1,
    worstUs: 1,
  };
  const limit: AlertRule = {
    ...{ id: 'p', metric: 'probe-p99-ms', model: 'echo', above: 50, forSeconds: 1, enabled: true },
  };
  const state = { rules: [limit], probe: null };
  const values = (page: Document): string[] =>
    [...page.querySelectorAll('.now-value')].map((value) => value.textContent.trim());

  it('has rate, p99 with its count and limit, errors and queue', () => {
    const page = drawn(<NowStrip model={model({ probe, pending: 3 })} state={state} />);
    expect(values(page)).toEqual(['10.00 requests/s', '81.10 ms', '0.0 %', '0.100 ms']);
    expect(page.body.textContent).toContain('of 120 probes in the last minute, 2 failed · limit 50 ms');
    expect(page.body.textContent).toContain('mean per request · 3 pending');
    expect(page.querySelector('.now-value.tone-bad')?.textContent).toContain('81.10');
  });

  it('says that there are no probes, and no more than the counters say', () => {
    const page = drawn(<NowStrip model={model({ rates: null, pending: null })} state={state} />);
    expect(values(page)).toEqual(['– requests/s', '– ms', '–', '– ms']);
    expect(page.body.textContent).toContain('no probes are sent');
    expect(page.querySelector('.tone-bad')).toBeNull();
    const settings = { model: 'echo', version: '', perSecond: 2, input: 'zero', shapes: {} } as const;
    const asked = drawn(<NowStrip model={model()} state={{ ...state, probe: settings }} />);
    expect(asked.body.textContent).toContain('no probe answered yet');
  });
});

describe('the chart of probes', () => {
  const url = 'http://localhost:8000';
  const empty = (state: MonitorState, live = true) =>
    drawn(<NoProbes model={model()} state={state} live={live} />).body.textContent;

  it('offers them while there are none, and says what keeps them away', () => {
    expect(empty(monitorStateFixture(url))).toContain('Start probes');
    const settings = { model: 'echo', version: '', perSecond: 2, input: 'zero', shapes: {} } as const;
    const asked = monitorStateFixture(url, { probe: settings });
    expect(empty(asked)).toBe('Waiting for the first probe.');
    expect(empty({ ...asked, probeProblem: 'echo has an input of text' })).toBe('echo has an input of text');
    expect(empty(monitorStateFixture(url), false)).toBe('No probes in this time range.');
  });

  it('is drawn once there is a value', () => {
    const history = new MonitorHistory();
    const range = { fromMs: 0, toMs: 60_000, chosenMs: 60_000 };
    const fixed = { version: 0, gpus: [], moreGpus: 0, ...range, noProbes: 'offer' };
    const text = (): string =>
      drawn(<ModelCharts history={history} model={model()} {...fixed} />).body.innerHTML;
    expect(text()).toContain('offer');
    const figures = { ...probe(), worstUs: 1 };
    history.add(sample(1000, { models: [model({ probe: figures })] }));
    expect(text()).not.toContain('offer');
  });
});

const probe = () => ({ count: 1, failures: 0, p50Us: 1, p95Us: 1, p99Us: 1, sendP99Us: 1 });

describe('recordings', () => {
  const recording = (file: string, url: string | null): RecordingInfo => ({
    ...{ file, sizeBytes: 2048, url, changedAt: '2026-01-05T12:30:00.000Z' },
    startedAt: url === null ? null : '2026-01-05T12:00:00.000Z',
  });
  const all = [
    recording('monitor-a-2.jsonl', 'http://a:8000'),
    recording('monitor-b-1.jsonl', 'http://b:8000'),
    recording('monitor-x.jsonl', null),
  ];
  const shown = async (asked: string, server?: string) => {
    const { client, calls } = createClientDouble({
      'monitor.recordings': () => all,
      'monitor.replay': () => null,
    });
    const list = <RecordingsList asked={asked} {...(server === undefined ? {} : { server })} />;
    const mounted = await mount(client, list);
    await act(async () => Promise.resolve());
    return { ...mounted, calls };
  };
  const rows = (page: HTMLElement): (string | null)[] =>
    [...page.querySelectorAll('tbody tr')].map((row) => row.children[0]?.textContent ?? null);

  it('are listed with server, start and length, and opened from there', async () => {
    const { page, click, button, calls, unmount } = await shown('');
    expect(rows(page)).toEqual(['a:8000', 'b:8000', 'unknown server']);
    expect(page.querySelector('tbody tr')?.textContent).toContain('30 min');
    await click(button('Replay monitor-b-1.jsonl'));
    expect(calls).toContainEqual(['monitor.replay', { file: 'monitor-b-1.jsonl', speed: 0 }]);
    unmount();
  });

  it('beside a server that is watched are those of this server', async () => {
    const { page, unmount } = await shown('', 'b:8000');
    expect(page.textContent).toContain('Earlier recordings of this server');
    expect(rows(page)).toEqual(['b:8000']);
    unmount();
    const none = await shown('/home/recordings/monitor-b-1.jsonl', 'b:8000');
    expect(none.page.querySelector('section')).toBeNull();
    none.unmount();
  });
});

describe('what a server with changing names makes of the page', () => {
  it('50 alerts are drawn, and the number of the others', () => {
    const alerts = Array.from({ length: 1000 }, (_unused, at): Alert => ({
      ...{ ruleId: 'model', subject: `m-${at}/1`, state: 'firing', sinceMs: 0, text: 'failing' },
    }));
    const panel = drawn(<AlertPanel alerts={alerts} rules={[]} models={[]} nowMs={0} />);
    expect(panel.querySelectorAll('[data-alert]')).toHaveLength(50);
    expect(panel.body.textContent).toContain('and 950 more alerts');
  });

  it('8 charts of GPUs are drawn at first, and a button for the others', () => {
    const gpus = Array.from({ length: 64 }, (_unused, at) => ({
      ...{ uuid: `GPU-${at}`, utilization: 0.5, memoryUsedBytes: 1, memoryTotalBytes: 2 },
      ...{ powerWatts: 3, powerLimitWatts: 4 },
    }));
    const range = { fromMs: 0, toMs: 60_000, chosenMs: 60_000 };
    const fixed = { version: 0, model: model(), moreGpus: 100, ...range };
    const charts = drawn(<ModelCharts history={new MonitorHistory()} gpus={gpus} {...fixed} />);
    expect(charts.querySelectorAll('[data-chart^="monitor-GPU"]')).toHaveLength(8);
    expect(charts.body.textContent).toContain('and 156 more GPUs');
    expect(charts.body.textContent).toContain('Show 8 more');
  });
});
