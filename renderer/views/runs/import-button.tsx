import { Button, Modal, NumberInput, TextInput } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { useState } from 'react';
import { SmallButton } from '../../components/actions';
import { ErrorPanel } from '../../components/error-panel';
import { attempting } from '../../components/notices';
import { onText } from '../../handlers';
import { onSubmit, useFormWork } from '../../use-form-work';
import { useWorkbench } from '../../workbench';

function ImportForm({ path, onDone }: { path: string; onDone: () => void }) {
  const { client, runs, route } = useWorkbench();
  const [model, setModel] = useState('');
  const [batchSize, setBatchSize] = useState<number>(1);
  const { busy, error, begin } = useFormWork();
  const submit = async (): Promise<void> => {
    const request = { path, batchSize, ...(model.trim() === '' ? {} : { model: model.trim() }) };
    const imported = await client.call('runs.import', request);
    await runs.getState().load();
    onDone();
    // Of several they are the newest of the list.
    if (imported.runs.length === 1) route.getState().go({ page: 'run', runId: imported.runId });
  };
  return (
    <form className="stack" onSubmit={onSubmit(() => begin('submit', submit))}>
      <p className="cut" title={path}>
        {path}
      </p>
      <p className="dim">A file of perf_analyzer contains neither the model name nor the batch size.</p>
      <TextInput
        label="Model"
        placeholder="named after the file"
        maxLength={128}
        data-autofocus
        value={model}
        onChange={onText(setModel)}
      />
      <NumberInput
        label="Batch size of each request"
        min={1}
        max={1_000_000}
        allowDecimal={false}
        value={batchSize}
        onChange={(value) => setBatchSize(typeof value === 'number' && value >= 1 ? value : 1)}
      />
      {error === null ? null : <ErrorPanel error={error} />}
      <Button type="submit" loading={busy !== null}>
        Import
      </Button>
    </form>
  );
}

export function ImportButton() {
  const { client } = useWorkbench();
  const [path, setPath] = useState<string | null>(null);
  const close = (): void => setPath(null);
  return (
    <>
      <SmallButton
        icon={IconFileImport}
        onClick={attempting(async () => {
          const chosen = await client.call('desktop.choosePath', {
            kind: 'file',
            title: 'CSV file or profile export of perf_analyzer, or CSV file of Model Analyzer',
          });
          if (chosen !== null) setPath(chosen.path);
        })}
      >
        Import
      </SmallButton>
      <Modal opened={path !== null} onClose={close} title="Import results">
        {path === null ? null : <ImportForm path={path} onDone={close} />}
      </Modal>
    </>
  );
}
