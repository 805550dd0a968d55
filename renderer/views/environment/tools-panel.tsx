import { Button } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleMinus,
  IconCircleX,
  IconDownload,
} from '@tabler/icons-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { formatBytes } from '../../../main/contract/numbers';
import {
  componentFacts,
  type ComponentId,
  type ComponentStatus,
  costText,
  updateText,
  withDependents,
} from '../../../main/contract/setup';
import { CompactButton } from '../../components/actions';
import { AskFirst } from '../../components/confirm-in-place';
import { useWayTo } from '../../components/links';
import { attempt, attempting } from '../../components/notices';
import { Panel } from '../../components/panel';
import { SetupEnd, SetupProgress } from '../../components/setup/setup-progress';
import { Status, type StatusWord } from '../../components/status-text';
import { useWorkbench } from '../../workbench';

const styles: Readonly<Record<ComponentStatus['state'], StatusWord>> = {
  ready: { icon: IconCircleCheck, tone: 'good', text: 'Installed' },
  missing: { icon: IconCircleMinus, tone: 'dim', text: 'Not installed' },
  outdated: { icon: IconAlertTriangle, tone: 'warn', text: 'Outdated' },
  broken: { icon: IconCircleX, tone: 'bad', text: 'Incomplete' },
};

function removeQuestion(id: ComponentId, all: readonly ComponentStatus[]): string {
  const others = withDependents([id]).filter(
    (other) => other !== id && all.some((status) => status.id === other && status.state !== 'missing'),
  );
  const titles = others.map((other) => componentFacts[other].title).reverse();
  const also = titles.length === 0 ? '' : ` and what needs it (${titles.join(', ')})`;
  return `Remove ${componentFacts[id].title}${also}?`;
}

function RowActions({ status, all }: { status: ComponentStatus; all: readonly ComponentStatus[] }) {
  const { tools } = useWorkbench();
  const { install, repair, remove } = useStore(tools);
  const busy = useStore(tools, ({ work }) => work?.status === 'running');
  const { id, state } = status;
  const { title } = componentFacts[id];
  const button = (label: string, onClick: () => void) => (
    <CompactButton disabled={busy} aria-label={`${label} ${title}`} onClick={onClick}>
      {label}
    </CompactButton>
  );
  const installing = attempting(() => install([id]));
  const repairing = attempting(() => repair([id]));
  return (
    <AskFirst question={removeQuestion(id, all)} action="Remove" onConfirm={attempting(() => remove([id]))}>
      {(ask) => (
        <div className="buttons">
          {state === 'missing' ? button('Install', installing) : null}
          {state === 'outdated' ? button('Update', installing) : null}
          {state === 'missing' ? null : button('Repair', repairing)}
          {state === 'missing' ? null : button('Remove', ask)}
        </div>
      )}
    </AskFirst>
  );
}

function Row({ status, all }: { status: ComponentStatus; all: readonly ComponentStatus[] }) {
  const { id, state, version, bytes, outdated } = status;
  const { title, use } = componentFacts[id];
  const facts = [version, bytes === null ? null : formatBytes(bytes)].filter((fact) => fact !== null);
  return (
    <li className="tool" data-tool={id} data-state={state}>
      <Status {...styles[state]} />
      <div className="tool-text">
        <p>
          <span className="check-title">{title}</span>{' '}
          {facts.length === 0 ? null : <span className="dim">{facts.join(' · ')}</span>}
        </p>
        <p className="dim">{use}</p>
        {outdated === undefined ? null : <p className="tone-warn">{outdated}</p>}
        {state === 'ready' ? null : (
          <p className="dim">
            {state === 'outdated' ? updateText(status, all) : 'To install'}: {costText(id)}.
          </p>
        )}
      </div>
      <RowActions status={status} all={all} />
    </li>
  );
}

function ImagesRow() {
  const wayTo = useWayTo();
  const { images } = useWorkbench();
  const { value, error, load } = useStore(images);
  useEffect(() => void load(), [load]);
  const own = value?.filter((image) => image.use !== null) ?? [];
  const listed = own.map(({ tags, sizeBytes }) => `${tags[0] ?? 'no tag'} (${formatBytes(sizeBytes)})`);
  const style = own.length === 0 ? styles.missing : styles.ready;
  const text =
    value === null
      ? error === null
        ? 'Loading'
        : 'Docker is unreachable.'
      : own.length === 0
        ? 'None on this machine.'
        : listed.join(', ');
  return (
    <li className="tool" data-tool="images">
      <Status {...style} text={own.length === 0 ? 'None' : 'On the engine'} />
      <div className="tool-text">
        <p className="check-title">Container images</p>
        <p className="dim">{text}</p>
      </div>
      <div className="buttons">
        <CompactButton onClick={wayTo({ page: 'containers' })}>Show images</CompactButton>
      </div>
    </li>
  );
}

export function ToolsPanel() {
  const { tools } = useWorkbench();
  const { components, work, install, loadComponents } = useStore(tools);
  useEffect(() => attempt(loadComponents), [loadComponents]);
  if (components === null) return null;
  const due = components
    .filter(({ id, state }) => componentFacts[id].required && state !== 'ready')
    .map(({ id }) => id);
  const running = work?.status === 'running';
  return (
    <Panel
      title="Tools"
      note="For runs outside of Docker, in the workbench home"
      head={
        due.length === 0 || running ? null : (
          <Button
            size="compact-xs"
            leftSection={<IconDownload size={14} aria-hidden="true" />}
            onClick={attempting(() => install(due))}
          >
            {components.some(({ state }) => state === 'outdated')
              ? 'Install and update all'
              : 'Install all missing'}
          </Button>
        )
      }
    >
      {running || work?.status === 'failed' || work?.status === 'cancelled' ? (
        <div className="panel-body">{running ? <SetupProgress work={work} /> : <SetupEnd work={work} />}</div>
      ) : null}
      <ul className="tools">
        {components.map((status) => (
          <Row key={status.id} status={status} all={components} />
        ))}
        <ImagesRow />
      </ul>
    </Panel>
  );
}
