import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { DockerFacts, EngineStatus } from '../../../main/contract/machine';
import { Panel } from '../../components/panel';
import { Remedy } from '../../components/remedy';
import { InstallTools } from '../../components/setup/install-tools';
import { Status } from '../../components/status-text';
import { Facts } from '../../components/table';
import { dockerFacts } from './machine-text';

const engineTitle: Readonly<Record<EngineStatus['kind'], string>> = {
  local: 'Local Triton',
  docker: 'Docker',
  remote: 'Remote Triton',
  slurm: 'Slurm',
  kubernetes: 'Kubernetes',
};

/** A place to run Triton: whether it can be used, and what to do where it cannot. */
export function EngineCard(props: {
  engine: EngineStatus;
  docker: DockerFacts;
  /** The window can install what the local engine lacks. */
  installable: boolean;
}) {
  const { engine, docker, installable } = props;
  return (
    <Panel
      title={engineTitle[engine.kind]}
      head={
        engine.available ? (
          <Status icon={IconCircleCheck} tone="good">
            Available
          </Status>
        ) : (
          <Status icon={IconAlertTriangle} tone="warn">
            Not available
          </Status>
        )
      }
    >
      <div className="panel-body stack">
        {engine.version === null ? null : <p>Version {engine.version}</p>}
        {engine.note === '' ? null : <p className="dim">{engine.note}</p>}
        {engine.remedy === null || (engine.kind === 'local' && installable) ? null : (
          <Remedy text={engine.remedy} />
        )}
        {engine.kind === 'local' && !engine.available ? <InstallTools brief /> : null}
        {engine.kind === 'docker' ? <Facts facts={dockerFacts(docker)} /> : null}
      </div>
    </Panel>
  );
}
