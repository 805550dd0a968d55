import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { budgetMsOf } from '../../../main/contract/measured/points';
import { bestOfRuns } from '../../../main/contract/measured/verdict';
import type { RunState } from '../../../main/contract/run/run-state';
import { PageLink } from '../../components/links';
import { useTypedNumber } from '../../components/use-typed-number';

/** A budget that all runs share is asked for first. */
function sharedBudget(states: readonly RunState[]): number | null {
  const [first = null, ...others] = states.map(budgetMsOf);
  return others.every((budgetMs) => budgetMs === first) ? first : null;
}

/** Which of the runs to choose: within a p99 budget, where one is typed. */
export function BestRun({ states, names }: { states: readonly RunState[]; names: readonly string[] }) {
  const [typedMs, setTypedMs] = useState<number | null | undefined>(undefined);
  const budgetMs = typedMs === undefined ? sharedBudget(states) : typedMs;
  const typed = useTypedNumber(budgetMs, setTypedMs);
  const runs = states.map((state, index) => ({ name: names[index] ?? '', state }));
  const { index, sentence } = bestOfRuns(runs, budgetMs !== null && budgetMs > 0 ? budgetMs : null);
  const runId = index === null ? undefined : states[index]?.runId;
  return (
    <section className="panel budget best-run" aria-label="Best run">
      <label htmlFor="compare-budget" title="Highest acceptable p99 latency">
        p99 budget
      </label>
      <NumberInput
        id="compare-budget"
        size="xs"
        w={104}
        suffix=" ms"
        placeholder="none"
        min={0}
        hideControls
        allowNegative={false}
        {...typed}
      />
      <strong role="status">{sentence}</strong>
      {runId === undefined ? null : <PageLink to={{ page: 'run', runId }}>Open</PageLink>}
    </section>
  );
}
