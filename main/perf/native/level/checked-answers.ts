import type { LoadPoint } from '../../../contract/measured/results';
import { formatCount, formatShortShare } from '../../../contract/numbers';
import { present } from '../../../contract/trees';
import { mergedKinds } from '../../../domain/measured/repeats';
import { mostCheckShare } from '../requests/output-validator';
import type { LoadJob, LoadTotals } from '../seam/load-job';

export function checkedColumns(
  { shared, outputChecks }: LoadJob,
  { checks, outputs, faults }: LoadTotals,
  repairs: number,
) {
  return present({
    sharedMemory: shared && {
      kind: 'system' as const,
      checkedCount: checks.checked,
      wrongCount: checks.wrong,
      repairs,
    },
    outputChecks: outputChecks && {
      checkedCount: outputs.checked,
      wrongCount: outputs.wrong,
      comparedCount: outputs.compared,
      finite: outputChecks.finite,
    },
    wrongByKind: faults.length === 0 ? null : mergedKinds(faults),
    notFinite:
      outputs.notFinite === 0
        ? null
        : {
            checkedCount: outputs.finiteChecked,
            count: outputs.notFinite,
            message: outputs.notFiniteMessage,
          },
  });
}

/** One wrong response invalidates the level. */
export function responseFlags({ checks, outputs }: LoadTotals): LoadPoint['flags'] {
  return [
    ...(checks.wrong + outputs.wrong > 0 ? (['wrong-responses'] as const) : []),
    ...(outputs.notFinite > 0 ? (['not-finite'] as const) : []),
  ];
}

/** Problems of responses, and the checked share if not all were checked. */
export function checkedLines({ outputChecks }: LoadJob, totals: LoadTotals): readonly string[] {
  const { succeeded, outputs, faults } = totals;
  const isAll = outputChecks !== null && (outputChecks.finite || outputChecks.expected.length > 0);
  return [
    ...faults.map(
      ({ kind, count, message }) => `${formatCount(count)} responses are wrong: ${kind}: ${message}`,
    ),
    ...(outputs.notFinite === 0
      ? []
      : [
          `${formatCount(outputs.notFinite)} of the first ${formatCount(outputs.finiteChecked)} responses: ${outputs.notFiniteMessage}`,
        ]),
    ...(isAll && outputs.checked < succeeded
      ? [
          `${formatCount(outputs.checked)} of ${formatCount(succeeded)} responses were checked: checking takes at most ${formatShortShare(mostCheckShare)} of the time.`,
        ]
      : []),
  ];
}
