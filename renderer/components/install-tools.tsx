import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { toolList } from '../../main/contract/machine';
import { useWorkbench } from '../workbench';
import { attempt } from './notices';
import { SetupEnd, SetupProgress } from './setup-progress';

/** Installs the missing tools from where they are missed, with its progress; nothing where that is impossible or needless. */
export function InstallTools() {
  const { tools, machine } = useWorkbench();
  const { work, install } = useStore(tools);
  const facts = useStore(machine, ({ value }) => value?.tools ?? null);
  if (work?.status === 'running') return <SetupProgress work={work} />;
  if (facts === null || facts.missing.length === 0 || !facts.installable) return null;
  return (
    <div className="install-tools">
      <SetupEnd work={work} />
      <Button
        size="xs"
        leftSection={<IconDownload size={14} aria-hidden="true" />}
        title={`Installs ${toolList(facts.missing)} into the workbench home folder`}
        onClick={() => {
          attempt(() => install(facts.missing));
        }}
      >
        {work?.status === 'failed' ? 'Install again' : 'Install missing tools'}
      </Button>
    </div>
  );
}
