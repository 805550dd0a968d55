import { Select } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { type RecordingInfo, replaySpeeds } from '../../../main/contract/monitor/monitor';
import { formatBytes } from '../../../main/contract/numbers';
import { IconAction } from '../../components/actions';
import { attempt, attempting } from '../../components/notices';
import { Panel } from '../../components/panel';
import { formatWhen } from '../../format/times';
import { useWorkbench } from '../../workbench';
import { speedText } from './monitor-text';

export function RecordingsList({ asked }: { asked: string }) {
  const { client } = useWorkbench();
  const [recordings, setRecordings] = useState<readonly RecordingInfo[]>([]);
  const [speed, setSpeed] = useState(10);
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
  if (recordings.length === 0) return null;
  return (
    <Panel
      title="Recordings"
      head={
        <>
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
            onChange={(value) => setSpeed(Number(value ?? 10))}
          />
        </>
      }
    >
      <table className="table">
        <tbody>
          {recordings.slice(0, 20).map(({ file, sizeBytes, changedAt }) => (
            <tr key={file}>
              <td>{file}</td>
              <td className="number">{formatBytes(sizeBytes)}</td>
              <td className="number">{formatWhen(changedAt)}</td>
              <td className="actions-cell">
                <IconAction
                  icon={IconPlayerPlay}
                  label={`Replay ${file}`}
                  onClick={attempting(() => client.call('monitor.replay', { file, speed }))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
