import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { onText } from '../../../handlers';
import { useWizard } from '../wizard-context';

/** An argument of the model's code that the profile does not name. */
export function AddArgument() {
  const { draft } = useWizard();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const good = /^[A-Za-z_]\w*$/.test(name);
  return (
    <div className="add-argument" role="group" aria-label="Another argument">
      <TextInput
        size="xs"
        label="Another argument"
        placeholder="name"
        value={name}
        error={name === '' || good ? undefined : 'Only letters, digits and “_”'}
        onChange={onText(setName)}
      />
      <TextInput size="xs" label="Value" value={value} onChange={onText(setValue)} />
      <Button
        size="xs"
        variant="default"
        disabled={!good || value === ''}
        onClick={() => {
          draft.change(['model', 'args', name], value);
          setName('');
          setValue('');
        }}
      >
        Add
      </Button>
    </div>
  );
}
