import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { DockerFacts, EngineStatus } from '../../../main/contract/machine';
import { engineWords, inContainers, isProcess } from '../../../main/contract/run/engine-kinds';
import { Remedy } from '../../components/copy-button';
import { Panel } from '../../components/panel';
import { InstallTools } from '../../components/setup/install-tools';
import { Status } from '../../components/status-text';
import { Facts } from '../../components/table';
import { dockerFacts } from './machine-text';

const availableStyle = { icon: IconCircleCheck, tone: 'good', text: 'Available' } as const;
const missingStyle = { icon: IconAlertTriangle, tone: 'warn', text: 'Not available' } as const;

export function EngineCard(props: {
  engine: EngineStatus;
  docker: DockerFacts;
  /** The window can install what the local engine lacks. */
  installable: boolean;
}) {
  const { engine, docker, installable } = props;
  return (
    <Panel
      title={engineWords(engine.kind).name}
      head={<Status {...(engine.available ? availableStyle : missingStyle)} />}
    >
      <div className="panel-body stack">
        {engine.version === null ? null : <p>Version {engine.version}</p>}
        {engine.note === '' ? null : <p className="dim">{engine.note}</p>}
        {engine.remedy === null || (isProcess(engine) && installable) ? null : (
          <Remedy text={engine.remedy} />
        )}
        {isProcess(engine) && !engine.available ? <InstallTools brief /> : null}
        {inContainers(engine) ? <Facts facts={dockerFacts(docker)} /> : null}
      </div>
    </Panel>
  );
}
