import { NumberInput, TextInput } from '@mantine/core';
import { useStore } from 'zustand';
import { reasonAgainst } from '../../../../main/contract/run/run-content';
import { budgetLabel } from '../../../components/input/budget-input';
import { useTypedNumber } from '../../../components/input/use-typed-number';
import { onText } from '../../../handlers';
import { settingsOf } from '../../../stores/settings';
import { useWorkbench } from '../../../workbench';
import { SameNameNote } from '../../runs/same-name-note';
import { useWizard } from '../wizard-context';

export function NameInput() {
  const { name, setName, changing } = useWizard().draft;
  return (
    <TextInput
      className="field"
      size="xs"
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      label="Name"
      description={
        <>
          Names the run in lists, reports and on the command line.
          <SameNameNote name={name} runId={changing} />
        </>
      }
      placeholder="none"
      maxLength={80}
      error={reasonAgainst(name)}
      value={name}
      onChange={onText(setName)}
    />
  );
}

const budgetHelp = (byDefault: number | null): string =>
  `The result names the best steady level whose p99 is within the budget, and its headroom.${
    byDefault === null ? '' : ` Default: ${byDefault} ms, from Settings.`
  }`;

export function BudgetField(props: { budgetMs: number | null; onType: (budgetMs: number | null) => void }) {
  const { budgetMs, onType } = props;
  const { 'deployment.p99BudgetMs': byDefault } = settingsOf(useStore(useWorkbench().settings));
  const typed = useTypedNumber(budgetMs, (next) =>
    onType(next === null || next <= 0 ? null : Math.min(next, 1e9)),
  );
  return (
    <NumberInput
      className="field"
      size="xs"
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      label={budgetLabel}
      description={budgetHelp(byDefault)}
      placeholder="none"
      min={0}
      max={1e9}
      hideControls
      allowNegative={false}
      {...typed}
    />
  );
}

export function BudgetInput() {
  const { p99BudgetMs, setBudget } = useWizard().draft;
  return <BudgetField budgetMs={p99BudgetMs} onType={setBudget} />;
}
