import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { reasonAgainst } from '../../../main/contract/run/run-content';
import { ErrorPanel } from '../../components/error-panel';
import { onText } from '../../handlers';
import { onSubmit, useFormWork } from '../../use-form-work';
import { useWorkbench } from '../../workbench';
import { saveComparison } from './compare-tools';

function SaveForm({ onDone }: { onDone: () => void }) {
  const workbench = useWorkbench();
  const saved = useStore(workbench.comparisons, ({ value }) => value) ?? [];
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const { busy, error, begin } = useFormWork();
  const reason = reasonAgainst(typed);
  const isTaken = saved.some((one) => one.name === name);
  const save = async (): Promise<void> => {
    await saveComparison(workbench, name);
    onDone();
  };
  return (
    <form className="stack" onSubmit={onSubmit(() => begin('submit', save))}>
      <TextInput
        label="Name"
        description="Opens these runs again, with their order and p99 budget: under Saved, and in the palette."
        maxLength={80}
        data-autofocus
        error={reason}
        value={typed}
        onChange={onText(setTyped)}
      />
      {isTaken ? <p className="tone-warn">Replaces the saved comparison of this name.</p> : null}
      {error === null ? null : <ErrorPanel error={error} />}
      <Button type="submit" loading={busy !== null} disabled={name === '' || reason !== null}>
        Save comparison
      </Button>
    </form>
  );
}

export function SaveDialog() {
  const { overlay } = useWorkbench();
  const { shown, close } = useStore(overlay);
  return (
    <Modal opened={shown === 'save-comparison'} onClose={close} title="Save comparison">
      {shown === 'save-comparison' ? <SaveForm onDone={close} /> : null}
    </Modal>
  );
}
