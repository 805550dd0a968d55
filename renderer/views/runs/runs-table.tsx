import { Checkbox, TagsInput, TextInput } from '@mantine/core';
import { Fragment, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { RunSummary } from '../../../main/contract/api';
import { CompactButton } from '../../components/actions';
import { SortHead } from '../../components/sort-head';
import { useScrolled } from '../../components/use/use-scrolled';
import { useNow } from '../../components/use/use-time';
import { onText } from '../../handlers';
import { onSubmit } from '../../use-form-work';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';
import { facetCounts } from './filter-runs';
import { runDistinctions } from './run-distinctions';
import { RunRow } from './run-row';
import { nextSorting, type SortColumn, type Sorting } from './sort-runs';
import { tickShown } from './ticked-runs';

/** Pixels; as in the style sheet. */
const rowHeight = 42;
const spare = 8;

interface Column {
  readonly column: SortColumn;
  readonly title: string;
  readonly number?: true;
  /** Pixels, or a length of CSS. */
  readonly width?: number | string;
}

const columns: readonly Column[] = [
  { column: 'preset', title: 'Run' },
  { column: 'format', title: 'Format', width: 116 },
  { column: 'profile', title: 'Profile', width: 64 },
  { column: 'engine', title: 'Engine', width: 'max(138px, 11vw)' },
  { column: 'status', title: 'State', width: 152 },
  { column: 'accuracy', title: 'Accuracy', width: 'max(152px, 8vw)' },
  { column: 'throughput', title: 'Best (inferences/s)', number: true, width: 'max(132px, 9vw)' },
  { column: 'p99', title: 'p99 (ms)', number: true, width: 78 },
  { column: 'started', title: 'Started', number: true, width: 112 },
];

function RunsHead(props: {
  runs: readonly RunSummary[];
  sorting: Sorting;
  onSort: (sorting: Sorting) => void;
}) {
  const { runs, sorting } = props;
  const { selection } = useWorkbench();
  const selected = useStore(selection, (state) => state.runIds);
  const chosen = runs.filter((run) => selected.has(run.runId)).length;
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" style={{ width: 34 }}>
          <Checkbox
            size="xs"
            aria-label="Select all runs shown"
            checked={chosen > 0 && chosen === runs.length}
            indeterminate={chosen > 0 && chosen < runs.length}
            onChange={() => selection.getState().setAll(tickShown(runs, selected, chosen < runs.length))}
          />
        </th>
        {columns.map(({ column, ...heading }) => (
          <SortHead
            key={column}
            {...heading}
            descending={sorting.column === column ? sorting.descending : null}
            onSort={() => props.onSort(nextSorting(sorting, column))}
          />
        ))}
        <th scope="col" style={{ width: 40 }}>
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

function AnnotationForm(props: { run: RunSummary; knownTags: readonly string[]; onDone: () => void }) {
  const { run, onDone } = props;
  const { client, runs } = useWorkbench();
  const [tags, setTags] = useState<string[]>([...run.tags]);
  const [note, setNote] = useState(run.note);
  const [busy, working] = useWork();
  const save = working(async () => {
    await client.call('runs.annotate', { runId: run.runId, tags, note: note.trim() });
    await runs.getState().load();
    onDone();
  });
  return (
    <form
      className="annotation"
      aria-label={`Tags and note of ${run.runId}`}
      onSubmit={onSubmit(save)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone();
      }}
    >
      <TagsInput
        size="xs"
        label="Tags"
        placeholder={tags.length === 0 ? 'Enter adds a tag' : ''}
        data={[...props.knownTags]}
        value={tags}
        maxTags={20}
        onChange={(next) => setTags(next.map((tag) => tag.trim().slice(0, 40)).filter((tag) => tag !== ''))}
        autoFocus
        w={300}
      />
      <TextInput size="xs" label="Note" maxLength={10_000} value={note} onChange={onText(setNote)} flex={1} />
      <CompactButton onClick={onDone}>Cancel</CompactButton>
      <CompactButton variant="filled" type="submit" loading={busy}>
        Save
      </CompactButton>
    </form>
  );
}

const Spacer = ({ rows }: { rows: number }) =>
  rows <= 0 ? null : <tr className="spacer" aria-hidden="true" style={{ height: rows * rowHeight }} />;

/** Only the rows in view are in the document. */
export function RunsTable(props: {
  runs: readonly RunSummary[];
  all: readonly RunSummary[];
  titleOf: (preset: string) => string;
  sorting: Sorting;
  onSort: (sorting: Sorting) => void;
}) {
  const { runs, all, titleOf } = props;
  const { selection, rowsToCome } = useWorkbench();
  const selected = useStore(selection, (state) => state.runIds);
  const outdated = useStore(rowsToCome, (state) => state.outdated);
  const nowMs = useNow(true, 30_000);
  const place = useRef<HTMLDivElement>(null);
  const [view, scrolled] = useScrolled(place);
  const [edited, setEdited] = useState<string | null>(null);
  const knownTags = useMemo(() => facetCounts(all, 'tag').map(([tag]) => tag), [all]);
  const distinctions = useMemo(() => runDistinctions(all), [all]);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare);
  const last = Math.min(runs.length, Math.ceil((view.top + view.height) / rowHeight) + spare);
  return (
    <div
      ref={place}
      className="panel runs-list"
      role="region"
      aria-label="List of runs"
      tabIndex={0}
      onScroll={scrolled}
    >
      <table className="table fixed-table row-table runs-table" aria-rowcount={runs.length + 1}>
        <RunsHead runs={runs} sorting={props.sorting} onSort={props.onSort} />
        <tbody>
          <Spacer rows={first} />
          {runs.slice(first, last).map((run, offset) => (
            <Fragment key={run.runId}>
              <RunRow
                run={run}
                name={titleOf(run.preset)}
                distinction={distinctions.get(run.runId)}
                selected={selected.has(run.runId)}
                outdated={outdated.has(run.runId)}
                nowMs={nowMs}
                position={first + offset + 2}
                onEdit={() => setEdited(run.runId)}
              />
              {edited === run.runId ? (
                <tr className="edited">
                  <td colSpan={columns.length + 2}>
                    <AnnotationForm run={run} knownTags={knownTags} onDone={() => setEdited(null)} />
                  </td>
                </tr>
              ) : null}
            </Fragment>
          ))}
          <Spacer rows={runs.length - last} />
        </tbody>
      </table>
    </div>
  );
}
