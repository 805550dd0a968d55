// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { AlertRule, ModelSample } from '../../../main/contract/monitor';
import { AlertPanel } from '../../../renderer/views/monitor/alert-panel';
import { ModelTable } from '../../../renderer/views/monitor/model-table';
import { createWorkbench, WorkbenchProvider } from '../../../renderer/workbench';
import { model } from '../monitor/fixtures';
import { createClientDouble } from './client-double';

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
  function under(heading: string, ...models: readonly ModelSample[]): string[] {
    const ignore = () => undefined;
    const page = drawn(
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
    const at = [...page.querySelectorAll('th')].findIndex((cell) => cell.textContent === heading);
    return [...page.querySelectorAll('tbody tr')].map((row) => row.children[at]?.textContent ?? '');
  }

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
    expect(table?.textContent).toContain('and 15,904 more models not monitored: the limit is 4,096');
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
      .querySelector('input[aria-label$="of which model"]')
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
