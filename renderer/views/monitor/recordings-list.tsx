import { Select } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { type RecordingInfo, replaySpeeds } from '../../../main/contract/monitor/monitor';
import { formatBytes, formatCount } from '../../../main/contract/numbers';
import { moreText } from '../../../main/contract/words';
import { CompactButton, IconAction } from '../../components/actions';
import { attempt, attempting } from '../../components/notices';
import { Panel } from '../../components/panel';
import { numeric, TableHead } from '../../components/table';
import { formatAge, formatWhen } from '../../format/times';
import { useWorkbench } from '../../workbench';
import { speedText } from './monitor-text';

function useRecordings(asked: string): readonly RecordingInfo[] {
  const { client } = useWorkbench();
  const [recordings, setRecordings] = useState<readonly RecordingInfo[]>([]);
  useEffect(() => {
    let wanted = true;
    attempt(async () => {
      const list = await client.call('monitor.recordings');
      if (wanted) setRecordings(list);
    });
    return () => {
      wanted = false;
    };
  }, [client, asked]);
  return recordings;
}

/** "localhost:8000 on gpu1"; a file whose head cannot be read has no server. */
const serverOf = ({ url }: RecordingInfo): string => (url ?? 'unknown server').replace(/^https?:\/\//, '');

function ServerChoice(props: {
  servers: readonly string[];
  value: string;
  onChange: (server: string) => void;
}) {
  const servers = props.servers.map((name) => ({ value: name, label: name }));
  return (
    <Select
      size="xs"
      w={220}
      aria-label="Server of the recordings"
      allowDeselect={false}
      data={[{ value: '', label: 'All servers' }, ...servers]}
      value={props.value}
      onChange={(value) => props.onChange(value ?? '')}
    />
  );
}

const headings = [
  'Server',
  'Started',
  numeric('Length'),
  numeric('Size'),
  'File',
  { title: 'Actions', hidden: true },
];
const step = 20;

/** @param asked path of the recording that is being written @param server only those of this server; absent: all, one server to choose */
export function RecordingsList({ asked, server }: { asked: string; server?: string }) {
  const { client } = useWorkbench();
  const recordings = useRecordings(asked);
  const [speed, setSpeed] = useState(0);
  const [chosen, setChosen] = useState('');
  const [room, setRoom] = useState(step);
  const of = server ?? chosen;
  // The one that is being written is not complete yet.
  const known = recordings.filter(({ file }) => server === undefined || !asked.endsWith(`/${file}`));
  const found = known.filter((one) => of === '' || serverOf(one) === of);
  if ((server === undefined ? known : found).length === 0) return null;
  const servers = [...new Set(known.map(serverOf))];
  const more = moreText(Math.max(0, found.length - room), 'recording');
  return (
    <Panel
      title={server === undefined ? 'Recordings' : 'Earlier recordings of this server'}
      note={server === undefined ? undefined : 'Opening one stops watching.'}
      head={
        <>
          {server === undefined && servers.length > 1 ? (
            <ServerChoice servers={servers} value={chosen} onChange={setChosen} />
          ) : null}
          <label className="dim" htmlFor="replay-speed">
            Speed
          </label>
          <Select
            id="replay-speed"
            size="xs"
            w={150}
            allowDeselect={false}
            data={replaySpeeds.map((one) => ({ value: String(one), label: speedText(one) }))}
            value={String(speed)}
            onChange={(value) => setSpeed(Number(value ?? 0))}
          />
        </>
      }
    >
      <table className="table">
        <TableHead headings={headings} />
        <tbody>
          {found.slice(0, room).map((recording) => {
            const { file, sizeBytes, changedAt, startedAt } = recording;
            return (
              <tr key={file}>
                <td>{serverOf(recording)}</td>
                <td>{formatWhen(startedAt ?? changedAt)}</td>
                <td className="number">
                  {startedAt === null ? '' : formatAge(startedAt, Date.parse(changedAt))}
                </td>
                <td className="number">{formatBytes(sizeBytes)}</td>
                <td className="dim">{file}</td>
                <td className="actions-cell">
                  <IconAction
                    icon={IconPlayerPlay}
                    label={`Replay ${file}`}
                    onClick={attempting(() => client.call('monitor.replay', { file, speed }))}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {more === null ? null : (
        <div className="panel-body row-actions">
          <span className="dim">{more}</span>
          <CompactButton onClick={() => setRoom(room + step)}>
            Show {formatCount(Math.min(step, found.length - room))} more
          </CompactButton>
        </div>
      )}
    </Panel>
  );
}
