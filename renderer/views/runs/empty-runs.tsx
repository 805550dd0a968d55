import { Button } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconPlayerPlay,
  IconPlus,
} from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { MachineStatus } from '../../../main/contract/machine';
import { PageLink, useWayTo } from '../../components/links';
import { InstallTools } from '../../components/setup/install-tools';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';
import { demoState } from './demo-state';
import { type MachineRow, machineRows } from './machine-row-text';

const styles = {
  here: [IconCircleCheck, 'tone-good', 'Available'],
  missing: [IconAlertTriangle, 'tone-warn', 'Missing'],
  absent: [IconCircleDashed, 'dim', 'Not on this machine'],
} as const;

const Row = ({ row }: { row: MachineRow }) => {
  const [Glyph, tone, word] = styles[row.state];
  return (
    <li data-machine={row.id} data-state={row.state}>
      <Glyph size={16} className={tone} aria-label={word} role="img" />
      <strong>{row.title}</strong>
      <span className="dim">{row.text}</span>
    </li>
  );
};

function MachineRows() {
  const { machine } = useWorkbench();
  const status: MachineStatus | null = useStore(machine, ({ value }) => value);
  if (status === null) return null;
  return (
    <section className="panel machine-rows" aria-label="This machine">
      <ul>
        {machineRows(status).map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ul>
      <PageLink to={{ page: 'environment' }}>
        All checks, and what to install, on the Environment page
      </PageLink>
    </section>
  );
}

export function EmptyRuns() {
  const { client, machine, route } = useWorkbench();
  const status = useStore(machine, ({ value }) => value);
  const wayTo = useWayTo();
  const [starting, working] = useWork();
  const demo = demoState(status);
  const start = async (overrides: Readonly<Record<string, unknown>>): Promise<void> => {
    const spec = await client.call('presets.resolve', { preset: 'resnet50', overrides: { ...overrides } });
    const { runId } = await client.call('runs.start', { spec });
    route.getState().go({ page: 'run', runId });
  };
  return (
    <div className="empty tall">
      <h2>No runs yet</h2>
      <p>
        The demo trains a small ResNet-50 for a few seconds, exports it, serves it on a Triton Inference
        Server on this machine, checks its accuracy, measures latency and throughput, and writes the report.
        It takes a few minutes.
      </p>
      {demo.why === null ? null : (
        <p className="demo-why tone-bad" role="alert">
          <IconAlertTriangle size={16} aria-hidden="true" />
          <span>{demo.why}</span>
        </p>
      )}
      {demo.canInstall ? <InstallTools /> : null}
      <div className="row wrap">
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
          loading={starting}
          disabled={demo.why !== null}
          onClick={working(() => start({}))}
        >
          Start the ResNet-50 demo
        </Button>
        {demo.canUseDocker ? (
          <Button
            variant="default"
            disabled={starting}
            onClick={working(() => start({ engine: { kind: 'docker' } }))}
          >
            Start the demo in Docker
          </Button>
        ) : null}
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden="true" />}
          onClick={wayTo({ page: 'new' })}
        >
          Deploy another model
        </Button>
      </div>
      <MachineRows />
    </div>
  );
}
