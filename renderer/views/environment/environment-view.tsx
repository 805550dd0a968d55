import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { MachineStatus } from '../../../main/contract/machine';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { Panel } from '../../components/panel';
import { Facts } from '../../components/table';
import { useWorkbench } from '../../workbench';
import { CheckList } from './check-list';
import { checkSummary } from './check-summary';
import { EngineCard } from './engine-card';
import { GpuSection } from './gpu-section';
import { machineFacts } from './machine-text';
import { ToolsPanel } from './tools-panel';
import { WaitingList } from './waiting-list';

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

/** Whether deployments can run here, what to do where they cannot, and what the machine is. */
export function EnvironmentView() {
  const { machine, app, gpus } = useWorkbench();
  const { value, error, loading, load } = useStore(machine);
  const info = useStore(app, (state) => state.value);
  return (
    <Page
      title="Environment"
      after={
        <span className="dim" role="status">
          {value === null ? null : checkSummary(value.checks)}
        </span>
      }
      actions={
        <Button
          size="xs"
          variant="default"
          loading={loading}
          leftSection={<IconRefresh size={14} aria-hidden="true" />}
          onClick={() => {
            void load();
            void gpus.getState().load();
          }}
        >
          Check again
        </Button>
      }
    >
      <div className="stack">
        {error === null ? null : <ErrorPanel error={error} />}
        {value === null && error === null ? <WaitingList /> : null}
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
