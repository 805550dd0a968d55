import { useState } from 'react';
import type { RunState } from '../../../main/contract/run/run-state';
import { budgetMsOf } from '../../../main/domain/measured/points';
import { BudgetInput } from '../../components/input/budget-input';
import { attempt } from '../../components/notices';
import { useWorkbench } from '../../workbench';

/** The budget belongs to the run: report and command line show it too. */
export function BudgetField({ state }: { state: RunState }) {
  const { client } = useWorkbench();
  const { runId } = state;
  const budgetMs = budgetMsOf(state);
  const [next, setNext] = useState<number | null | undefined>(undefined);
  const takeOver = (): void => {
    setNext(undefined);
    if (next === undefined || next === budgetMs || (next !== null && next <= 0)) return;
    attempt(() => client.call('runs.setBudget', { runId, p99BudgetMs: next }));
  };
  return (
    <div className="row budget">
      <BudgetInput
        id="latency-budget"
        title="Highest acceptable p99 latency. The best level within it is shown."
        budgetMs={next === undefined ? budgetMs : next}
        onType={setNext}
        onLeave={takeOver}
      />
    </div>
  );
}
