import { byGpu, isRelative } from '../../contract/measured/by-gpu';
import { deviceColumns } from '../../contract/measured/matrix';
import type { MatrixResult } from '../../contract/measured/matrix-result';
import { gpuCharts } from '../charts/gpu-charts';
import { renderChart } from '../charts/render-chart';
import { tableHead, tableRow } from './column-table';
import { Markup, markup } from './markup';

/** Of {@link gpuSection}. */
export const gpuStyle = `
.by-gpu tbody { break-inside: avoid; }
.by-gpu .device { padding-top: 3mm; font-size: 1.1em; border-bottom: 0; }
.gpu-charts { display: grid; grid-template-columns: 1fr 1fr; gap: 6mm; }
.gpu-charts figure { margin: 3mm 0 0; break-inside: avoid; }
.gpu-charts svg { display: block; width: 100%; height: auto; }
`;

/** The runs of a matrix below the GPU that measured them, with charts; nothing where all were measured on one. */
export function gpuSection(results: readonly MatrixResult[]): Markup | null {
  const groups = byGpu(results);
  const [first] = groups;
  if (first === undefined) return null;
  const columns = deviceColumns(results).filter(({ id }) => id !== 'device');
  const charts = gpuCharts(groups).map((chart) => markup`<figure>${new Markup(renderChart(chart))}</figure>`);
  return markup`<h2>By GPU</h2>
${charts.length === 0 ? null : markup`<div class="gpu-charts">${charts}</div>`}
<table class="matrix by-gpu">${tableHead(columns)}${groups.map(
    ({ device, rows }) => markup`<tbody>
<tr><th class="device" colspan="${columns.length}" scope="rowgroup">${device}</th></tr>${rows.map((row) => tableRow(columns, row))}
</tbody>`,
  )}</table>${
    isRelative(groups)
      ? markup`
<p class="key">Relative throughput: that of the best steady level, divided by that of the same choice on ${first.device}.</p>`
      : null
  }`;
}
