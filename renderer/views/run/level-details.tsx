import { memo } from 'react';
import { cellText } from '../../../main/contract/column';
import { composing, composingName } from '../../../main/contract/detail-columns';
import { levelText } from '../../../main/contract/level-text';
import { formatCount } from '../../../main/contract/numbers';
import type { LoadPoint } from '../../../main/contract/results';
import { DetailsTable, headingsOf } from './details-table';

/** What the server did for each model of an ensemble; nothing for other models. */
export const ComposingTable = memo(function ComposingTable({ points }: { points: readonly LoadPoint[] }) {
  return (
    <DetailsTable
      title="Models of the ensemble"
      note="mean times of one request of the model, from the server's statistics"
      headings={[{ title: 'Level' }, { title: 'Model', mono: true }, ...headingsOf(composing)]}
      rows={points.flatMap((point) =>
        (point.composing ?? []).map((part) => ({
          key: `${levelText(point)} ${composingName(part)}`,
          cells: [
            levelText(point),
            composingName(part),
            ...composing.map((column) => cellText(column, part)),
          ],
        })),
      )}
    />
  );
});

/** Failed requests by level and kind, with the server's words; nothing where none failed. */
export const ErrorsTable = memo(function ErrorsTable({ points }: { points: readonly LoadPoint[] }) {
  return (
    <DetailsTable
      title="Failed requests"
      note="by kind, with the first message of the server"
      headings={[
        { title: 'Level' },
        { title: 'Requests', number: true },
        { title: 'Kind', mono: true },
        { title: 'Message' },
      ]}
      rows={points.flatMap((point) =>
        (point.errorsByKind ?? []).map(({ kind, count, message }) => ({
          key: `${levelText(point)} ${point.model ?? ''} ${kind}`,
          cells: [levelText(point), formatCount(count), kind, message],
        })),
      )}
    />
  );
});
