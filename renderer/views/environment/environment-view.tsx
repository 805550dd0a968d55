import { IconAlertTriangle, IconCircleCheck, IconLoader2, IconRefresh } from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { MachineStatus } from '../../../main/contract/machine';
import { SmallButton } from '../../components/actions';
import { Answer } from '../../components/answer';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { Panel } from '../../components/panel';
import { Facts } from '../../components/table';
import { useDelayed, usePoll } from '../../components/use/use-time';
import { gpuKey } from '../../stores/gpu-load';
import { useWorkbench } from '../../workbench';
import { CheckList } from './check-list';
import { checkSummary } from './check-summary';
import { EngineCard } from './engine-card';
import { GpuCard } from './gpu-card';
import { machineFacts } from './machine-text';
import { ToolsPanel } from './tools-panel';

function GpuSection() {
  const { gpus, machine } = useWorkbench();
  const { report: live, error, history, load } = useStore(gpus);
  const first = useStore(machine, (state) => state.value?.gpus ?? null);
  const report = live ?? first;
  usePoll(load, live === null || live.gpus.length > 0 || (first?.gpus.length ?? 0) > 0);
  if (error !== null) return <ErrorPanel error={error} />;
  if (report === null) return null;
  return (
    <>
      {report.gpus.map((gpu) => (
        <GpuCard key={gpuKey(gpu)} gpu={gpu} report={report} history={history[gpuKey(gpu)] ?? []} />
      ))}
      {report.gpus.length > 0 && report.problem === null ? null : (
        <Panel title="GPUs">
          <div className="panel-body stack">
            {report.gpus.length === 0 ? <p>No NVIDIA GPU detected. Models run on the CPU.</p> : null}
            {report.problem === null ? null : report.gpus.length === 0 ? (
              // A machine without a GPU has no nvidia-smi: nothing is wrong with it.
              <p className="dim">{report.problem}</p>
            ) : (
              <p className="problem-line">
                <IconAlertTriangle size={15} aria-hidden="true" className="tone-warn" />
                {report.problem}
              </p>
            )}
          </div>
        </Panel>
      )}
    </>
  );
}

function WaitingList() {
  const { docker, gpus } = useWorkbench();
  const connection = useStore(docker, (state) => state.state?.connection ?? null);
  const gpusRead = useStore(gpus, (state) => state.report !== null || state.error !== null);
  const late = useDelayed(true);
  const waits = [
    { what: 'GPUs (nvidia-smi)', done: gpusRead },
    { what: 'Docker', done: connection === 'connected' || connection === 'unavailable' },
    { what: 'Engines, disks, ports, versions and preflight', done: false },
  ];
  return (
    <div role="status" className="stack">
      <span className="visually-hidden">Checking this machine</span>
      {late ? (
        <section className="panel panel-body stack">
          <p>Checking this machine. Components that do not respond in time are shown as a problem.</p>
          <ul>
            {waits.map(({ what, done }) => (
              <li key={what} className="row wait">
                {done ? (
                  <IconCircleCheck size={15} aria-hidden="true" className="tone-good" />
                ) : (
                  <IconLoader2 size={15} aria-hidden="true" className="tone-info turning" />
                )}
                {what}
                <span className="dim">{done ? 'answered' : 'waiting'}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </div>
  );
}

function FactsCard({ title, facts }: { title: string; facts: readonly (readonly [string, string])[] }) {
  if (facts.length === 0) return null;
  return (
    <Panel title={title}>
      <div className="panel-body">
        <Facts facts={facts} />
      </div>
    </Panel>
  );
}

function Machine({ machine }: { machine: MachineStatus }) {
  const { environment, host, engines, docker, release } = machine;
  const ngc = release === null ? [] : ([['NGC release', release]] as const);
  return (
    <>
      <FactsCard title="This machine" facts={[...machineFacts(environment, host), ...ngc]} />
      {engines.map((engine) => (
        <EngineCard
          key={engine.kind}
          engine={engine}
          docker={docker}
          installable={machine.tools.installable}
        />
      ))}
      <FactsCard title="Python packages" facts={Object.entries(environment.packages)} />
    </>
  );
}

export function EnvironmentView() {
  const { machine, app, gpus, tools } = useWorkbench();
  const components = useStore(tools, (state) => state.components);
  const { value, error, loading, load } = useStore(machine);
  const info = useStore(app, (state) => state.value);
  return (
    <Page
      title="Environment"
      actions={
        <SmallButton
          icon={IconRefresh}
          loading={loading}
          onClick={() => {
            void load();
            void gpus.getState().load();
          }}
        >
          Check again
        </SmallButton>
      }
    >
      <div className="stack">
        {error === null ? null : <ErrorPanel error={error} />}
        {value === null && error === null ? <WaitingList /> : null}
        {value === null ? null : (
          <Answer {...checkSummary(value.checks, value.tools.installable ? (components ?? []) : [])} />
        )}
        {value === null ? null : <CheckList checks={value.checks} installable={value.tools.installable} />}
        {value?.tools.installable === true ? <ToolsPanel /> : null}
        <div className="machine-cards">
          <GpuSection />
          {value === null ? null : <Machine machine={value} />}
          {info === null ? null : (
            <FactsCard
              title="Workbench"
              facts={[
                ['Version', info.version],
                ['Electron', info.electron ?? 'none'],
                ['Home', info.home],
              ]}
            />
          )}
        </div>
      </div>
    </Page>
  );
}
