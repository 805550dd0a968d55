import { Button, Loader } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { toolList } from '../../main/contract/machine';
import { useWorkbench } from '../workbench';
import { attempt } from './notices';

/** How many lines of the set-up are shown: the rest scrolls by. */
const shownLines = 6;

/** Installs the missing tools from where they are missed, with its progress; nothing where that is impossible or needless. */
export function InstallTools() {
  const { tools, machine } = useWorkbench();
  const { work, install, cancel } = useStore(tools);
  const facts = useStore(machine, ({ value }) => value?.tools ?? null);
  if (work?.status === 'running') {
    return (
      <div className="install-tools" role="status" aria-label="Installation">
        <div className="install-head">
          <Loader size={14} />
          <span>Installing the missing tools. The download may take several minutes.</span>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              attempt(cancel);
            }}
          >
            Cancel installation
          </Button>
        </div>
        <pre className="install-lines">{work.lines.slice(-shownLines).join('\n')}</pre>
      </div>
    );
  }
  if (facts === null || facts.missing.length === 0 || !facts.installable) return null;
  const failed = work?.status === 'failed' ? work.error : null;
  return (
    <div className="install-tools">
      {failed === null ? null : (
        <div role="alert" className="field-error">
          <p>The installation failed: {failed.message}</p>
          {failed.details === undefined ? null : (
            <details>
              <summary>Last lines of the setup</summary>
              <pre className="install-lines">{failed.details}</pre>
            </details>
          )}
        </div>
      )}
      <Button
        size="xs"
        leftSection={<IconDownload size={14} aria-hidden="true" />}
        title={`Installs ${toolList(facts.missing)} into the workbench home folder`}
        onClick={() => {
          attempt(install);
        }}
      >
        {failed === null ? 'Install missing tools' : 'Install again'}
      </Button>
    </div>
  );
}
