// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { Alert, AlertRule, ModelSample } from '../../../../../main/contract/monitor/monitor';
import { MonitorHistory } from '../../../../../main/contract/monitor/monitor-history';
import { AlertPanel } from '../../../../../renderer/views/monitor/alert-panel';
import { ModelCharts } from '../../../../../renderer/views/monitor/model-charts';
import { ModelTable } from '../../../../../renderer/views/monitor/model-table';
import { createWorkbench, WorkbenchProvider } from '../../../../../renderer/workbench';
import { model } from '../../../monitor/fixtures';
import { createClientDouble } from '../../client-double';

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
      ...['Model', 'State', 'Requests/s', 'Errors', 'Pending', 'Queue, ms', 'Infer, ms', 'Batch'],
      ...['Probe p50 / p99, ms', 'Actions'],
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
    drawn(<AlertPanel alerts={[]} rules={[one]} models={['echo', 'echo']} />)
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
});

describe('what a server with changing names makes of the page', () => {
  it('50 alerts are drawn, and the number of the others', () => {
    const alerts = Array.from({ length: 1000 }, (_unused, at): Alert => ({
      ...{ ruleId: 'model', subject: `m-${at}/1`, state: 'firing', sinceMs: 0, text: 'failing' },
    }));
    const panel = drawn(<AlertPanel alerts={alerts} rules={[]} models={[]} />);
    expect(panel.querySelectorAll('[data-alert]')).toHaveLength(50);
    expect(panel.body.textContent).toContain('and 950 more alerts');
  });

  it('8 charts of GPUs are drawn at first, and a button for the others', () => {
    const gpus = Array.from({ length: 64 }, (_unused, at) => ({
      ...{ uuid: `GPU-${at}`, utilization: 0.5, memoryUsedBytes: 1, memoryTotalBytes: 2 },
      ...{ powerWatts: 3, powerLimitWatts: 4 },
    }));
    const fixed = { version: 0, model: model(), moreGpus: 100, fromMs: 0, toMs: 60_000 };
    const charts = drawn(<ModelCharts history={new MonitorHistory()} gpus={gpus} {...fixed} />);
    expect(charts.querySelectorAll('[data-chart^="monitor-GPU"]')).toHaveLength(8);
    expect(charts.body.textContent).toContain('and 156 more GPUs');
    expect(charts.body.textContent).toContain('Show 8 more');
  });
});
