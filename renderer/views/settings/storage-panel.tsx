import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useStore } from 'zustand';
import { formatBytes } from '../../../main/contract/numbers';
import { type HomeMovePlan, type StorageReport, storageText } from '../../../main/contract/settings/storage';
import { SmallButton } from '../../components/actions';
import { ErrorPanel } from '../../components/error-panel';
import { attempting } from '../../components/notices';
import { Panel } from '../../components/panel';
import { useWorkbench } from '../../workbench';
import { type CleanChoice, CleanDialog } from './clean-dialog';
import { MoveDialog } from './move-dialog';

function Sizes({ report }: { report: StorageReport }) {
  const { images } = report;
  const rows = report.parts.map(({ id, bytes }) => ({ ...storageText[id], size: formatBytes(bytes) }));
  const ofImages = {
    title: 'Images',
    what: 'built or pulled by the workbench; stored by Docker',
    size: images === null ? 'Docker is unavailable' : formatBytes(images.bytes),
  };
  return (
    <table className="table" aria-label="Sizes">
      <thead className="visually-hidden">
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Contents</th>
          <th scope="col">Size</th>
        </tr>
      </thead>
      <tbody>
        {[...rows, ofImages].map(({ title, what, size }) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            <td className="dim">{what}</td>
            <td className="number">{size}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function HomeRow({ home, fixed }: { home: string; fixed: boolean }) {
  const { client } = useWorkbench();
  const [plan, setPlan] = useState<HomeMovePlan | null>(null);
  const choose = async (): Promise<void> => {
    const chosen = await client.call('desktop.choosePath', { kind: 'folder', title: 'New workbench home' });
    if (chosen !== null) setPlan(await client.call('home.planMove', { to: chosen.path }));
  };
  return (
    <div className="setting" data-setting="home">
      <div>
        <h3>Workbench home</h3>
        <p className="setting-path">{home}</p>
        <p className="dim">
          Runs, deployments, caches, tools and these settings. Window and command line share it.
        </p>
        {fixed ? (
          <p className="dim" id="home-fixed">
            TRITON_WORKBENCH_HOME sets this folder. To move the home, unset the variable, or copy the home
            yourself and set the variable to the new folder.
          </p>
        ) : null}
      </div>
      <div className="buttons">
        <SmallButton onClick={attempting(() => client.call('desktop.openFolder', { folder: 'home' }))}>
          Open folder
        </SmallButton>
        <SmallButton
          disabled={fixed}
          aria-describedby={fixed ? 'home-fixed' : undefined}
          onClick={attempting(choose)}
        >
          Move…
        </SmallButton>
      </div>
      <MoveDialog plan={plan} onClose={() => setPlan(null)} />
    </div>
  );
}

export function StoragePanel({ children }: { children: ReactNode }) {
  const { client, storage, app } = useWorkbench();
  const { value, error } = useStore(storage);
  const info = useStore(app, (state) => state.value);
  const [choice, setChoice] = useState<CleanChoice | null>(null);
  const ask = async (): Promise<void> => {
    const [plan, images] = await Promise.all([
      client.call('home.planClean'),
      client.call('docker.images').catch(() => []),
    ]);
    const unused = images.filter(({ use, containerCount }) => use !== null && containerCount === 0);
    setChoice({ plan, images: unused });
  };
  return (
    <Panel
      title="Storage"
      note={value === null ? null : `${formatBytes(value.freeBytes)} free`}
      head={
        <span data-setting="clean-up">
          <Button size="compact-sm" variant="default" onClick={attempting(ask)}>
            Clean up…
          </Button>
        </span>
      }
    >
      {info === null ? null : <HomeRow home={info.home} fixed={info.homeFixed} />}
      {children}
      {error === null ? null : <ErrorPanel error={error} />}
      {value === null ? <p className="panel-body dim">Measuring…</p> : <Sizes report={value} />}
      <CleanDialog
        choice={choice}
        onDone={(cleaned) => {
          setChoice(null);
          if (cleaned) void storage.getState().load();
        }}
      />
    </Panel>
  );
}
