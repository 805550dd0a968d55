import { useStore } from 'zustand';
import type { ContainerInfo } from '../../../main/contract/docker';
import { useNow } from '../../components/use-now';
import { useWorkbench } from '../../workbench';
import { ContainerRow } from './container-row';
import { sortContainers } from './container-text';

/** The workbench's own containers, those that work first. */
export function ContainerTable({
  containers,
  connected,
}: {
  containers: readonly ContainerInfo[];
  connected: boolean;
}) {
  const { containerStats, containerLog, machine, route, runs } = useWorkbench();
  const readings = useStore(containerStats, (state) => state.value) ?? [];
  const selected = useStore(containerLog, (state) => state.id);
  const gpus = useStore(machine, (state) => state.value?.gpus.gpus) ?? [];
  const known = useStore(runs, (state) => state.value) ?? [];
  const now = useNow(true);
  return (
    <table className="table containers-table">
      <thead>
        <tr>
          <th scope="col">Container</th>
          <th scope="col">Run</th>
          <th scope="col">State</th>
          <th scope="col">Image</th>
          <th scope="col">Ports</th>
          <th scope="col" className="number">
            CPU
          </th>
          <th scope="col" className="number">
            Memory
          </th>
          <th scope="col">GPU</th>
          <th scope="col" className="number">
            Age
          </th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
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
            selected={container.id === selected}
            connected={connected}
            onOpenRun={
              known.some((run) => run.runId === container.runId)
                ? () => {
                    route.getState().go({ page: 'run', runId: container.runId });
                  }
                : null
            }
            onSelect={() => {
              containerLog.getState().open(container);
            }}
          />
        ))}
      </tbody>
    </table>
  );
}
