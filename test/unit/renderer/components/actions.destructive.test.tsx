// @vitest-environment jsdom
import { act, useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../../main/contract/api';
import type { Client } from '../../../../renderer/client';
import { ContainerActions } from '../../../../renderer/views/containers/container-actions';
import { ModelTable } from '../../../../renderer/views/monitor/model-table';
import { Watched } from '../../../../renderer/views/monitor/watched';
import { RunsView } from '../../../../renderer/views/runs/runs-view';
import { tickShown } from '../../../../renderer/views/runs/ticked-runs';
import { model, sample } from '../../monitor/fixtures';
import { createClientDouble } from '../client-double';
import { containerFixture } from '../container-fixtures';
import { mount, type Mounted } from '../mounted';
import { monitorStateFixture, runList, runSummary } from '../window-fixtures';

const mounted: Mounted[] = [];
afterEach(() => {
  for (const one of mounted.splice(0)) one.unmount();
});
const show = async (...given: Parameters<typeof mount>): Promise<Mounted> => {
  const one = await mount(...given);
  mounted.push(one);
  return one;
};

/** All but what the page of a watched server reads for itself. */
const changesOf = (calls: readonly (readonly [string, unknown])[]) =>
  calls.filter(([name]) => name !== 'monitor.recordings');

describe('unloading a model', () => {
  const answers = { 'monitor.unloadModel': () => null };
  const live = model();
  const busy = { ...live, rates: live.rates === null ? null : { ...live.rates, requestsPerSecond: 220 } };
  const inServer = (client: Client) =>
    show(
      client,
      <Watched
        state={monitorStateFixture('http://localhost:8000')}
        sample={sample(1000, { models: [busy] })}
      />,
    );

  it('asks first, and names the server, the model and what it answers now', async () => {
    const { client, calls } = createClientDouble(answers);
    const { page, button, click } = await inServer(client);
    await click(button('Unload echo'));
    expect(changesOf(calls)).toEqual([]);
    expect(page.querySelector('[role="group"][aria-label^="Unload"]')?.textContent).toContain(
      'Unload echo from localhost:8000? It is serving 220.0 requests/s.',
    );
    await click(button('Unload'));
    expect(changesOf(calls)).toEqual([['monitor.unloadModel', { model: 'echo' }]]);
  });

  it('does nothing where the answer is to keep it', async () => {
    const { client, calls } = createClientDouble(answers);
    const { page, button, click } = await inServer(client);
    await click(button('Unload echo'));
    await click(button('Keep'));
    expect(changesOf(calls)).toEqual([]);
    expect(page.querySelector('[aria-label^="Unload echo from"]')).toBeNull();
  });

  it('is not asked of the model that takes the row of one that is gone', async () => {
    const { client, calls } = createClientDouble(answers);
    const gone: { say: (name: string) => void } = { say: () => undefined };
    function Changing() {
      const [name, setName] = useState('echo');
      gone.say = setName;
      const ignore = () => undefined;
      const fixed = { more: 0, server: 'x', selected: null, why: null, onSelect: ignore, onConfig: ignore };
      return <ModelTable models={[model({ name })]} {...fixed} />;
    }
    const { page, button, click } = await show(client, <Changing />);
    await click(button('Unload echo'));
    const row = page.querySelector('tbody tr');
    act(() => {
      gone.say('other');
    });
    // The same row, with nothing asked of its model.
    expect(page.querySelector('tbody tr')).toBe(row);
    expect(button('Unload other').textContent).toBe('Unload');
    expect(page.querySelector('[role="group"]')).toBeNull();
    expect(calls).toEqual([]);
  });

  it('has a word on its button, which is not a square like those beside it', async () => {
    const ignore = () => undefined;
    const { client } = createClientDouble({});
    const { button } = await show(
      client,
      <ModelTable
        models={[busy]}
        more={0}
        server="localhost:8000"
        selected={null}
        why={null}
        onSelect={ignore}
        onConfig={ignore}
      />,
    );
    expect(button('Unload echo').textContent).toBe('Unload');
  });
});

describe('a container that runs', () => {
  it.each([
    ['Stop', 'docker.stop'],
    ['Restart', 'docker.restart'],
    ['Remove', 'docker.remove'],
  ])('is asked about before %s', async (action, call) => {
    const { client, calls } = createClientDouble({ [call]: () => null });
    const container = containerFixture();
    const { page, button, click } = await show(
      client,
      <ContainerActions container={container} title="ResNet-50 onnx fp16" connected />,
    );
    await click(button(`${action} Triton of ResNet-50 onnx fp16`));
    expect(calls).toEqual([]);
    expect(page.textContent).toMatch(/Triton of ResNet-50 onnx fp16\?/);
    await click(button(action));
    expect(calls).toEqual([[call, { id: container.id }]]);
  });
});

describe('runs that are ticked and then hidden by a filter', () => {
  const rows: readonly RunSummary[] = [
    runSummary({ runId: 'good-1' }),
    runSummary({ runId: 'good-2' }),
    runSummary({ runId: 'bad-1', status: 'failed' }),
  ];
  const list = (client: Client) =>
    show(client, <RunsView />, async ({ runs, selection }) => {
      await runs.getState().load();
      selection.getState().setAll(['good-1', 'good-2']);
    });
  const filterOnFailed = async ({ page, click }: Mounted): Promise<void> => {
    const chip = [...page.querySelectorAll('.chip')].find((one) => one.textContent.startsWith('Failed'));
    if (chip === undefined) throw new Error('no chip');
    await click(chip);
  };
  const answers = { 'runs.list': () => runList(...rows), 'runs.remove': () => null };

  it('are not deleted, and are said to be hidden', async () => {
    const { client, calls } = createClientDouble(answers);
    const view = await list(client);
    expect(view.page.textContent).toContain('2 selected');
    await filterOnFailed(view);
    expect(view.page.textContent).toContain('0 selected · 2 more hidden by the filter');
    await view.click(view.button('Delete'));
    expect(calls.filter(([name]) => name === 'runs.remove')).toEqual([]);
  });

  it('stay, while the ticked runs that are shown are deleted', async () => {
    const { client, calls } = createClientDouble(answers);
    const view = await list(client);
    await filterOnFailed(view);
    const box = view.page.querySelector('tbody input[type="checkbox"]');
    if (box === null) throw new Error('no box');
    await view.click(box);
    await view.click(view.button('Delete'));
    expect(calls.filter(([name]) => name === 'runs.remove')).toEqual([['runs.remove', { runId: 'bad-1' }]]);
  });

  it('keep their ticks when all that is shown is ticked', () => {
    const ticked = new Set(['good-1']);
    const failed = rows.slice(2);
    expect(tickShown(failed, ticked, true)).toEqual(['good-1', 'bad-1']);
    expect(tickShown(failed, new Set(['good-1', 'bad-1']), false)).toEqual(['good-1']);
  });
});
