import type { ReactNode } from 'react';
import type { Column } from '../../../../main/contract/measured/column';
import type { StudyDetail } from '../../../../main/contract/study/study';
import { durationText } from '../../../../main/domain/run/time-left';
import { ProgressBar } from '../../../components/loading';
import { Panel } from '../../../components/panel';
import { ColumnTable } from '../../../components/table';

/** The answer so far, with the load that is left. */
export function answerText(study: StudyDetail, hasLooks: boolean): string {
  const { state, sentence, secondsLeft, interrupted } = study;
  const best = state === 'running' && hasLooks ? 'Best so far: ' : '';
  const left = secondsLeft === null ? '' : `, at most ${durationText(secondsLeft)} of load left`;
  const end = interrupted ? ' The process that ran it has ended; Resume continues it.' : '';
  return `${best}${sentence}${left}.${end}`;
}

/** Of its budget, and what is measured. */
export function LoadProgress({ study, share }: { study: StudyDetail; share: number }) {
  if (study.state !== 'running') return null;
  return (
    <div className="stack-small">
      <ProgressBar label={`Load used by ${study.name}`} fraction={Math.min(1, share)} />
      <div className="dim">{study.underWay.join('. ')}.</div>
    </div>
  );
}

/** A figure that is known of no row takes no room. */
export function KnownTable<Of>(props: {
  label: string;
  className?: string;
  columns: readonly Column<Of>[];
  rows: readonly Of[];
  rowClass?: (row: Of) => string | undefined;
}) {
  const { label, className = 'study-runs', rows, rowClass } = props;
  const columns = props.columns.filter((column) => rows.some((row) => (column.read(row) ?? null) !== null));
  if (rows.length === 0) return null;
  return (
    <ColumnTable {...{ label, className, columns, rows }} {...(rowClass === undefined ? {} : { rowClass })} />
  );
}

/** @param props.action beside the line that says what it is for */
export function Untried(props: {
  lines: readonly string[];
  action?: { readonly line: string; readonly button: ReactNode };
}) {
  const { lines, action } = props;
  return (
    <Panel title="What was not tried" level={3}>
      <ul className="panel-body doubts-list">
        {lines.map((line) => (
          <li key={line}>
            {line}. {line === action?.line ? action.button : null}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
