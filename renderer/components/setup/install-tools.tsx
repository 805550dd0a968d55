import { IconDownload } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { toolList } from '../../../main/contract/machine';
import { SmallButton } from '../../components/actions';
import { useWorkbench } from '../../workbench';
import { attempting } from '../notices';
import { SetupEnd, SetupProgress } from './setup-progress';

/**
 * Nothing where nothing is missing or it cannot be installed.
 * @param props.brief only the button: the page shows the progress elsewhere
 */
export function InstallTools({ brief = false }: { brief?: boolean }) {
  const { tools, machine } = useWorkbench();
  const { work, install } = useStore(tools);
  const facts = useStore(machine, ({ value }) => value?.tools ?? null);
  if (work?.status === 'running') {
    return brief ? <p className="dim">Installing. See Tools.</p> : <SetupProgress work={work} />;
  }
  if (facts === null || facts.missing.length === 0 || !facts.installable) return null;
  return (
    <div className="column install-tools">
      {brief ? null : <SetupEnd work={work} />}
      <SmallButton
        variant="filled"
        icon={IconDownload}
        title={`Installs ${toolList(facts.missing)} into the workbench home folder`}
        onClick={attempting(() => install(facts.missing))}
      >
        {work?.status === 'failed' && !brief ? 'Install again' : 'Install missing tools'}
      </SmallButton>
    </div>
  );
}
