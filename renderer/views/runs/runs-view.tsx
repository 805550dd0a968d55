import { IconActivity, IconPlus } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { RunSummary } from '../../../main/contract/api';
import { formatCount } from '../../../main/contract/numbers';
import { SmallButton } from '../../components/actions';
import { Answer } from '../../components/answer';
import { ErrorPanel } from '../../components/error-panel';
import { SearchInput } from '../../components/input/search-input';
import { useWayTo } from '../../components/links';
import { Loading } from '../../components/loading';
import { Page } from '../../components/page';
import { useWorkbench } from '../../workbench';
import { EmptyRuns } from './empty-runs';
import { FilterChips } from './filter-chips';
import { filterRuns } from './filter-runs';
import { ImportButton } from './import-button';
import { runsAnswer } from './runs-answer';
import { RunsTable } from './runs-table';
import { SelectionBar } from './selection-bar';
import { type Sorting, sortRuns } from './sort-runs';
import { tickedRuns } from './ticked-runs';

/** @param props.searchable there are runs to search */
function RunsActions({ searchable }: { searchable: boolean }) {
  const wayTo = useWayTo();
  const { overlay, runFilter } = useWorkbench();
  const { search, setSearch } = useStore(runFilter);
  return (
    <>
      {searchable ? (
        <SearchInput
          w={260}
          label="Filter runs"
          placeholder="Filter by model, format, tag …"
          value={search}
          onSearch={setSearch}
        />
      ) : null}
      <ImportButton />
      <SmallButton
        icon={IconActivity}
        title="Measures a model on a Triton that is already running"
        onClick={() => overlay.getState().measure({})}
      >
        Measure a server
      </SmallButton>
      <SmallButton variant="filled" icon={IconPlus} onClick={wayTo({ page: 'new' })}>
        New deployment
      </SmallButton>
    </>
  );
}

function RunCount({ shown, known }: { shown: number; known: number }) {
  const { rowsToCome } = useWorkbench();
  const { outdated, missing } = useStore(rowsToCome);
  const all = known + missing;
  const work = [
    ...(missing > 0 ? [`reading ${formatCount(missing)} more`] : []),
    ...(outdated.size > 0 ? [`updating ${formatCount(outdated.size)}`] : []),
  ];
  return (
    <span className="dim">
      {[shown === all ? formatCount(all) : `${formatCount(shown)} of ${formatCount(all)}`, ...work].join(
        ' · ',
      )}
    </span>
  );
}

function RunsAnswer(props: { runs: readonly RunSummary[]; titleOf: (preset: string) => string }) {
  const answer = runsAnswer(props.runs, props.titleOf);
  return answer === null ? null : <Answer {...answer} />;
}

export function RunsView() {
  const { runs, rowsToCome, presets, selection, runFilter, seenFailures } = useWorkbench();
  const { value, error } = useStore(runs);
  const known = useStore(presets, (state) => state.value);
  const selected = useStore(selection, (state) => state.runIds);
  const { search, chosen, choose, clear } = useStore(runFilter);
  const [sorting, setSorting] = useState<Sorting>({ column: 'started', descending: true });
  const shown = useMemo(
    () => sortRuns(filterRuns(value ?? [], search, chosen), sorting),
    [value, search, chosen, sorting],
  );
  useEffect(() => {
    if (value !== null) seenFailures.getState().see(shown, value);
  }, [seenFailures, shown, value]);
  const titles = useMemo(
    () => new Map((known ?? []).map((preset) => [preset.id, preset.title] as const)),
    [known],
  );
  const titleOf = (preset: string): string => titles.get(preset) ?? preset;
  const isWhole = useStore(rowsToCome, ({ missing }) => missing === 0);
  const isEmpty = value?.length === 0 && isWhole;
  const some = value !== null && value.length > 0;
  return (
    <Page
      title="Runs"
      bare
      after={value === null ? null : <RunCount shown={shown.length} known={value.length} />}
      actions={<RunsActions searchable={some} />}
    >
      <div className="column runs-page">
        {error === null ? null : <ErrorPanel error={error} />}
        {error === null && !some && !isEmpty ? <Loading label="Reading the runs" /> : null}
        {isEmpty ? <EmptyRuns /> : null}
        {some ? (
          <>
            <RunsAnswer runs={value} titleOf={titleOf} />
            <div className="row wrap runs-bar">
              <FilterChips runs={value} chosen={chosen} titleOf={titleOf} onChange={choose} />
              <SelectionBar {...tickedRuns(value, shown, selected)} shown={shown} />
            </div>
            {shown.length === 0 ? (
              <div className="empty">
                <p>No runs match{search === '' ? ' these filters' : ` “${search}”`}.</p>
                <SmallButton onClick={clear}>Show all runs</SmallButton>
              </div>
            ) : (
              <RunsTable runs={shown} all={value} titleOf={titleOf} sorting={sorting} onSort={setSorting} />
            )}
          </>
        ) : null}
      </div>
    </Page>
  );
}
