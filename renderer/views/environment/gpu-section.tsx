import { IconAlertTriangle } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { ErrorPanel } from '../../components/error-panel';
import { Panel } from '../../components/panel';
import { usePoll } from '../../components/use-time';
import { gpuKey } from '../../stores/gpu-load';
import { useWorkbench } from '../../workbench';
import { GpuCard } from './gpu-card';

/** The GPUs, read once a second while they are shown; where there is none there is nothing to read again. */
export function GpuSection() {
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
