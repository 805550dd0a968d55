import { type PublishedResults, publishedValue } from '../../contract/measured/baseline';
import { formatCount, formatMs, formatRate } from '../../contract/numbers';
import type { Preset } from '../../contract/run/preset';
import { formatTable } from '../output';
import { presetLines } from './preset-lines';
import { hanging } from './terminal';

/** The highest throughput of each published table, with its hardware. */
function publishedLines({ source, tables }: PublishedResults): readonly string[] {
  const rows = tables.map((table) => {
    const best = table.levels.reduce((a, b) => (b[2] > a[2] ? b : a));
    const p99 = publishedValue(best, 'p99Ms');
    return [
      table.hardware,
      `${table.format} ${table.precision}`,
      table.dataset ?? '',
      table.scenario,
      formatCount(table.levels.length),
      formatRate(best[2]),
      formatMs(p99 === null ? null : p99 * 1000),
    ];
  });
  const header = ['hardware', 'format', 'data set', 'scenario', 'levels', 'most inferences/s', 'p99 ms'];
  return [
    '',
    hanging(`Published figures (${source.title}; ${source.address}, ${source.date}), not measured here:`),
    ...(source.note === undefined ? [] : [hanging(source.note)]),
    formatTable(header, rows),
  ];
}

/** `presets show`. */
export function detailLines(preset: Preset, published: PublishedResults | null): readonly string[] {
  const { origin, byGpu = {}, notes = [] } = preset;
  const gpus = Object.keys(byGpu);
  const about = [
    '',
    `Data set: ${origin.dataset}`,
    `Checkpoint: ${origin.checkpoint}`,
    `Paper: ${origin.paper}`,
    ...(origin.deployment === undefined ? [] : [`Deployment: ${origin.deployment}`]),
    ...gpus
      .slice(0, 1)
      .map((gpu) => `Published defaults for: ${gpus.join(', ')} (--profile full --gpu ${gpu})`),
    ...(notes.length === 0 ? [] : ['', 'Problems of the published procedure, and the fix:']),
    ...notes.flatMap(({ finding, published: wrong, here }) => [
      finding === undefined ? `  ${wrong}` : `  ${finding}: ${wrong}`,
      `      Fix: ${here}`,
    ]),
  ];
  return [
    ...presetLines(preset),
    ...about.map((line) => hanging(line, 2)),
    ...(published === null ? [] : publishedLines(published)),
  ];
}
