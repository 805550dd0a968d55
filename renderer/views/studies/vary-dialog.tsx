import { Button, Modal, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { fields } from '../../../main/contract/fields/fields';
import type { Choice } from '../../../main/contract/run/spec-tools';
import type { StudySpec } from '../../../main/contract/study/study';
import { ErrorPanel } from '../../components/error-panel';
import { onText } from '../../handlers';
import { onSubmit, useFormWork } from '../../use-form-work';
import { useWorkbench } from '../../workbench';
import { StartStudy } from './start-study';
import { type VariedField, varyText } from './vary-text';

const choices = fields
  .filter(({ path, internal }) => internal !== true && !path.endsWith('.*'))
  .map(({ path, label }) => ({ value: path, label: `${label} (${path})` }));

function AxisInput({
  title,
  axis,
  onChange,
}: {
  title: string;
  axis: VariedField;
  onChange: (axis: VariedField) => void;
}) {
  return (
    <div className="row">
      <Select
        label={title}
        flex={1}
        searchable
        clearable
        data={choices}
        value={axis.path}
        onChange={(path) => onChange({ ...axis, path })}
      />
      <TextInput
        label={`Values of ${title.toLowerCase()}`}
        flex={1}
        placeholder="fp32, fp16"
        value={axis.values}
        onChange={onText((values) => onChange({ ...axis, values }))}
      />
    </div>
  );
}

const noAxis: VariedField = { path: null, values: '' };

function VaryForm({ choice, onDone }: { choice: Choice; onDone: () => void }) {
  const { client } = useWorkbench();
  const [first, setFirst] = useState(noAxis);
  const [second, setSecond] = useState(noAxis);
  const [spec, setSpec] = useState<StudySpec | null>(null);
  const { busy, error, begin } = useFormWork();
  if (spec !== null) return <StartStudy spec={spec} onStarted={onDone} onBack={() => setSpec(null)} />;
  const plan = async (): Promise<void> => {
    const text = varyText(choice, [first, second]);
    setSpec(await client.call('studies.read', { text, fileName: `${choice.preset}-varied.yaml` }));
  };
  return (
    <form className="stack" onSubmit={onSubmit(() => begin('submit', plan))}>
      <p className="dim">
        One run per combination; everything else stays as it is. Separate values with commas, and write a
        value that is a list as [1, 2].
      </p>
      <AxisInput title="First field" axis={first} onChange={setFirst} />
      <AxisInput title="Second field" axis={second} onChange={setSecond} />
      {error === null ? null : <ErrorPanel error={error} />}
      <Button
        type="submit"
        loading={busy !== null}
        disabled={first.path === null || first.values.trim() === ''}
      >
        Plan the runs
      </Button>
    </form>
  );
}

export function VaryDialog() {
  const { overlay } = useWorkbench();
  const { varied, close } = useStore(overlay);
  return (
    <Modal opened={varied !== null} onClose={close} title="Vary" size="lg">
      {varied === null ? null : <VaryForm choice={varied} onDone={close} />}
    </Modal>
  );
}
