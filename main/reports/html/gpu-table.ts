import { formatBytes, formatCount, formatShare, missing } from '../../contract/numbers';
import type { ReportLevel } from '../report';
import type { Markup } from './markup';
import { markup } from './markup';

function rowsOf({ batchSize, loadText, point }: ReportLevel): readonly Markup[] {
  return (point?.gpus ?? []).map(
    (gpu) => markup`
<tr><td class="n">${batchSize}</td><td class="n">${loadText}</td><td>${gpu.uuid}</td><td class="n">${formatShare(gpu.utilization)}</td><td class="n">${gpu.powerW === null ? missing : `${formatCount(gpu.powerW)} W`}</td><td class="n">${formatBytes(
      gpu.maxMemoryBytes,
    )}</td><td class="n">${formatBytes(gpu.totalMemoryBytes)}</td></tr>`,
  );
}

/** What the tool says of the GPUs level by level; nothing where it says nothing. */
export function gpuTable(rows: readonly ReportLevel[]): Markup | null {
  const found = rows.flatMap(rowsOf);
  if (found.length === 0) return null;
  return markup`<h3>GPUs</h3>
<table class="detail"><thead><tr><th class="n">Batch</th><th class="n">Load</th><th>GPU</th><th class="n">Mean utilization</th><th class="n">Mean power</th><th class="n">Most memory</th><th class="n">All memory</th></tr></thead><tbody>${found}
</tbody></table>`;
}
