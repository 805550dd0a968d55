import { useState } from 'react';
import { budgetMsOf } from '../../../main/contract/measured/points';
import { bestOfRuns } from '../../../main/contract/measured/verdict';
import type { RunState } from '../../../main/contract/run/run-state';
import { BudgetInput } from '../../components/budget-input';
import { PageLink } from '../../components/links';

/** A budget that all runs share is asked for first. */
function sharedBudget(states: readonly RunState[]): number | null {
  const [first = null, ...others] = states.map(budgetMsOf);
  return others.every((budgetMs) => budgetMs === first) ? first : null;
}

/** Which of the runs to choose: within a p99 budget, where one is typed. */
export function BestRun({ states, names }: { states: readonly RunState[]; names: readonly string[] }) {
  const [typedMs, setTypedMs] = useState<number | null | undefined>(undefined);
  const budgetMs = typedMs === undefined ? sharedBudget(states) : typedMs;
  const runs = states.map((state, index) => ({ name: names[index] ?? '', state }));
  const { index, sentence } = bestOfRuns(runs, budgetMs !== null && budgetMs > 0 ? budgetMs : null);
  const runId = index === null ? undefined : states[index]?.runId;
  return (
    <section className="panel row budget best-run" aria-label="Best run">
      <BudgetInput
        id="compare-budget"
        title="Highest acceptable p99 latency"
        budgetMs={budgetMs}
        onType={setTypedMs}
      />
      <strong role="status">{sentence}</strong>
      {runId === undefined ? null : <PageLink to={{ page: 'run', runId }}>Open</PageLink>}
    </section>
  );
}
