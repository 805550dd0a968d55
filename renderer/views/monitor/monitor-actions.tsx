import { Select } from '@mantine/core';
import {
  IconDownload,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerRecord,
  IconPlayerStop,
} from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { MonitorState } from '../../../main/contract/monitor/monitor';
import { noticeSaved } from '../../components/action-message';
import { ActionMenu, IconButton, IconToggle, MenuAction, SmallButton } from '../../components/actions';
import { attempt, attempting, noticeDone } from '../../components/notices';
import { useReportDialog } from '../../components/report/use-report-dialog';
import { windowMinutes } from '../../stores/monitor';
import { useWorkbench } from '../../workbench';
import { windowText } from './monitor-text';

const exports = [
  ['csv', 'CSV, one row per second'],
  ['html', 'Report, HTML'],
  ['pdf', 'Report, PDF'],
] as const;

export function SaveMenu() {
  const { client } = useWorkbench();
  const save = async (kind: (typeof exports)[number][0]): Promise<void> => {
    noticeSaved(client, await client.call('desktop.saveMonitor', { kind }));
  };
  const report = useReportDialog({ kind: 'monitor' }, () => save('pdf'));
  return (
    <>
      {report.dialog}
      <ActionMenu button={<IconButton icon={IconDownload} label="Export" box="md" size={16} />}>
        {exports.map(([kind, label]) => (
          <MenuAction key={kind} onClick={attempting(() => save(kind))}>
            {label}
          </MenuAction>
        ))}
        {report.item}
      </ActionMenu>
    </>
  );
}

export function MonitorActions(props: { state: MonitorState; changing: boolean; onChange: () => void }) {
  const { state, changing } = props;
  const { client, monitor } = useWorkbench();
  const { minutes, pausedMs, show, pause } = useStore(monitor);
  const live = state.source?.kind === 'live';
  return (
    <>
      <Select
        size="xs"
        w={92}
        aria-label="Length of the window"
        allowDeselect={false}
        data={windowMinutes.map((one) => ({ value: String(one), label: windowText(one) }))}
        value={String(minutes)}
        onChange={(value) => show(Number(value ?? 5))}
      />
      <IconToggle
        icon={pausedMs === null ? IconPlayerPause : IconPlayerPlay}
        label="Pause the charts"
        on={pausedMs !== null}
        onChange={pause}
      />
      {live ? (
        <IconToggle
          icon={IconPlayerRecord}
          label="Record to a file"
          on={state.recording !== null && state.recording.file !== ''}
          onChange={(on) =>
            attempt(async () => {
              await client.call('monitor.record', { on });
              if (!on) noticeDone('Recording saved', 'Listed at the end of this page.');
            })
          }
        />
      ) : null}
      <SaveMenu />
      <SmallButton icon={IconPencil} aria-expanded={changing} onClick={props.onChange}>
        Change address
      </SmallButton>
      <SmallButton icon={IconPlayerStop} onClick={attempting(() => client.call('monitor.stop'))}>
        Stop watching
      </SmallButton>
    </>
  );
}
