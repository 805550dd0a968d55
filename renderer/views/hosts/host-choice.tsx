import { NativeSelect } from '@mantine/core';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { onText } from '../../handlers';
import { useWorkbench } from '../../workbench';

export function HostChoice(props: {
  /** '': this machine. */
  value: string;
  onChange: (host: string) => void;
  size?: 'xs';
}) {
  const { hosts } = useWorkbench();
  const entries = useStore(hosts, (state) => state.entries);
  useEffect(() => void hosts.getState().list(), [hosts]);
  const names = (entries ?? []).map(({ host }) => host.name);
  const gone = props.value !== '' && !names.includes(props.value) ? [props.value] : [];
  if (names.length + gone.length === 0) return null;
  return (
    <NativeSelect
      {...(props.size === undefined ? {} : { size: props.size })}
      label="Seen from"
      value={props.value}
      onChange={onText(props.onChange)}
      data={[
        { value: '', label: 'This machine' },
        ...[...names, ...gone].map((name) => ({ value: name, label: `Host ${name}` })),
      ]}
    />
  );
}
