import { Menu } from '@mantine/core';
import { IconDownload, IconFileImport, IconRestore } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { sameValue } from '../../../main/contract/trees';
import { noticeSaved } from '../../components/action-message';
import { SmallButton } from '../../components/actions';
import { attempting } from '../../components/notices';
import { ownModelOf, settledChoice } from '../../stores/draft/draft-state';
import { useWorkbench } from '../../workbench';

interface ImportProps {
  asNew?: boolean;
  onTaken?: () => void;
}

export function useImport({ asNew = false, onTaken }: ImportProps = {}): () => void {
  const { client, draft } = useWorkbench();
  return attempting(async () => {
    const file = await client.call('desktop.openText');
    if (file === null) return;
    await draft.getState().importText(file.fileName, file.text, { asNew });
    onTaken?.();
  });
}

export const ImportConfiguration = (props: ImportProps) => (
  <SmallButton
    icon={IconFileImport}
    title="run.yaml, a runner configuration, an environment file or a config.pbtxt"
    onClick={useImport(props)}
  >
    Open configuration…
  </SmallButton>
);

export function WizardActions() {
  const { client, draft, overlay } = useWorkbench();
  const { overrides, startOver } = useStore(draft);
  const save = async (as: 'run-yaml' | 'shell'): Promise<void> => {
    const { fileName, text } = await client.call('spec.export', { ...(await settledChoice(draft)), as });
    noticeSaved(client, await client.call('desktop.saveText', { fileName, text }));
  };
  return (
    <>
      <ImportConfiguration />
      <SmallButton
        title="Builds the model of this draft, and finds the configuration with the highest load within a latency target"
        onClick={attempting(async () => {
          overlay.getState().search({ choice: await settledChoice(draft) });
        })}
      >
        Find the best configuration
      </SmallButton>
      <SmallButton
        title="Starts several runs of this draft that differ in two fields"
        onClick={attempting(async () => {
          overlay.getState().vary(await settledChoice(draft));
        })}
      >
        Vary…
      </SmallButton>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <SmallButton icon={IconDownload}>Export</SmallButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={attempting(() => save('run-yaml'))}>run.yaml, for the command line</Menu.Item>
          <Menu.Item onClick={attempting(() => save('shell'))}>Shell script</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SmallButton
        variant="subtle"
        color="gray"
        icon={IconRestore}
        title="Set every field to the default of this model. Undo brings the settings back."
        disabled={sameValue(overrides, ownModelOf(overrides))}
        onClick={startOver}
      >
        Reset settings
      </SmallButton>
    </>
  );
}
