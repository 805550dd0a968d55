// @vitest-environment jsdom
import { act } from 'react';
import { expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../main/contract/errors';
import type { SearchRequest } from '../../../../../main/contract/study/search';
import { SearchDialog } from '../../../../../renderer/views/studies/search-dialog';
import { runA } from '../../../../support/duel';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';
import { typeInto } from '../../type-into';

const plan = {
  spec: { name: 'july', strategy: { kind: 'search', trials: [] }, hosts: null },
  search: { budgetS: 300 },
  candidates: ['present configuration'],
  notes: ['Trace: 1,200 requests in 60.0 s'],
};

it('a search replays the trace that is chosen, until it is removed or the load is a concurrency', async () => {
  const { client, calls } = createClientDouble({
    'searches.plan': () => plan,
    'hosts.list': () => [],
    'desktop.choosePath': () => ({ path: '/traces/july.csv' }),
  });
  const planned = () => calls.filter(([name]) => name === 'searches.plan').at(-1)?.[1];
  const { workbench, click, button, unmount } = await mount(client, <SearchDialog />);
  await act(async () => {
    workbench.overlay.setState({ searched: { runId: runA } });
    await Promise.resolve();
  });
  expect(planned()).toMatchObject({ runId: runA, load: 'open' });
  expect(planned()).not.toHaveProperty('replay');
  // A dialog lies beside the page.
  const named = (name: string): Element => {
    const found = document.querySelector(`[aria-label="${name}"]`);
    if (found === null) throw new Error(`No "${name}"`);
    return found;
  };
  await click(named('Choose replayed trace'));
  expect(planned()).toMatchObject({ replay: { file: '/traces/july.csv', speed: 1, fromS: 0 } });
  expect(document.body.textContent).toContain('Trace: 1,200 requests in 60.0 s');
  await click(named('Remove replayed trace'));
  expect(planned()).not.toHaveProperty('replay');
  expect(() => button('Start search')).not.toThrow();
  unmount();
});

it('a longer search shows what it will do before it is started, and asks for what the first one did', async () => {
  const { client, calls } = createClientDouble({ 'searches.plan': () => plan, 'hosts.list': () => [] });
  const { workbench, button, unmount } = await mount(client, <SearchDialog />);
  const space = { instances: [1, 2] };
  const like: SearchRequest = { runId: runA, load: 'open', percentile: 95, space, budgetS: 600 };
  await act(async () => {
    workbench.overlay.getState().search({ runId: runA, like });
    await Promise.resolve();
  });
  const text = document.body.textContent;
  expect(text).toContain('The same search again, with twice the maximum time under load.');
  expect(text).toContain('Largest p95 (ms)');
  expect(text).not.toContain('Together with other models…');
  expect(calls.filter(([name]) => name === 'searches.plan').at(-1)?.[1]).toEqual(like);
  expect(button('Start search').textContent).toBe('Start search');
  expect(calls.map(([name]) => name)).not.toContain('studies.start');
  unmount();
});

it('a running Triton is asked once its address is typed to the end, and loaded into after a question', async () => {
  const asks = { question: 'Load 1 configuration on Triton 2.51.0?', facts: ['2 models are ready there.'] };
  const answer: { error: WorkbenchError | null } = { error: null };
  const { client, calls } = createClientDouble({
    'searches.plan': (input) => {
      if (answer.error !== null) throw answer.error;
      return (input as { server?: unknown }).server === undefined ? plan : { ...plan, asks };
    },
    'hosts.list': () => [],
    'studies.start': () => null,
    'studies.list': () => ({ studies: [] }),
  });
  const planned = () => calls.filter(([name]) => name === 'searches.plan').map(([, input]) => input);
  const started = () => calls.some(([name]) => name === 'studies.start');
  const { workbench, click, button, unmount } = await mount(client, <SearchDialog />);
  await act(async () => {
    workbench.overlay.setState({ searched: { runId: runA } });
    await Promise.resolve();
  });
  await typeInto('Where to measure', 'running');
  // Nothing is asked there before the person says so.
  expect(planned()).toHaveLength(1);
  expect(() => button('Start search')).toThrow();
  answer.error = new WorkbenchError('server-unreachable', 'No Triton answers', { where: '--url' });
  const address = await typeInto('Triton HTTP address', 'localhost:9000');
  expect(planned()).toHaveLength(1);
  await click(button('Check'));
  expect(planned().at(-1)).toMatchObject({ server: { url: 'localhost:9000' } });
  expect(address.getAttribute('aria-invalid')).toBe('true');
  expect(document.body.textContent).toContain('No Triton answers.');
  expect(document.querySelector('[role="alert"][data-code]')).toBeNull();
  answer.error = new WorkbenchError('combination-unsupported', 'No memory', { where: '--metrics-url' });
  await click(button('Check'));
  expect(address.getAttribute('aria-invalid')).not.toBe('true');
  const metrics = await typeInto('Metrics address', 'localhost:9002');
  expect(metrics.getAttribute('aria-invalid')).not.toBe('true');
  answer.error = null;
  await act(async () => {
    metrics.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  });
  expect(planned().at(-1)).toMatchObject({ server: { url: 'localhost:9000', metrics: 'localhost:9002' } });
  expect(document.body.textContent).toContain('2 models are ready there.');
  await click(button('Start search'));
  expect(document.body.textContent).toContain(asks.question);
  await click(button('Keep'));
  expect(started()).toBe(false);
  await click(button('Start search'));
  await click(button('Load and search'));
  expect(started()).toBe(true);
  unmount();
});

it('a search is on a host of the list, and what is refused of it is said at the choice', async () => {
  const answer: { error: WorkbenchError | null } = { error: null };
  const { client, calls } = createClientDouble({
    'searches.plan': (input) => {
      if ((input as { host?: string }).host === undefined || answer.error === null) return plan;
      throw answer.error;
    },
    'hosts.list': () => [{ name: 'gpu1', address: 'ssh://gpu1' }],
  });
  const planned = () => calls.filter(([name]) => name === 'searches.plan').at(-1)?.[1];
  const { workbench, unmount } = await mount(client, <SearchDialog />);
  await act(async () => {
    workbench.overlay.setState({ searched: { runId: runA } });
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  });
  const place = await typeInto('Where to measure', 'host:gpu1');
  expect(place.textContent).toContain('New Triton on the host gpu1');
  expect(planned()).toMatchObject({ host: 'gpu1' });
  expect(planned()).not.toHaveProperty('server');
  await typeInto('Where to measure', 'own');
  expect(planned()).not.toHaveProperty('host');
  answer.error = new WorkbenchError('combination-unsupported', 'This run has no Docker', { where: '--host' });
  await typeInto('Where to measure', 'host:gpu1');
  await act(async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  });
  expect(document.body.textContent).toContain('This run has no Docker.');
  expect(document.querySelector('[role="alert"][data-code]')).toBeNull();
  unmount();
});
