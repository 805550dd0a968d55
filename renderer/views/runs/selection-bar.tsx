import { IconArrowsLeftRight, IconStack2, IconTrash, IconX } from '@tabler/icons-react';
import type { RunSummary } from '../../../main/contract/api';
import { formatCount } from '../../../main/contract/numbers';
import { CompactButton } from '../../components/actions';
import { useWayTo } from '../../components/links';
import { attempting } from '../../components/notices';
import { mostCompared } from '../../stores/compared-runs';
import { useWorkbench } from '../../workbench';
import { isSearchable, leastModels } from '../studies/joint/joint-request';
import { removeRuns } from './run-tools';
import type { TickedRuns } from './ticked-runs';

const hiddenText = (hidden: number): string => `${formatCount(hidden)} more hidden by the filter`;

const byAge = (rows: readonly RunSummary[]): string[] =>
  rows.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt)).map((row) => row.runId);

const last = 5;

function CompareLast({ shown }: { shown: readonly RunSummary[] }) {
  const wayTo = useWayTo();
  const newest = byAge(shown.filter(({ best }) => best !== null)).slice(-last);
  if (newest.length < 2) return null;
  return (
    <div className="row end selection-bar">
      <CompactButton
        icon={IconArrowsLeftRight}
        title="The newest of the runs shown, and which of them is the best within a p99 budget"
        onClick={wayTo({ page: 'compare', runIds: newest })}
      >
        Compare the last {newest.length}
      </CompactButton>
    </div>
  );
}

export function SelectionBar({
  rows,
  hidden,
  shown,
}: TickedRuns & { readonly shown: readonly RunSummary[] }) {
  const workbench = useWorkbench();
  const wayTo = useWayTo();
  if (rows.length + hidden === 0) return <CompareLast shown={shown} />;
  const tooFew = rows.length < 2;
  const tooMany = rows.length > mostCompared;
  const searchable = rows.filter(isSearchable);
  const removable = rows.filter((row) => row.status !== 'running');
  return (
    <div className="row end selection-bar" role="group" aria-label="Selected runs">
      <span>
        {formatCount(rows.length)} selected
        {hidden === 0 ? null : <span className="dim"> · {hiddenText(hidden)}</span>}
      </span>
      <CompactButton
        variant="filled"
        icon={IconArrowsLeftRight}
        disabled={tooFew || tooMany}
        title={
          tooFew ? 'Select two or more' : tooMany ? `At most ${mostCompared} can be compared` : undefined
        }
        onClick={wayTo({ page: 'compare', runIds: byAge(rows) })}
      >
        Compare
      </CompactButton>
      {searchable.length < leastModels ? null : (
        <CompactButton
          icon={IconStack2}
          title="The best configurations of these models on one machine, all under load together"
          onClick={() => workbench.overlay.getState().searchTogether(byAge(searchable))}
        >
          Search together…
        </CompactButton>
      )}
      <CompactButton
        icon={IconTrash}
        disabled={removable.length === 0}
        onClick={attempting(() => removeRuns(workbench, removable))}
      >
        Delete
      </CompactButton>
      <CompactButton
        icon={IconX}
        variant="subtle"
        color="gray"
        onClick={() => workbench.selection.getState().setAll([])}
      >
        Clear selection
      </CompactButton>
    </div>
  );
}
