import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { formatBytes } from '../../../main/contract/numbers';
import type { RetiredRun } from '../../../main/contract/settings/storage';
import { attempting } from '../../components/notices';
import { ScrollTable, TableHead } from '../../components/table';
import { formatWhen } from '../../format/times';
import { useWorkbench } from '../../workbench';
import { SettingRow } from './setting-control';

interface Asked {
  readonly days: number;
  readonly runs: readonly RetiredRun[];
}

const daysText = (days: number): string => (days === 1 ? '1 day' : `${days} days`);

function RetiredList({ asked, onDone }: { asked: Asked; onDone: () => void }) {
  const { settings } = useWorkbench();
  const { days, runs } = asked;
  const what = runs.length === 1 ? 'This run moves' : `These ${runs.length} runs move`;
  return (
    <div className="stack">
      <p>
        {what} to the trash when the window starts again, and later ones as they become older than{' '}
        {daysText(days)}. The first start more than a day after that deletes them for good. Name, tag or
        annotate a run to keep it.
      </p>
      <div className="dialog-list">
        <ScrollTable label="Runs that move to the trash">
          <TableHead headings={['Run', 'Preset', 'Created', { title: 'Size', number: true }]} />
          <tbody>
            {runs.map(({ runId, preset, createdAt, bytes }) => (
              <tr key={runId}>
                <td>{runId}</td>
                <td>{preset}</td>
                <td>{formatWhen(createdAt)}</td>
                <td className="number">{formatBytes(bytes)}</td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      </div>
      <div className="buttons">
        <Button variant="default" data-autofocus onClick={onDone}>
          Keep all runs
        </Button>
        <Button
          className="danger-button"
          onClick={attempting(async () => {
            await settings.getState().set('runs.keepDays', days);
            onDone();
          })}
        >
          Keep runs for {daysText(days)}
        </Button>
      </div>
    </div>
  );
}

export function KeepRunsRow({ value }: { value: number | null }) {
  const { client, settings } = useWorkbench();
  const [asked, setAsked] = useState<Asked | null>(null);
  /** A new key redraws the field with the valid value. */
  const [drawn, setDrawn] = useState(0);
  const done = (): void => {
    setAsked(null);
    setDrawn(drawn + 1);
  };
  return (
    <>
      <SettingRow
        key={drawn}
        id="runs.keepDays"
        value={value}
        set={async (days) => {
          const isWhole = typeof days === 'number' && Number.isInteger(days) && days > 0 && days < 36_500;
          const runs = isWhole ? await client.call('settings.retired', { days }) : [];
          if (isWhole && runs.length > 0) setAsked({ days, runs });
          else await settings.getState().set('runs.keepDays', days);
        }}
      />
      <Modal opened={asked !== null} onClose={done} size={720} title="Move older runs to the trash?">
        {asked === null ? null : <RetiredList asked={asked} onDone={done} />}
      </Modal>
    </>
  );
}
