import { NumberInput } from '@mantine/core';
import { useStore } from 'zustand';
import { levelText } from '../../../main/contract/level-text';
import type { ScenarioState } from '../../../main/contract/run-state';
import { useTypedNumber } from '../../components/use-typed-number';
import { formatRate } from '../../format/numbers';
import { useWorkbench } from '../../workbench';
import { bestWithinBudget } from './within-budget';

/** The latency that must be kept, and what the levels give within it. */
export function BudgetField(props: { runId: string; state: ScenarioState }) {
  const { runId, state } = props;
  const { budgets } = useWorkbench();
  const budgetMs = useStore(budgets, (known) => known.budgetsMs[runId]) ?? null;
  const typed = useTypedNumber(budgetMs, (next) => {
    budgets.getState().set(runId, next !== null && next > 0 ? next : null);
  });
  const best = budgetMs === null ? null : bestWithinBudget(state, budgetMs);
  return (
    <div className="budget">
      <label htmlFor="latency-budget">p99 budget</label>
      <NumberInput
        id="latency-budget"
        size="xs"
        w={104}
        suffix=" ms"
        placeholder="none"
        min={0}
        step={1}
        hideControls
        allowNegative={false}
        {...typed}
      />
      {budgetMs === null ? null : (
        <span className={best === null ? 'dim' : undefined} role="status">
          {best === null
            ? 'no steady level keeps it'
            : `up to ${formatRate(best.inferencesPerSecond)} inferences/s, ${levelText(best)}${best.scheduled === undefined ? '' : ', p99 from schedule'}`}
        </span>
      )}
    </div>
  );
}
