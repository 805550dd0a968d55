import { Checkbox } from '@mantine/core';
import { IconCopy, IconDots, IconPencil, IconTag, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { RunSummary } from '../../../main/contract/api';
import { jobPlace, queueOf } from '../../../main/contract/job/run-job';
import { formatDuration, formatMs, formatRate, missing } from '../../../main/contract/numbers';
import { originMark } from '../../../main/contract/run/run-content';
import { shortWaitText } from '../../../main/contract/run/run-events';
import { accuracyText, isDeployedRow } from '../../../main/contract/run/run-outcome';
import { ActionMenu, BareIcon, MenuAction } from '../../components/actions';
import { attempting } from '../../components/notices';
import { AccuracyText, RunStatusText } from '../../components/status-text';
import { formatAge, formatStart, formatWhenFully } from '../../format/times';
import { stopClick } from '../../handlers';
import { useWorkbench } from '../../workbench';
import { removeRuns, runAgain } from './run-tools';

function Accuracy({ run }: { run: RunSummary }) {
  const { word, of } = run.accuracy;
  if (word === 'not checked') return <span className="dim">{word}</span>;
  return (
    <>
      <AccuracyText word={word} />
      {of === null ? null : (
        <span className="second-line" title={of}>
          {of}
        </span>
      )}
    </>
  );
}

export function AnswerRate({ chosen, answer }: Pick<RunSummary, 'chosen' | 'answer'>) {
  if (answer === null) return missing;
  return (
    <span title={answer.text}>
      {chosen?.steady === false ? '○ ' : ''}
      {formatRate(chosen?.inferencesPerSecond)}
      {answer.mark === null ? null : <span className="second-line tone-warn">{answer.mark}</span>}
    </span>
  );
}

function Engine({ run: { engine, servedBy } }: { run: RunSummary }) {
  if (servedBy === null) return engine;
  return (
    <span title={`Served by ${servedBy.text}`}>
      {engine}
      {servedBy.short === '' ? null : <span className="second-line">{servedBy.short}</span>}
    </span>
  );
}

/** Of the steps that are done: nothing while it works. */
const Duration = ({ run: { durationUs, status } }: { run: RunSummary }) =>
  durationUs === undefined || status === 'running' ? null : (
    <span className="second-line" title="Time of its steps, without pauses">
      in {formatDuration(durationUs)}
    </span>
  );

function RowMenu(props: {
  run: RunSummary;
  name: string;
  opened: boolean;
  onChange: (opened: boolean) => void;
  onEdit: () => void;
}) {
  const { run, name, opened, onChange, onEdit } = props;
  const workbench = useWorkbench();
  const running = run.status === 'running';
  return (
    <ActionMenu
      opened={opened}
      onChange={onChange}
      button={<BareIcon icon={IconDots} size={16} label={`Actions of ${name}`} />}
    >
      <MenuAction icon={IconPencil} onClick={() => workbench.overlay.getState().rename(run.runId)}>
        Rename…
      </MenuAction>
      <MenuAction icon={IconTag} onClick={onEdit}>
        Edit tags and note
      </MenuAction>
      <MenuAction
        icon={IconCopy}
        disabled={!isDeployedRow(run)}
        title={isDeployedRow(run) ? undefined : 'The workbench did not deploy this model'}
        onClick={attempting(() => runAgain(workbench, run.runId))}
      >
        Run again with changes
      </MenuAction>
      <MenuAction
        icon={IconTrash}
        disabled={running}
        title={running ? 'Cancel the run first' : undefined}
        onClick={attempting(() => removeRuns(workbench, [run]))}
      >
        Delete
      </MenuAction>
    </ActionMenu>
  );
}

function narrowText({ profile, engine, accuracy }: RunSummary): string {
  return `${profile} · ${engine} · accuracy ${accuracyText(accuracy)}`;
}

function RunName(props: { run: RunSummary; name: string; fullName: string; onOpen: () => void }) {
  const { run, name, fullName, onOpen } = props;
  return (
    <>
      <span className="run-title" title={`${fullName}\n${run.runId}`}>
        <button
          type="button"
          className="plain-button run-name"
          onClick={(event) => {
            stopClick(event);
            onOpen();
          }}
        >
          {run.name ?? name}
        </button>
        {run.name === null ? null : <span className="dim">{name}</span>}
      </span>
      <span className="second-line run-notes" title={[...run.tags, narrowText(run), run.note].join('\n')}>
        {run.tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
        {originMark[run.origin] === null ? null : <span className="tag">{originMark[run.origin]}</span>}
        <span className="narrow-only">{narrowText(run)} </span>
        {run.note}
      </span>
    </>
  );
}

const outdatedRow = {
  'data-outdated': true,
  title: 'Row from another version of the workbench; it is being updated',
};

export function RunRow(props: {
  run: RunSummary;
  name: string;
  distinction: string | undefined;
  selected: boolean;
  outdated: boolean;
  nowMs: number;
  /** 1-based in the whole list: most rows are not in the document. */
  position: number;
  onEdit: () => void;
}) {
  const { run, name, distinction, onEdit } = props;
  const fullName = run.name ?? `${name} ${distinction ?? ''}`.trim();
  const { route, selection } = useWorkbench();
  const [menu, setMenu] = useState(false);
  const open = (): void => route.getState().go({ page: 'run', runId: run.runId });
  const queue = queueOf(run.waitsFor);
  const where = run.waitsFor === null ? jobPlace(run) : (queue ?? shortWaitText(run.waitsFor));
  return (
    <tr
      data-run={run.runId}
      aria-rowindex={props.position}
      className={props.selected ? 'chosen' : undefined}
      {...(props.outdated ? outdatedRow : {})}
      onClick={open}
      onContextMenu={(event) => {
        event.preventDefault();
        setMenu(true);
      }}
    >
      <td onClick={stopClick}>
        <Checkbox
          size="xs"
          aria-label={`Select ${fullName}`}
          checked={props.selected}
          onChange={() => selection.getState().toggle(run.runId)}
        />
      </td>
      <td>
        <RunName run={run} name={name} fullName={fullName} onOpen={open} />
      </td>
      <td>
        {run.format} {run.precision}
      </td>
      <td>{run.profile}</td>
      <td>
        <Engine run={run} />
      </td>
      <td>
        <RunStatusText
          status={run.status}
          text={queue !== null ? 'Queued' : run.status === 'gate-failed' ? 'Gate not passed' : undefined}
        />
        {where === null ? (
          <Duration run={run} />
        ) : (
          <span className="second-line" title={where}>
            {where}
          </span>
        )}
      </td>
      <td>
        <Accuracy run={run} />
      </td>
      <td className="number">
        <AnswerRate chosen={run.chosen} answer={run.answer} />
      </td>
      <td className="number">{formatMs(run.chosen?.p99Us)}</td>
      <td className="number" title={formatWhenFully(run.createdAt)}>
        {formatStart(run.createdAt)}
        <span className="second-line">{formatAge(run.createdAt, props.nowMs)} ago</span>
      </td>
      <td onClick={stopClick}>
        <RowMenu run={run} name={fullName} opened={menu} onChange={setMenu} onEdit={onEdit} />
      </td>
    </tr>
  );
}
