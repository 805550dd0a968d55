import type { MonitorHistory, SeriesField } from '../contract/monitor-history';
import { mostGpus } from '../contract/monitor-limits';
import { moreText } from '../contract/more-text';
import { formatBytes, formatCount, formatShare } from '../contract/numbers';
import { okabeIto } from '../contract/palette';
import { Markup, markup } from '../reports/html/markup';
import { reportChart } from './report-chart';
import { summaryOf } from './report-figures';

const prefix = 'gpu:';
const gib = 1 / 2 ** 30;
const mostCharts = 12;

function gpuRow(history: MonitorHistory, key: string): Markup {
  const figures: readonly (readonly [SeriesField, 'mean' | 'max', (value: number | null) => string])[] = [
    ['utilization', 'mean', formatShare],
    ['utilization', 'max', formatShare],
    ['memoryUsedBytes', 'mean', formatBytes],
    ['memoryUsedBytes', 'max', formatBytes],
    ['memoryTotalBytes', 'max', formatBytes],
    ['powerWatts', 'mean', formatCount],
    ['powerWatts', 'max', formatCount],
    ['powerLimitWatts', 'max', formatCount],
  ];
  const cells = figures.map(
    ([field, of, text]) => markup`<td class="n">${text(summaryOf(history, key, field)[of])}</td>`,
  );
  return markup`<tr><td>${key.slice(prefix.length)}</td>${cells}</tr>`;
}

function charts(history: MonitorHistory, key: string, index: number): Markup {
  const span = history.span();
  if (span === null) return markup``;
  const chart = (field: SeriesField, title: string, unit: string, color: string, factor: number) => {
    const series = history.series(key, field, span.fromMs, span.toMs);
    return reportChart(`${field}${index}`, title, unit, [
      { name: title.toLowerCase(), color, factor, series },
    ]);
  };
  const drawn = [
    chart('utilization', 'Utilization', '%', okabeIto.blue, 100),
    chart('memoryUsedBytes', 'Memory used', 'GiB', okabeIto.green, gib),
    chart('powerWatts', 'Power', 'W', okabeIto.orange, 1),
  ];
  return markup`<h3>${key.slice(prefix.length)}</h3><div class="charts">${drawn.map(
    (svg) => markup`<figure>${new Markup(svg)}</figure>`,
  )}</div>`;
}

/** Utilization, memory and power of every GPU that the metrics told of; nothing where they told of none. Pure. */
export function gpuSection(history: MonitorHistory): Markup {
  const known = history.keys().filter((key) => key.startsWith(prefix));
  const keys = known.slice(0, mostGpus);
  const more = moreText(known.length - keys.length + (history.latest()?.more?.gpus ?? 0), 'GPU');
  if (keys.length === 0) return markup``;
  return markup`<h2>GPUs</h2><table><thead><tr><th>GPU</th><th class="n">Utilization, mean</th><th class="n">max</th><th class="n">Memory, mean</th><th class="n">max</th><th class="n">total</th><th class="n">Power, W, mean</th><th class="n">max</th><th class="n">limit</th></tr></thead><tbody>${keys.map(
    (key) => gpuRow(history, key),
  )}</tbody></table>
${more === null ? markup`` : markup`<p class="soft">${more}</p>`}
${keys.slice(0, mostCharts).map((key, index) => charts(history, key, index))}`;
}
