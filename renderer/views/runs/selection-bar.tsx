import { Button } from '@mantine/core';
import { IconArrowsLeftRight, IconTrash, IconX } from '@tabler/icons-react';
import { formatCount } from '../../../main/contract/numbers';
import { attempt } from '../../components/notices';
import { mostCompared } from '../../stores/compared-runs';
import { useWorkbench } from '../../workbench';
import { removeRuns } from './run-tools';
import type { TickedRuns } from './ticked-runs';

const hiddenText = (hidden: number): string => `${formatCount(hidden)} more hidden by the filter`;

/** What can be done with the runs that are ticked and shown. */
export function SelectionBar({ rows, hidden }: TickedRuns) {
  const workbench = useWorkbench();
  if (rows.length + hidden === 0) return null;
  const tooFew = rows.length < 2;
  const tooMany = rows.length > mostCompared;
  const removable = rows.filter((row) => row.status !== 'running');
  return (
    <div className="selection-bar" role="group" aria-label="Selected runs">
      <span>
        {formatCount(rows.length)} selected
        {hidden === 0 ? null : <span className="dim"> · {hiddenText(hidden)}</span>}
      </span>
      <Button
        size="compact-xs"
        disabled={tooFew || tooMany}
        title={
          tooFew ? 'Select two or more' : tooMany ? `At most ${mostCompared} can be compared` : undefined
        }
        leftSection={<IconArrowsLeftRight size={13} aria-hidden="true" />}
        onClick={() => {
          // The oldest first: it is the baseline until another is chosen.
          const byAge = rows.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
          const runIds = byAge.map((row) => row.runId);
          workbench.route.getState().go({ page: 'compare', runIds });
        }}
      >
        Compare
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        disabled={removable.length === 0}
        leftSection={<IconTrash size={13} aria-hidden="true" />}
        onClick={() => {
          attempt(() => removeRuns(workbench, removable));
        }}
      >
        Delete
      </Button>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        leftSection={<IconX size={13} aria-hidden="true" />}
        onClick={() => {
          workbench.selection.getState().setAll([]);
        }}
      >
        Clear selection
      </Button>
    </div>
  );
}
