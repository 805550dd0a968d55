import { NumberInput } from '@mantine/core';
import { useTypedNumber } from './use-typed-number';

export const budgetLabel = 'p99 budget (ms)';

export function BudgetInput(props: {
  id: string;
  title: string;
  budgetMs: number | null;
  onType: (budgetMs: number | null) => void;
  onLeave?: () => void;
}) {
  const { id, title, budgetMs, onType, onLeave } = props;
  const typed = useTypedNumber(budgetMs, onType);
  return (
    <>
      <label htmlFor={id} title={title}>
        {budgetLabel}
      </label>
      <NumberInput
        id={id}
        size="xs"
        w={104}
        placeholder="none"
        min={0}
        hideControls
        allowNegative={false}
        {...typed}
        onBlur={() => {
          typed.onBlur();
          onLeave?.();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onLeave?.();
        }}
      />
    </>
  );
}
