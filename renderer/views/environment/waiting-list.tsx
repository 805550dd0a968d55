import { IconCircleCheck, IconLoader2 } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { useDelayed } from '../../components/use-time';
import { useWorkbench } from '../../workbench';

/** What has answered and what has not, while the machine is looked at for the first time. */
export function WaitingList() {
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
              <li key={what} className="wait">
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
