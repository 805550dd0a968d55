import { useState } from 'react';

/**
 * Text of a number field while it is typed in. Mantine hands over the text where that is not a whole
 * number yet ("2.", "0.0", "-"): it stays as it was typed until the field is left.
 * @param onNumber null: the field was emptied. Not called for what is no number.
 */
export function useTypedNumber(value: number | null, onNumber: (next: number | null) => void) {
  const [typed, setTyped] = useState<string | null>(null);
  return {
    value: typed ?? value ?? '',
    onChange: (next: number | string) => {
      setTyped(typeof next === 'string' ? next : null);
      if (next === '') onNumber(null);
      else if (Number.isFinite(Number(next))) onNumber(Number(next));
    },
    onBlur: () => {
      setTyped(null);
    },
  };
}
