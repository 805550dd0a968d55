import type { GpuFacts, GpuLoad, GpuReport } from '../../../main/contract/machine';
import { formatBytes } from '../../../main/contract/numbers';
import { Facts, numeric, TableHead } from '../../components/table';
import { keptReadings } from '../../stores/gpu-load';
import { type Gauge, gaugesOf, gpuFacts, sparkline } from './gpu-text';

/** Pixels of the drawing; the style sheet scales it. */
const spark = { width: 120, height: 20 } as const;

function GaugeLine({ gauge }: { gauge: Gauge }) {
  const { label, text, share, past } = gauge;
  return (
    <div className="gauge">
      <span className="dim">{label}</span>
      <span className="gauge-text">{text}</span>
      <svg
        className="spark"
        viewBox={`0 0 ${spark.width} ${spark.height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path d={sparkline(past, keptReadings, spark.width, spark.height)} />
      </svg>
      <svg className="meter" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width={(share ?? 0) * 100} height="4" />
      </svg>
    </div>
  );
}

const headings = [
  { title: 'Device', width: 84 },
  numeric('SMs', undefined, 44),
  numeric('Memory', undefined, 152),
  'UUID',
];

function Devices({ gpu }: { gpu: GpuFacts }) {
  if (gpu.mig.devices.length === 0) return null;
  return (
    <section aria-label="MIG devices">
      <h3>MIG devices</h3>
      <table className="table fixed-table small-table">
        <TableHead headings={headings} />
        <tbody>
          {gpu.mig.devices.map((device) => (
            <tr key={device.index}>
              <td>
                GI {device.gpuInstanceId}, CI {device.computeInstanceId}
              </td>
              <td className="number">{device.multiprocessors ?? '–'}</td>
              <td className="number">
                {device.memoryUsedBytes === null ? '' : `${formatBytes(device.memoryUsedBytes)} of `}
                {formatBytes(device.memoryTotalBytes)}
              </td>
              <td className="mono" title={device.uuid ?? undefined}>
                {device.uuid ?? '–'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Processes({ gpu }: { gpu: GpuFacts }) {
  return (
    <section aria-label="Processes">
      <h3>Processes</h3>
      {gpu.processes.length === 0 ? (
        <p className="dim">
          None reported by the driver, which does not always list processes in containers.
        </p>
      ) : (
        <table className="table fixed-table small-table processes">
          <tbody>
            {gpu.processes.map((process) => (
              <tr key={process.pid}>
                <td className="number">{process.pid}</td>
                <td title={process.name}>{process.name}</td>
                <td className="dim">{process.type}</td>
                <td className="number">{formatBytes(process.usedMemoryBytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

export function GpuCard(props: { gpu: GpuFacts; report: GpuReport; history: readonly GpuLoad[] }) {
  const { gpu, report, history } = props;
  return (
    <section className="panel" data-gpu={gpu.index} aria-label={`GPU ${gpu.index}`}>
      <div className="panel-head">
        <h2>{gpu.name}</h2>
        <span className="dim">GPU {gpu.index}</span>
      </div>
      <div className="panel-body stack">
        <div>
          {gaugesOf(gpu, history).map((gauge) => (
            <GaugeLine key={gauge.label} gauge={gauge} />
          ))}
        </div>
        <Facts facts={gpuFacts(gpu, report)} />
        <Devices gpu={gpu} />
        <Processes gpu={gpu} />
      </div>
    </section>
  );
}
