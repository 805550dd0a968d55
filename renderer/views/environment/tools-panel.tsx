import { Button } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleMinus,
  IconCircleX,
  IconDownload,
} from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { formatBytes } from '../../../main/contract/numbers';
import {
  componentFacts,
  type ComponentId,
  type ComponentStatus,
  costText,
  withDependents,
} from '../../../main/contract/setup';
import { ConfirmInPlace } from '../../components/confirm-in-place';
import { attempt } from '../../components/notices';
import { Panel } from '../../components/panel';
import { SetupEnd, SetupProgress } from '../../components/setup-progress';
import { type Look, Status } from '../../components/status-text';
import { numeric, ScrollTable, TableHead } from '../../components/table';
import { useWorkbench } from '../../workbench';

const looks: Readonly<Record<ComponentStatus['state'], Look & { readonly word: string }>> = {
  ready: { icon: IconCircleCheck, tone: 'good', word: 'Installed' },
  missing: { icon: IconCircleMinus, tone: 'dim', word: 'Not installed' },
  outdated: { icon: IconAlertTriangle, tone: 'warn', word: 'Outdated' },
  broken: { icon: IconCircleX, tone: 'bad', word: 'Incomplete' },
};

const headings = [
  'Tool',
  'State',
  'Version',
  numeric('Size'),
  'To install',
  { title: 'Actions', hidden: true },
];

/** What else goes with it, so that nobody is surprised. Pure. */
function removeQuestion(id: ComponentId, all: readonly ComponentStatus[]): string {
  const others = withDependents([id]).filter(
    (other) => other !== id && all.some((status) => status.id === other && status.state !== 'missing'),
  );
  const titles = others.map((other) => componentFacts[other].title).reverse();
  const also = titles.length === 0 ? '' : `, and with it ${titles.join(', ')}`;
  return `Remove ${componentFacts[id].title}${also}?`;
}

function RowActions({ status, all }: { status: ComponentStatus; all: readonly ComponentStatus[] }) {
  const { tools } = useWorkbench();
  const { install, repair, remove } = useStore(tools);
  const busy = useStore(tools, ({ work }) => work?.status === 'running');
  const [asking, setAsking] = useState(false);
  const { id, state } = status;
  const { title } = componentFacts[id];
  if (asking) {
    return (
      <ConfirmInPlace
        question={removeQuestion(id, all)}
        action="Remove"
        onConfirm={() => {
          setAsking(false);
          attempt(() => remove([id]));
        }}
        onCancel={() => {
          setAsking(false);
        }}
      />
    );
  }
  const button = (label: string, onClick: () => void) => (
    <Button
      size="compact-xs"
      variant="default"
      disabled={busy}
      aria-label={`${label} ${title}`}
      onClick={onClick}
    >
      {label}
    </Button>
  );
  const installing = () => {
    attempt(() => install([id]));
  };
  return (
    <div className="tool-actions">
      {state === 'missing' ? button('Install', installing) : null}
      {state === 'outdated' ? button('Update', installing) : null}
      {state === 'missing'
        ? null
        : button('Repair', () => {
            attempt(() => repair([id]));
          })}
      {state === 'missing'
        ? null
        : button('Remove', () => {
            setAsking(true);
          })}
    </div>
  );
}

function Row({ status, all }: { status: ComponentStatus; all: readonly ComponentStatus[] }) {
  const { id, state, version, bytes } = status;
  const { title, use } = componentFacts[id];
  const { icon, tone, word } = looks[state];
  return (
    <tr data-tool={id} data-state={state}>
      <td>
        {title}
        <div className="dim">{use}</div>
      </td>
      <td>
        <Status icon={icon} tone={tone}>
          {word}
        </Status>
      </td>
      <td>{version ?? <span className="dim">–</span>}</td>
      <td className="number">{bytes === null ? <span className="dim">–</span> : formatBytes(bytes)}</td>
      <td className="dim">{costText(id)}</td>
      <td className="actions-cell">
        <RowActions status={status} all={all} />
      </td>
    </tr>
  );
}

/** What runs outside of Docker: what is installed, what the rest takes, and installing, repairing and removing it. */
export function ToolsPanel() {
  const { tools } = useWorkbench();
  const { components, work, install, loadComponents } = useStore(tools);
  useEffect(() => {
    attempt(loadComponents);
  }, [loadComponents]);
  if (components === null) return null;
  const due = components
    .filter(({ id, state }) => componentFacts[id].required && state !== 'ready')
    .map(({ id }) => id);
  const running = work?.status === 'running';
  return (
    <Panel
      title="Tools"
      note="In the workbench home, for everything outside of Docker"
      head={
        due.length === 0 || running ? null : (
          <Button
            size="compact-xs"
            leftSection={<IconDownload size={14} aria-hidden="true" />}
            onClick={() => {
              attempt(() => install(due));
            }}
          >
            Install all missing
          </Button>
        )
      }
    >
      {running || work?.status === 'failed' || work?.status === 'cancelled' ? (
        <div className="panel-body">{running ? <SetupProgress work={work} /> : <SetupEnd work={work} />}</div>
      ) : null}
      <ScrollTable label="Tools" className="tools-table">
        <TableHead headings={headings} />
        <tbody>
          {components.map((status) => (
            <Row key={status.id} status={status} all={components} />
          ))}
        </tbody>
      </ScrollTable>
      <p className="panel-body dim">Container images are on the Containers page.</p>
    </Panel>
  );
}
