import { IconPlus, IconRefresh } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { SmallButton } from '../../components/actions';
import { Answer } from '../../components/answer';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { Page } from '../../components/page';
import { numeric, ScrollTable, TableHead } from '../../components/table';
import { useWorkbench } from '../../workbench';
import { AddHostDialog } from './add-host-dialog';
import { HostRow } from './host-row';
import { hostsAnswer } from './hosts-answer';

const headings = [
  'Host',
  'State',
  'GPUs',
  'Docker',
  numeric('Disk free'),
  'In use by',
  { title: 'Actions', hidden: true },
];

function AddButton({ onClick }: { onClick: () => void }) {
  return (
    <SmallButton variant="filled" icon={IconPlus} onClick={onClick}>
      Add host…
    </SmallButton>
  );
}

function NoHosts({ onAdd }: { onAdd: () => void }) {
  return (
    <div className="empty tall">
      <h2>No hosts yet</h2>
      <p>
        A host is another machine with Docker: a GPU server, a workstation, a cloud instance. The workbench
        reaches it by ssh with your keys, by a Docker context, or by TLS, and shows its GPUs, driver, disk and
        what runs there.
      </p>
      <AddButton onClick={onAdd} />
    </div>
  );
}

export function HostsView() {
  const { hosts, overlay } = useWorkbench();
  const { entries, error, load } = useStore(hosts);
  useEffect(() => void load(), [load]);
  const add = () => {
    overlay.getState().show('add-host');
  };
  const isEmpty = entries?.length === 0;
  return (
    <Page
      title="Hosts"
      actions={
        isEmpty ? null : (
          <>
            <SmallButton
              icon={IconRefresh}
              loading={entries?.some(({ asking }) => asking) ?? false}
              onClick={() => {
                void load();
              }}
            >
              Refresh
            </SmallButton>
            <AddButton onClick={add} />
          </>
        )
      }
    >
      {error === null ? null : <ErrorPanel error={error} />}
      {entries === null && error === null ? <Loading label="Reading the list of hosts" /> : null}
      {isEmpty ? <NoHosts onAdd={add} /> : null}
      {entries === null || isEmpty ? null : (
        <div className="column stack">
          <Answer {...hostsAnswer(entries)} />
          <ScrollTable label="Hosts" className="panel-table hosts-table">
            <TableHead headings={headings} />
            <tbody>
              {entries.map((entry) => (
                <HostRow key={entry.host.name} entry={entry} />
              ))}
            </tbody>
          </ScrollTable>
        </div>
      )}
      <AddHostDialog />
    </Page>
  );
}
