import type { Repeats } from '../../contract/results';
import { repeatsText } from '../../contract/repeats';
import { formatMs, formatRate, missing } from '../../contract/numbers';
import type { ReportLevel } from '../report';
import type { Markup } from './markup';
import { markup } from './markup';

const shown = [
  { title: 'Inferences/s', of: 'inferencesPerSecond', text: formatRate },
  { title: 'p50, ms', of: 'p50Us', text: formatMs },
  { title: 'p90, ms', of: 'p90Us', text: formatMs },
  { title: 'p95, ms', of: 'p95Us', text: formatMs },
  { title: 'p99, ms', of: 'p99Us', text: formatMs },
] as const;

/** Of levels with a schedule alone. */
const fromSchedule = (['p50Us', 'p99Us', 'maxUs'] as const).map((of) => ({
  title: `${of.replace('Us', '')} from schedule, ms`,
  of,
}));

type Range = Repeats['ranges']['p50Us'];

const cell = (range: Range, text: (value: number) => string): Markup =>
  markup`<td class="n">${range === undefined ? missing : `${text(range.min)} – ${text(range.max)}`}</td>`;

const hasSchedule = ({ point }: ReportLevel): boolean => point?.repeats?.scheduledRanges !== undefined;

function row({ batchSize, loadText, point }: ReportLevel, schedule: boolean): Markup | null {
  const { repeats } = point ?? {};
  if (repeats === undefined) return null;
  return markup`
<tr><td class="n">${batchSize}</td><td class="n">${loadText}</td><td class="n">${repeatsText(repeats) ?? ''}</td>${shown.map(
    ({ of, text }) => cell(repeats.ranges[of], text),
  )}${schedule ? fromSchedule.map(({ of }) => cell(repeats.scheduledRanges?.[of], formatMs)) : ''}<td class="n">${repeats.middle}</td></tr>`;
}

/** Smallest and largest value of every level that was measured several times; nothing where none was. */
export function repeatsTable(rows: readonly ReportLevel[]): Markup | null {
  const schedule = rows.some(hasSchedule);
  const titles = [...shown, ...(schedule ? fromSchedule : [])];
  const found = rows.flatMap((level) => row(level, schedule) ?? []);
  if (found.length === 0) return null;
  return markup`<h3>Repeats</h3>
<p class="lead">The table and the charts show the median of the repeats; here is the smallest and the largest of them. The rounds went over all levels in turn. What has no median (windows, histogram, composing models, client) is of the repeat in the last column, whose throughput is nearest the median.</p>
<table class="detail"><thead><tr><th class="n">Batch</th><th class="n">Load</th><th class="n">Measured</th>${titles.map(
    ({ title }) => markup`<th class="n">${title}</th>`,
  )}<th class="n">Details of repeat</th></tr></thead><tbody>${found}
</tbody></table>`;
}
