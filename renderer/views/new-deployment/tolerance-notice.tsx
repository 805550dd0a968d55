import { Button } from '@mantine/core';
import { precisionText } from '../../format/words';
import { isTolerance } from '../../stores/draft/draft-state';
import { useWizard } from './wizard-context';

/** Tolerances that were chosen under another precision than the one that is chosen now. */
export function ToleranceNotice() {
  const { draft, changes, valueAt } = useWizard();
  const { tolerancesOf, useDefaultTolerances } = draft;
  const precision = valueAt(['precision']);
  const now = precision === 'fp16' || precision === 'fp32' ? precisionText[precision] : null;
  if (tolerancesOf === null || now === null || !changes.some(({ keys }) => isTolerance(keys))) return null;
  return (
    <section className="notice-bar" role="status" aria-label="Tolerances">
      <div className="notice-text">
        The tolerances were set for {precisionText[tolerancesOf]}, and {now} is chosen.
      </div>
      <Button size="compact-xs" variant="default" onClick={useDefaultTolerances}>
        Use the defaults of {now}
      </Button>
    </section>
  );
}
