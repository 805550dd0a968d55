import { toWire, type WireError } from '../../../main/contract/errors';
import type { ChangePlan, SpecPreview } from '../../../main/contract/run/spec-tools';
import type { Client } from '../../client';
import { createLatest, type Latest } from '../latest';

interface PlannedChange {
  readonly plan: ChangePlan | null;
  readonly planError: WireError | null;
}

export const noPlan: PlannedChange = { plan: null, planError: null };

/** What the choice would do again and keep of the run that it changes; `show` gets the plan of the newest preview. */
export function createChangePlan(
  client: Client,
  current: () => { readonly changing: string | null; readonly preview: SpecPreview | null },
  show: (planned: PlannedChange) => void,
): Latest {
  let last: { readonly key: string; readonly answer: Promise<PlannedChange> } | null = null;
  const ask = async (): Promise<PlannedChange> => {
    // One at a time, and of those that waited only the newest: the core reads the weights of the run for it.
    await last?.answer;
    const { changing: runId, preview } = current();
    const spec = preview?.spec ?? null;
    if (runId === null || spec === null) return noPlan;
    const key = `${runId} ${JSON.stringify(spec)}`;
    if (last?.key !== key) {
      const answer = client.call('runs.planChange', { runId, spec }).then(
        (plan) => ({ plan, planError: null }),
        (error: unknown) => {
          last = null;
          return { plan: null, planError: toWire(error) };
        },
      );
      last = { key, answer };
    }
    return last.answer;
  };
  return createLatest(0, ask, show);
}
