import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { reasonAgainst } from '../../../main/contract/run/run-content';
import { ErrorPanel } from '../../components/error-panel';
import { onText } from '../../handlers';
import { onSubmit, useFormWork } from '../../use-form-work';
import { useWorkbench } from '../../workbench';
import { SameNameNote } from './same-name-note';

function RenameForm(props: { runId: string; before: string; onDone: () => void }) {
  const { runId, before, onDone } = props;
  const { client, runs } = useWorkbench();
  const [name, setName] = useState(before);
  const { busy, error, begin } = useFormWork();
  const reason = reasonAgainst(name);
  const save = async (): Promise<void> => {
    await client.call('runs.rename', { runId, name: name.trim() === '' ? null : name.trim() });
    await runs.getState().load();
    onDone();
  };
  return (
    <form className="stack" onSubmit={onSubmit(() => begin('submit', save))}>
      <TextInput
        label="Name"
        description={
          <>
            Names the run in lists, reports and on the command line. Leave it empty to remove the name.
            <SameNameNote name={name} runId={runId} />
          </>
        }
        maxLength={80}
        data-autofocus
        error={reason}
        value={name}
        onChange={onText(setName)}
      />
      {error === null ? null : <ErrorPanel error={error} />}
      <Button type="submit" loading={busy !== null} disabled={reason !== null}>
        Rename
      </Button>
    </form>
  );
}

export function RenameDialog() {
  const { overlay, runs } = useWorkbench();
  const { renamed, close } = useStore(overlay);
  const before = useStore(runs, ({ value }) => value?.find(({ runId }) => runId === renamed)?.name ?? '');
  return (
    <Modal opened={renamed !== null} onClose={close} title="Rename run">
      {renamed === null ? null : <RenameForm key={renamed} runId={renamed} before={before} onDone={close} />}
    </Modal>
  );
}
