import { type ReactNode, useMemo, useState } from 'react';
import { type GpuSample, modelKey, type ModelSample } from '../../../main/contract/monitor/monitor';
import type { MonitorHistory } from '../../../main/contract/monitor/monitor-history';
import { formatCount } from '../../../main/contract/numbers';
import { moreText } from '../../../main/contract/words';
import { ChartPanel } from '../../charts/chart-panel';
import { batchSizeChart, gpuChart, probeChart, rateChart } from '../../charts/monitor/monitor-charts';
import { stackChart } from '../../charts/monitor/monitor-stack-chart';
import type { MonitorChartInput } from '../../charts/monitor/monitor-time-chart';
import { SharedCursor } from '../../charts/plot/shared-cursor';
import { CompactButton } from '../../components/actions';
import { useChartTheme } from '../../components/use/use-chart-theme';
import { gpuSentence } from './monitor-text';

const height = 190;
const gpuStep = 8;
const noRequests = <p className="dim">No requests in this time range.</p>;

/** `version`: of the history, which is mutated in place. */
export function ModelCharts(props: {
  history: MonitorHistory;
  version: number;
  model: ModelSample;
  gpus: readonly GpuSample[];
  moreGpus: number;
  fromMs: number;
  toMs: number;
  chosenMs: number;
  /** In the place of the chart of probes before there is one. */
  noProbes?: ReactNode;
}) {
  const { history, version, model, gpus, fromMs, toMs, chosenMs } = props;
  const [room, setRoom] = useState(gpuStep);
  const shownGpus = gpus.slice(0, room);
  const more = moreText(gpus.length - shownGpus.length + props.moreGpus, 'GPU');
  const theme = useChartTheme();
  const [cursor] = useState(() => new SharedCursor());
  const key = `model:${modelKey(model)}`;
  const charts = useMemo(() => {
    const input: MonitorChartInput & { readonly version: number } = {
      history,
      version,
      key,
      fromMs,
      toMs,
      chosenMs,
      theme,
    };
    return [
      { id: 'rate', title: 'Requests', chart: rateChart(input) },
      { id: 'stack', title: 'Server time per request (mean)', chart: stackChart(input) },
      { id: 'probe', title: 'Probe latency, last minute (from scheduled send)', chart: probeChart(input) },
      { id: 'batch', title: 'Batches', chart: batchSizeChart(input) },
    ];
  }, [history, version, key, fromMs, toMs, chosenMs, theme]);
  const file = `monitor-${model.name}`;
  return (
    <div className="charts">
      {charts.map(({ id, title, chart }) => (
        <ChartPanel
          key={id}
          id={`monitor-${id}`}
          title={title}
          chart={chart}
          height={height}
          fileName={file}
          cursor={cursor}
          empty={id === 'probe' ? props.noProbes : id === 'rate' ? undefined : noRequests}
        />
      ))}
      {shownGpus.map((gpu, place) => (
        <ChartPanel
          // By index: a server whose names change every second must not create a chart for each.
          key={place}
          id={`monitor-${gpu.uuid}`}
          title={gpu.uuid}
          chart={gpuChart({ history, key: `gpu:${gpu.uuid}`, fromMs, toMs, chosenMs, theme })}
          height={height}
          fileName={`monitor-${gpu.uuid}`}
          cursor={cursor}
        >
          <span className="dim number cut" title={gpuSentence(gpu)}>
            {gpuSentence(gpu)}
          </span>
        </ChartPanel>
      ))}
      {more === null ? null : (
        <div className="row-actions">
          <span className="dim">{more}</span>
          {gpus.length > room ? (
            <CompactButton onClick={() => setRoom(room + gpuStep)}>
              Show {formatCount(Math.min(gpuStep, gpus.length - room))} more
            </CompactButton>
          ) : null}
        </div>
      )}
    </div>
  );
}
