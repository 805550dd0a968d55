import { largestOf } from '../../contract/extremes';
import { formatMs } from '../../contract/numbers';
import type { LoadPoint } from '../../contract/results';
import { Markup, markup } from './markup';

const width = 96;
const height = 16;

/** A level's latencies as small bars over a logarithmic axis; a dash where the tool does not keep them. */
export function histogramPicture(point: LoadPoint | null): Markup {
  const histogram = point?.histogram;
  const largest = Math.max(0, largestOf(histogram?.counts ?? []));
  if (histogram === undefined || largest === 0) return markup`–`;
  const { counts, edgesUs } = histogram;
  const bar = width / counts.length;
  const bars = counts.map((count, index) => {
    // A class with a single request is still seen.
    const tall = count === 0 ? 0 : Math.max(0.8, (height * count) / largest);
    return `<rect x="${(index * bar).toFixed(1)}" y="${(height - tall).toFixed(1)}" width="${(bar * 0.85).toFixed(1)}" height="${tall.toFixed(1)}"/>`;
  });
  const range = `${formatMs(edgesUs[0])} to ${formatMs(edgesUs.at(-1))} ms`;
  return markup`<svg class="histogram" viewBox="0 0 ${width} ${height}" role="img" aria-label="Latencies from ${range}">${new Markup(bars.join(''))}</svg><br><span class="range">${range}</span>`;
}
