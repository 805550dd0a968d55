import { IconDownload, IconPackageExport, IconPlayerPlay, IconServer2 } from '@tabler/icons-react';
import type { WinnerConfigs } from '../../../../main/contract/study/study';
import { noticeSaved } from '../../../components/action-message';
import { SmallButton } from '../../../components/actions';
import { AskFirst } from '../../../components/confirm-in-place';
import { CopyButton } from '../../../components/copy-button';
import { noticeDone } from '../../../components/notices';
import { useWork } from '../../../use-work';
import { useWorkbench } from '../../../workbench';

function DeployAction(props: { busy: boolean; unchecked: boolean; onDeploy: () => void }) {
  const { busy, unchecked, onDeploy } = props;
  return (
    <AskFirst
      question="Accuracy not checked. Serve this model anyway?"
      action="Serve anyway"
      onConfirm={onDeploy}
    >
      {(ask) => (
        <SmallButton
          icon={IconServer2}
          loading={busy}
          title="Keeps the model serving with this configuration after the workbench is closed"
          onClick={unchecked ? ask : onDeploy}
        >
          Deploy
        </SmallButton>
      )}
    </AskFirst>
  );
}

/** What becomes of the best configuration, a click each. */
export function WinnerActions(props: {
  name: string;
  runId: string;
  /** The best one is not the present one. */
  isChange: boolean;
  configs: WinnerConfigs | null;
  /** Of a search of several: its number from 1, and how it is called. */
  model?: { readonly number: number; readonly title: string };
}) {
  const { name, runId, isChange, configs, model } = props;
  const servedRunId = configs?.runId ?? runId;
  const { client, deployments, route } = useWorkbench();
  const [busy, working] = useWork();
  const given = configs?.unchecked === true ? { allowUnverified: true } : {};
  const deploy = working(async () => {
    const { id, httpUrl } = await client.call('deployments.deploy', {
      ...{ runId: servedRunId, search: name, ...given },
    });
    noticeDone('Serving', `${id} serves at ${httpUrl}`);
    await deployments.getState().load();
    route.getState().go({ page: 'deployments' });
  });
  return (
    <div
      className="row wrap"
      role="group"
      aria-label={model === undefined ? 'Best configuration' : `Best configuration of ${model.title}`}
    >
      {isChange ? (
        <SmallButton
          icon={IconPlayerPlay}
          variant="filled"
          loading={busy}
          title="Continues the run with these values. Everything that depends on them is checked and measured again; the model is kept."
          onClick={working(async () => {
            await client.call('searches.run', { name, ...(model && { model: model.number }) });
            route.getState().go({ page: 'run', runId });
          })}
        >
          Run it
        </SmallButton>
      ) : null}
      <DeployAction busy={busy} unchecked={configs?.unchecked === true} onDeploy={deploy} />
      <SmallButton
        icon={IconPackageExport}
        loading={busy}
        title="Writes the model with this configuration into a folder for production"
        onClick={working(async () => {
          const title = 'Empty folder for the deployment bundle';
          const chosen = await client.call('desktop.choosePath', { kind: 'folder', title });
          if (chosen === null) return;
          const { path } = await client.call('runs.bundle', {
            ...{ runId: servedRunId, out: chosen.path, search: name, ...given },
          });
          noticeDone('Bundle written', path);
        })}
      >
        Bundle…
      </SmallButton>
      {configs === null ? null : (
        <>
          <SmallButton
            icon={IconDownload}
            onClick={working(async () => {
              const file = { fileName: 'config.pbtxt', text: configs.winner };
              noticeSaved(client, await client.call('desktop.saveText', file));
            })}
          >
            config.pbtxt…
          </SmallButton>
          <CopyButton label="Copy config.pbtxt" text={configs.winner} />
        </>
      )}
    </div>
  );
}
