import { TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { onText } from '../../handlers';

export function SearchInput({
  label,
  onSearch,
  ...rest
}: TextInputProps & { label: string; onSearch: (text: string) => void }) {
  return (
    <TextInput
      size="xs"
      data-find
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={14} aria-hidden="true" />}
      onChange={onText(onSearch)}
      {...rest}
    />
  );
}
