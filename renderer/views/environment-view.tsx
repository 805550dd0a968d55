import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconRefresh } from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { EngineStatus, MachineStatus } from '../../main/contract/api';
import { CopyButton } from '../components/copy-button';
import { ErrorPanel } from '../components/error-panel';
import { Loading } from '../components/loading';
import { Page } from '../components/page';
import { formatBytes } from '../format/numbers';
import { useWorkbench } from '../workbench';

const engineTitle: Readonly<Record<EngineStatus['kind'], string>> = {
  local: 'Local Triton',
  docker: 'Docker',
  remote: 'Remote Triton',
};

function Engine({ engine }: { engine: EngineStatus }) {
  return (
    <section className="panel">
      <div className="panel-head">
        <h2>{engineTitle[engine.kind]}</h2>
        <span className={engine.available ? 'status tone-good' : 'status tone-warn'}>
          {engine.available ? (
            <IconCircleCheck size={15} aria-hidden="true" />
          ) : (
            <IconAlertTriangle size={15} aria-hidden="true" />
          )}
          {engine.available ? 'Available' : 'Not available'}
        </span>
      </div>
      <div className="panel-body stack">
        {engine.version === null ? null : <p>Version {engine.version}</p>}
        {engine.note === '' ? null : <p className="dim">{engine.note}</p>}
        {engine.remedy === null ? null : (
          <div className="command">
            <span className="remedy">{engine.remedy}</span>
            <CopyButton text={engine.remedy} label="Copy remedy" />
          </div>
        )}
      </div>
    </section>
  );
}

function Facts({ facts }: { facts: readonly (readonly [string, string])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}

function Machine({ machine }: { machine: MachineStatus }) {
  const { environment } = machine;
  const packages = Object.entries(environment.packages);
  return (
    <>
      <section className="panel">
        <div className="panel-head">
          <h2>This machine</h2>
        </div>
        <div className="panel-body">
          <Facts
            facts={[
              ['System', environment.os],
              ['Processor', environment.cpu],
              ['CPUs', String(environment.cpuCount)],
              ['Memory', formatBytes(environment.memoryBytes)],
            ]}
          />
        </div>
      </section>
      <section className="panel">
        <div className="panel-head">
          <h2>GPUs</h2>
        </div>
        <div className="panel-body stack">
          {environment.gpus.length === 0 ? (
            <p className="dim">No NVIDIA GPU answers here. Models run on the CPU.</p>
          ) : (
            environment.gpus.map((gpu) => (
              <Facts
                key={gpu.uuid}
                facts={[
                  ['Name', gpu.name],
                  ['Memory', formatBytes(gpu.memoryBytes)],
                  ['Driver', gpu.driver],
                  ['UUID', gpu.uuid],
                ]}
              />
            ))
          )}
        </div>
      </section>
      {machine.engines.map((engine) => (
        <Engine key={engine.kind} engine={engine} />
      ))}
      {packages.length === 0 ? null : (
        <section className="panel">
          <div className="panel-head">
            <h2>Python packages</h2>
          </div>
          <div className="panel-body">
            <Facts facts={packages} />
          </div>
        </section>
      )}
    </>
  );
}

/** Hardware, engines and versions, with what to do where something is missing. */
export function EnvironmentView() {
  const { machine, app } = useWorkbench();
  const { value, error, loading, load } = useStore(machine);
  const info = useStore(app, (state) => state.value);
  return (
    <Page
      title="Environment"
      actions={
        <Button
          size="xs"
          variant="default"
          loading={loading}
          leftSection={<IconRefresh size={14} aria-hidden="true" />}
          onClick={() => {
            void load();
          }}
        >
          Look again
        </Button>
      }
    >
      <div className="stack">
        {error === null ? null : <ErrorPanel error={error} />}
        {value === null && error === null ? <Loading label="Looking at this machine" /> : null}
        <div className="cards">
          {value === null ? null : <Machine machine={value} />}
          {info === null ? null : (
            <section className="panel">
              <div className="panel-head">
                <h2>Workbench</h2>
              </div>
              <div className="panel-body">
                <Facts
                  facts={[
                    ['Version', info.version],
                    ['Electron', info.electron ?? 'none'],
                    ['Home', info.home],
                  ]}
                />
              </div>
            </section>
          )}
        </div>
      </div>
    </Page>
  );
}
