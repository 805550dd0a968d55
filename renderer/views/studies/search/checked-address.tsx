import { Button, TextInput } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { onText } from '../../../handlers';

/** A form with several fields is not sent by Enter. */
export const onEnter =
  (check: () => void) =>
  (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    check();
  };

/** The address of a running Triton, or an image, which is asked for once it is typed to the end: by Enter or the button. */
export function CheckedAddress(props: {
  label?: string;
  url: string;
  isChecked: boolean;
  isAsking: boolean;
  error: string | null;
  /** What the server said, once it is checked. */
  answer?: string | null;
  onChange: (url: string) => void;
  onCheck: () => void;
}) {
  const {
    label = 'Triton HTTP address',
    url,
    isChecked,
    isAsking,
    error,
    answer = null,
    onChange,
    onCheck,
  } = props;
  return (
    <TextInput
      label={label}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      description={isChecked ? answer : 'Not checked yet: press Enter or Check.'}
      error={error}
      value={url}
      onChange={onText(onChange)}
      onKeyDown={onEnter(onCheck)}
      rightSectionWidth={96}
      rightSection={
        <Button
          size="compact-xs"
          variant="subtle"
          loading={isAsking}
          leftSection={<IconRefresh size={12} aria-hidden="true" />}
          onClick={onCheck}
        >
          Check
        </Button>
      }
    />
  );
}
