import { NumberInput } from '@mantine/core';
import { useStore } from 'zustand';
import type { Scenario } from '../../../main/contract/run-events';
import type { ScenarioState } from '../../../main/contract/run-state';
import { levelOf } from '../../charts/chart';
import { formatRate } from '../../format/numbers';
import { sweepText } from '../../format/words';
import { useWorkbench } from '../../workbench';
import { bestWithinBudget } from './within-budget';

/** The latency that must be kept, and what the levels give within it. */
export function BudgetField(props: { runId: string; scenario: Scenario; state: ScenarioState }) {
  const { runId, scenario, state } = props;
  const { budgets } = useWorkbench();
  const budgetMs = useStore(budgets, (known) => known.budgetsMs[runId]) ?? null;
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
        value={budgetMs ?? ''}
        onChange={(value) => {
          budgets.getState().set(runId, typeof value === 'number' && value > 0 ? value : null);
        }}
      />
      {budgetMs === null ? null : (
        <span className={best === null ? 'dim' : undefined} role="status">
          {best === null
            ? 'no steady level keeps it'
            : `up to ${formatRate(best.inferencesPerSecond)} inferences/s, ${sweepText[scenario].toLowerCase()} ${levelOf(scenario, best)}`}
        </span>
      )}
    </div>
  );
}
