import { NumberInput, TextInput } from '@mantine/core';
import { IconFile, IconX } from '@tabler/icons-react';
import { fieldAt } from '../../../../main/contract/fields/fields';
import type { SearchRequest } from '../../../../main/contract/study/search';
import { IconButton } from '../../../components/actions';
import { attempting } from '../../../components/notices';
import { useWorkbench } from '../../../workbench';

/** What is typed; a file that is empty: no trace. */
export interface ReplayText {
  readonly file: string;
  readonly fromS: number | string;
  readonly toS: number | string;
  /** Has no field here. */
  readonly speed: number;
}
const noReplay: ReplayText = { file: '', fromS: '', toS: '', speed: 1 };

export function replayTextOf(replay: SearchRequest['replay']): ReplayText {
  if (replay === undefined) return noReplay;
  const { file, fromS, toS = '', speed } = replay;
  return { file, fromS, toS, speed };
}

/** The trace that a search is to replay; nothing where none is chosen. */
export function replayOf({ file, fromS, toS, speed }: ReplayText): Pick<SearchRequest, 'replay'> {
  if (file === '') return {};
  return {
    replay: {
      ...{ file, speed, fromS: typeof fromS === 'number' ? fromS : 0 },
      ...(typeof toS === 'number' ? { toS } : {}),
    },
  };
}

/** With what holds where nothing is typed: there is room for a number. */
const parts = [
  { name: 'fromS', absent: '0' },
  { name: 'toS', absent: 'the end' },
] as const;

/** A recorded trace in place of Poisson arrivals; the file is chosen, which is consent to read it. */
export function ReplayField({
  replay,
  onChange,
}: {
  replay: ReplayText;
  onChange: (replay: ReplayText) => void;
}) {
  const { client } = useWorkbench();
  const isChosen = replay.file !== '';
  const title = 'Choose replayed trace';
  const choose = async (): Promise<void> => {
    const chosen = await client.call('desktop.choosePath', { kind: 'file', title });
    if (chosen !== null) onChange({ ...replay, file: chosen.path, speed: 1 });
  };
  return (
    <div className="row">
      <TextInput
        label={fieldAt('performance.replay.file').label}
        flex={2}
        readOnly
        placeholder="none: requests arrive as a Poisson process"
        value={replay.file}
        rightSectionWidth={isChosen ? 62 : 34}
        rightSection={
          <>
            {isChosen ? (
              <IconButton icon={IconX} label="Remove replayed trace" onClick={() => onChange(noReplay)} />
            ) : null}
            <IconButton icon={IconFile} label={title} onClick={attempting(choose)} />
          </>
        }
      />
      {isChosen
        ? parts.map(({ name, absent }) => {
            const { label, unit = '' } = fieldAt(`performance.replay.${name}`);
            return (
              <NumberInput
                key={name}
                label={`${label} (${unit})`}
                flex={1}
                min={0}
                placeholder={absent}
                value={replay[name]}
                onChange={(value) => onChange({ ...replay, [name]: value })}
              />
            );
          })
        : null}
    </div>
  );
}
