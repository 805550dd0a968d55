import type { SlowRequests, TracedPart } from '../../contract/measured/slow-requests';
import { formatMs } from '../../contract/numbers';
import { partColors } from '../../domain/measured/slow/part-colors';
import {
  partText,
  slowHeader,
  type SlowLevel,
  slowNotes,
  slowRows,
  slowText,
} from '../../domain/measured/slow/slow-text';
import { type Markup, markup } from './markup';

const width = 500;
const height = 12;
const gap = 5;
const labels = 84;

const groups = [
  ['medianUs', 'Around the median'],
  ['slowUs', 'Slowest'],
] as const;

/** A stacked bar per group over the same axis. */
function bars(slow: SlowRequests): Markup {
  const colors = partColors(slow.parts);
  const longestUs = Math.max(slow.medianUs, slow.slowUs, 1);
  const wide = (us: number): number => ((width - labels) * us) / longestUs;
  const rows = groups.map(([group, name], row) => {
    const y = row * (height + gap);
    let x = labels;
    const stack = slow.parts.map((part: TracedPart, at) => {
      const from = x;
      x += wide(part[group]);
      return markup`<rect x="${from.toFixed(1)}" y="${y}" width="${wide(part[group]).toFixed(1)}" height="${height}" fill="${colors[at] ?? ''}"><title>${partText(part)}: ${formatMs(part[group])} ms</title></rect>`;
    });
    return markup`<text x="0" y="${y + height - 3}" font-size="8">${name}</text>${stack}`;
  });
  const label = `Mean latency of ${slow.model} by part: around the median ${formatMs(slow.medianUs)} ms, slowest ${formatMs(slow.slowUs)} ms`;
  return markup`<svg viewBox="0 0 ${width} ${2 * height + gap}" role="img" aria-label="${label}">${rows}</svg>`;
}

const swatch = (color: string | undefined): Markup =>
  color === undefined
    ? markup``
    : markup`<svg width="7" height="7" aria-hidden="true"><rect width="7" height="7" fill="${color}"/></svg> `;

function table(slow: SlowRequests): Markup {
  const colors = partColors(slow.parts);
  const [first, ...numbers] = slowHeader;
  return markup`<table class="slow"><thead><tr><th>${first}</th>${numbers.map((name) => markup`<th class="n">${name}</th>`)}</tr></thead><tbody>${slowRows(
    slow,
  ).map(
    ([name = '', ...cells], at) => markup`
<tr><td>${swatch(colors[at])}${name}</td>${cells.map((cell) => markup`<td class="n">${cell}</td>`)}</tr>`,
  )}
</tbody></table>`;
}

const ofModel = (
  slow: SlowRequests,
): Markup => markup`<p><strong>${slow.model}</strong>: ${slowText(slow)}</p>
<div class="charts"><figure class="wide">${bars(slow)}</figure></div>
${table(slow)}
${slowNotes(slow).map((note) => markup`<p class="key">${note}</p>`)}`;

const levelPart = ({ title, slow, problem }: SlowLevel): Markup => markup`<h3>${title}</h3>
${problem === null ? slow.map(ofModel) : markup`<p>Not traced: ${problem}</p>`}`;

/** Traced requests of a run; null without any. */
export function slowSection({ slow }: { readonly slow: readonly SlowLevel[] }): Markup | null {
  if (slow.length === 0) return null;
  return markup`<section>
<h2>Where slow requests spend their time</h2>
<p class="lead">Requests of each level that were sent once more after all levels, with Triton’s tracing on. They are not part of the results, which are measured without tracing.</p>
${slow.map(levelPart)}
</section>`;
}
