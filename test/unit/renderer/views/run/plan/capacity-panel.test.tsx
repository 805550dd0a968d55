// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunState } from '../../../../../../main/contract/run/run-state';
import { CapacityPanel } from '../../../../../../renderer/views/run/plan/capacity-panel';
import {
  accuracyBody,
  createdBodies,
  measurementBody,
  pointFixture,
  stateOf,
} from '../../../../../support/run-state';
import { createClientDouble } from '../../../client-double';
import { mount, type Mounted } from '../../../mounted';

let mounted: Mounted | null = null;
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

/** A finished run with a budget, whose model answered rightly: one level holds 20 ms, one is not steady, one is slower. */
const finished = (): RunState => ({
  ...stateOf([
    ...createdBodies(),
    accuracyBody(),
    measurementBody('online', pointFixture({ concurrency: 4, inferencesPerSecond: 2034, p99Us: 18_000 })),
    measurementBody(
      'online',
      pointFixture({
        concurrency: 8,
        inferencesPerSecond: 2600,
        p99Us: 19_000,
        stable: false,
        flags: ['unstable'],
      }),
    ),
    measurementBody('online', pointFixture({ concurrency: 16, inferencesPerSecond: 2700, p99Us: 31_000 })),
    { type: 'run-finished', outcome: 'done' },
  ]),
  origin: 'own',
  p99BudgetMs: 20,
});

async function shown(state: RunState, search?: string) {
  const double = createClientDouble({
    'desktop.choosePath': () => ({ path: '/empty' }),
    'runs.bundle': () => ({ path: '/empty' }),
    'runs.measureMemory': () => null,
  });
  mounted = await mount(double.client, <CapacityPanel state={state} search={search} />);
  return { ...mounted, calls: double.calls };
}

async function type(page: HTMLElement, label: string, text: string): Promise<void> {
  const found = [...page.querySelectorAll('label')].find(({ textContent }) => textContent === label);
  const input = page.querySelector<HTMLInputElement>(`[id="${found?.htmlFor ?? ''}"]`);
  if (input === null) throw new Error(`no field ${label}`);
  await act(async () => {
    input.focus();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await Promise.resolve();
  });
}

const answerOf = (page: HTMLElement): string => page.querySelector('[role="status"]')?.textContent ?? '';

describe('the panel of the capacity', () => {
  it('begins with what one replica holds within the budget of the run', async () => {
    const { page } = await shown(finished());
    expect(answerOf(page)).toMatch(
      /^3 replicas on CPUs hold 2,000 inferences\/s within a p99 of 20 ms, with 30 % headroom and one spare\./,
    );
    const rows = [...page.querySelectorAll('tbody tr')].map(({ lastChild }) => lastChild?.textContent);
    expect(rows).toEqual(['holds', 'not steady', 'above the target']);
  });

  it('answers what is typed, and says of a value that cannot be planned with what is wrong', async () => {
    const { page } = await shown(finished());
    await type(page, 'Rate (inferences/s)', '5000');
    await type(page, 'Headroom (%)', '0');
    await type(page, 'Price per hour', '2.5');
    expect(answerOf(page)).toMatch(/^4 replicas on CPUs hold 5,000 .* 0 % headroom/);
    expect(page.textContent).toContain('Cost per month (730 h)7,300.00');
    await type(page, 'Rate (inferences/s)', '');
    expect(answerOf(page)).toMatch(/^The rate must be above 0.*for example 5000\.$/);
    await type(page, 'Rate (inferences/s)', '5000');
    await type(page, 'p99 target (ms)', '10');
    expect(answerOf(page)).toMatch(/^No steady level meets a p99 of 10 ms\. The best has p99 18\.00 ms/);
  });

  it('writes a bundle with the plan, of a run whose model was seen to answer rightly', async () => {
    const { page, calls, click, button } = await shown(finished());
    await type(page, 'Rate (inferences/s)', '5000');
    await click(button('Use in bundle…'));
    const capacity = { rate: 5000, p99Ms: 20, headroom: 0.3, spare: 1, pricePerHour: null };
    expect(calls).toContainEqual(['runs.bundle', { runId: finished().runId, out: '/empty', capacity }]);
  });

  it('has no bundle of a run that nobody saw answer rightly, and is nothing without a rate', async () => {
    const { button } = await shown({ ...finished(), accuracy: null });
    expect(() => button('Use in bundle…')).toThrow('no button');
    mounted?.unmount();
    const { page } = await shown(stateOf(createdBodies()));
    expect(page.querySelector('section')).toBeNull();
  });

  it('measures what the model takes where it is asked to, and has it among the facts', async () => {
    const { page, calls, click, button } = await shown(finished());
    expect(page.textContent).toContain('Memory of context, weights and one instancenot measured');
    await click(button('Measure memory'));
    expect(calls).toContainEqual(['runs.measureMemory', { runId: finished().runId }]);
    mounted?.unmount();
    const taken = (hostBytes: number) => ({ hostBytes, gpuBytes: null });
    const memory = {
      ...{ context: taken(2 ** 28), shared: taken(0), instance: taken(2 ** 27), batch: taken(0) },
      ...{ maxBatchSize: 8, instances: 2, totals: taken(2 ** 32) },
    };
    const measured = await shown({ ...finished(), memory });
    expect(measured.page.textContent).toContain('Memory of each instancehost 128.0 MiB');
    expect(measured.page.textContent).toContain('8 servers like this one');
  });

  it('makes a bundle of the configuration of a search, and measures no memory of it', async () => {
    const { calls, click, button } = await shown(finished(), 'night');
    await click(button('Use in bundle…'));
    expect(calls).toContainEqual(['runs.bundle', expect.objectContaining({ search: 'night' })]);
    expect(() => button('Measure memory')).toThrow('no button');
  });
});
