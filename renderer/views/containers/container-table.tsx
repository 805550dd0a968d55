import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { ContainerInfo } from '../../../main/contract/docker';
import { numeric, TableHead } from '../../components/table';
import { useNow } from '../../components/use/use-time';
import { useWorkbench } from '../../workbench';
import { ContainerRow } from './container-row';
import { imageName, sortContainers } from './container-text';

const headings = [
  { title: 'Container', width: 184 },
  'Run',
  { title: 'State', width: 100 },
  { title: 'Image', width: '9%' },
  { title: 'Ports', width: 200 },
  numeric('CPU', undefined, 80),
  numeric('Memory', undefined, 100),
  { title: 'GPU', width: 54 },
  numeric('Age', undefined, 54),
  { title: 'Actions', hidden: true, width: 120 },
];

export function ContainerTable({
  containers,
  connected,
}: {
  containers: readonly ContainerInfo[];
  connected: boolean;
}) {
  const { containerStats, containerLog, images, machine, presets, route, runs } = useWorkbench();
  const readings = useStore(containerStats, (state) => state.value) ?? [];
  const selected = useStore(containerLog, (state) => state.id);
  const gpus = useStore(machine, (state) => state.value?.gpus.gpus) ?? [];
  const known = useStore(runs, (state) => state.value) ?? [];
  const catalog = useStore(presets, (state) => state.value) ?? [];
  const imageList = useStore(images, (state) => state.value);
  const now = useNow(true);
  // Containers are created by the id of their image; its name is in the list of images.
  const unnamed = containers.some(({ imageId }) => imageList?.some(({ id }) => id === imageId) !== true);
  useEffect(() => {
    if (connected && unnamed) void images.getState().load();
  }, [images, connected, unnamed, containers.length]);
  const titleOf = ({ role, runId }: ContainerInfo): string => {
    if (role === 'deployment') return 'Kept serving';
    const run = known.find((one) => one.runId === runId);
    if (run === undefined) return 'Not on this machine';
    const preset = catalog.find(({ id }) => id === run.preset)?.title ?? run.preset;
    return run.name ?? `${preset} ${run.format} ${run.precision}`;
  };
  return (
    <table className="table fixed-table row-table panel-table containers-table">
      <TableHead headings={headings} />
      <tbody>
        {sortContainers(containers).map((container) => (
          <ContainerRow
            key={container.id}
            container={container}
            stats={
              container.state === 'running' ? readings.find((one) => one.id === container.id) : undefined
            }
            gpus={gpus}
            now={now}
            title={titleOf(container)}
            image={imageName(container, imageList ?? [])}
            selected={container.id === selected}
            connected={connected}
            onOpenRun={
              known.some((run) => run.runId === container.runId)
                ? () => route.getState().go({ page: 'run', runId: container.runId })
                : null
            }
            onSelect={() => containerLog.getState().open(container)}
          />
        ))}
      </tbody>
    </table>
  );
}
