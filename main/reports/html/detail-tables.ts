import {
  cellText,
  type Column,
  halfWidthText,
  rangeText,
  withHalfWidth,
} from '../../contract/measured/column';
import {
  errors,
  latencies,
  meanBatch,
  refused,
  requests,
  scheduled,
  throughput,
  timeSpent,
  windows,
} from '../../contract/measured/columns';
import type { ComposingModelColumns } from '../../contract/measured/composing';
import {
  cache,
  checks,
  comparedResponses,
  composing,
  composingNameIn,
  cpus,
  faultKinds,
  gpus,
  model,
  padding,
  replayed,
  serverPartsTexts,
  streamColumns,
  together,
} from '../../contract/measured/detail-columns';
import { tokenColumns } from '../../contract/measured/generation-columns';
import { latencyIntervalUs, latencyNames, type LoadPoint } from '../../contract/measured/results';
import { wayText } from '../../contract/measured/sent/way';
import { wayColumns } from '../../contract/measured/sent/way-columns';
import { sliceColumns } from '../../contract/measured/slice-columns';
import { refusedCount } from '../../contract/measured/timeline';
import { formatCount, formatMs, missing } from '../../contract/numbers';
import { levelText } from '../../contract/words';
import { longerText } from '../../domain/measured/again';
import { repeatsText } from '../../domain/measured/repeats';
import { shapeLines } from '../../domain/measured/shape-text';
import { largestOf } from '../../domain/statistics';
import type { ReportLevel } from '../report';
import { cells, detailTable, headings, Markup, markup } from './markup';

const width = 96;
const height = 16;

/** Latency bars over a logarithmic axis; a dash without data. */
function histogramPicture(point: LoadPoint | null): Markup {
  const histogram = point?.histogram;
  const largest = Math.max(0, largestOf(histogram?.counts ?? []));
  if (histogram === undefined || largest === 0) return markup`–`;
  const { counts, edgesUs } = histogram;
  const bar = width / counts.length;
  const bars = counts.map((count, index) => {
    // Single requests stay visible.
    const tall = count === 0 ? 0 : Math.max(0.8, (height * count) / largest);
    return `<rect x="${(index * bar).toFixed(1)}" y="${(height - tall).toFixed(1)}" width="${(bar * 0.85).toFixed(1)}" height="${tall.toFixed(1)}"/>`;
  });
  const range = `${formatMs(edgesUs[0])} to ${formatMs(edgesUs.at(-1))} ms`;
  return markup`<svg class="histogram" viewBox="0 0 ${width} ${height}" role="img" aria-label="Latencies from ${range}">${new Markup(bars.join(''))}</svg><br><span class="range">${range}</span>`;
}

type Rows = readonly ReportLevel[];

function stateOf(row: ReportLevel): Markup {
  if (row.marks.length === 0) return markup`<span class="tick yes">● steady</span>`;
  if (row.steady) return markup`<span class="tick yes">● steady</span>, ${row.marks.join(', ')}`;
  // Lines break between the words of two marks only.
  const [first = '', ...others] = row.marks.map((mark, at) =>
    at < row.marks.length - 1 ? `${mark},` : mark,
  );
  return markup`<span class="tick unsure"><span class="unbroken">○ ${first}</span>${others.map((mark) => markup` <span class="unbroken">${mark}</span>`)}</span>`;
}

/** More numbers of a level fit the width only in smaller print. */
const mostUsual = 7;

/** Reliability per level; null without measurements. */
export function samplingTable(rows: Rows, load: string): Markup | null {
  const points = rows.flatMap(({ point }) => point ?? []);
  const reasons = [
    ...new Set(rows.flatMap((row) => (row.point === null ? [] : row.reasons))),
    ...points.flatMap((point) =>
      point.longer === undefined ? [] : `${levelText(point)}: ${longerText(point)}.`,
    ),
  ];
  const before = [
    requests,
    errors,
    ...(points.some((point) => refusedCount(point) > 0) ? [refused] : []),
    windows,
  ];
  const isPadded = points.some(({ paddingShare }) => paddingShare !== undefined);
  const behind = [meanBatch, ...(isPadded ? [padding] : []), timeSpent, ...cpus];
  const table = detailTable(
    rows,
    'Sampling and stability',
    [
      ...headings(before),
      markup`<th class="n">± 95 %, ${throughput.title}</th>`,
      ...headings(behind),
      markup`<th>Latencies, log axis</th><th>State</th>`,
    ],
    (point, row) => [
      [
        ...cells(before, point),
        markup`<td class="n">${halfWidthText(throughput, point)}</td>`,
        ...cells(behind, point),
        markup`<td>${histogramPicture(point)}</td><td>${stateOf(row)}</td>`,
      ],
    ],
    { className: before.length + behind.length > mostUsual ? 'sampling tight' : 'sampling', load },
  );
  if (table === null) return null;
  return markup`${table}
${reasons.length === 0 ? null : markup`<p class="key reasons">${reasons.map((reason, index) => (index === 0 ? reason : ` ${reason}`))}</p>`}`;
}

/** Throughput and latencies with interval half-widths; null without any. */
export const intervalTable = (rows: Rows, load: string): Markup | null =>
  detailTable(
    rows,
    'Intervals, ± 95 %',
    headings([throughput, ...latencies]),
    (point) =>
      latencyNames.every((name) => latencyIntervalUs(point, name) === null)
        ? []
        : [
            [throughput, ...latencies].map(
              (column) => markup`<td class="n">${withHalfWidth(column, point)}</td>`,
            ),
          ],
    { className: 'fixed intervals', load },
  );

/** Minimum and maximum of repeated levels; null without any. */
export function repeatsTable(rows: Rows, load: string): Markup | null {
  const schedule = rows.some(({ point }) => point?.repeats?.scheduledRanges !== undefined);
  const shown: readonly Column[] = [
    throughput,
    ...latencies.filter(({ id }) => id !== 'avg'),
    ...(schedule ? scheduled.filter(({ short }) => ['p50', 'p99', 'max'].includes(short ?? '')) : []),
  ];
  const table = detailTable(
    rows,
    'Repeats',
    [markup`<th class="n">Measured</th>`, ...headings(shown), markup`<th class="n">Details of repeat</th>`],
    (point) =>
      point.repeats === undefined
        ? []
        : [
            [
              markup`<td class="n">${repeatsText(point.repeats) ?? ''}</td>`,
              ...shown.map((column) => markup`<td class="n">${rangeText(column, point) ?? missing}</td>`),
              markup`<td class="n">${point.repeats.middle}</td>`,
            ],
          ],
    { load },
  );
  if (table === null) return null;
  return markup`${table}
<p class="key">The table and the charts show the median of the repeats; this table shows the smallest and the largest of them. Each round covered all levels in turn. Values without a median (windows, histogram, composing models, client) are those of the repeat in the last column, whose throughput is nearest the median.</p>`;
}

/** Sequence and stream columns; null without any. */
export function streamTable(rows: Rows, load: string): Markup | null {
  const points = rows.flatMap(({ point }) => point ?? []);
  // The page has room for percentiles only; the CSV has the mean.
  const columns = streamColumns(points, ({ short }) => short !== 'avg' && short !== 'max');
  if (columns.length === 0) return null;
  return detailTable(rows, 'Sequences and streams', headings(columns), (point) => [cells(columns, point)], {
    load,
  });
}

/** Tokens of language models; null without any. */
export const tokensTable = (rows: Rows, load: string): Markup | null =>
  detailTable(
    rows,
    'Tokens',
    headings(tokenColumns),
    (point) => (point.generation === undefined ? [] : [cells(tokenColumns, point)]),
    { load },
  );

/** Checked responses; null without checks. */
export const checksTable = (rows: Rows, load: string): Markup | null =>
  detailTable(
    rows,
    'Checks of responses',
    [...headings([...checks, comparedResponses]), markup`<th>Checked for</th>`],
    (point) =>
      point.outputChecks === undefined
        ? []
        : [
            [
              ...cells([...checks, comparedResponses], point),
              markup`<td>names, types, shapes${point.outputChecks.finite ? ', finite values' : ''}</td>`,
            ],
          ],
    { load },
  );

/** TLS verification; null without TLS. */
export const tlsTable = (rows: Rows, load: string): Markup | null =>
  detailTable(
    rows,
    'TLS',
    [markup`<th>Certificate of the server</th>`, markup`<th>Certificate of the client</th>`],
    ({ tls }) =>
      tls === undefined
        ? []
        : [
            [
              tls.verified
                ? markup`<td>verified</td>`
                : markup`<td><span class="tick unsure">not verified</span></td>`,
              markup`<td>${tls.clientCertificate ? 'sent' : 'none'}</td>`,
            ],
          ],
    { load },
  );

/** What was sent of a trace; null where none was replayed. */
export const replayTable = (rows: Rows, load: string): Markup | null =>
  detailTable(
    rows,
    'Replayed trace',
    [markup`<th>Sent</th>`],
    (point) => (point.replay === undefined ? [] : [[markup`<td>${cellText(replayed, point)}</td>`]]),
    { load },
  );

/** What the stages of a level came to; null without stages. */
export const stagesTable = (rows: Rows, load: string): Markup | null =>
  detailTable(
    rows,
    'Stages',
    [markup`<th>Result</th>`],
    (point) => (point.stages === undefined ? [] : [[markup`<td>${shapeLines(point).join(' ')}</td>`]]),
    { load },
  );

/** Direct and through a gateway, by parts of the latency; null without a gateway. */
export function wayTable(rows: Rows, load: string): Markup | null {
  const table = detailTable(
    rows,
    'Through the gateway',
    headings(wayColumns),
    ({ way }) => (way?.rows ?? []).map((row) => cells(wayColumns, row)),
    { load },
  );
  const texts = rows.flatMap(({ point }) =>
    point?.way === undefined ? [] : [`${levelText(point)}: ${wayText(point.way)}`],
  );
  return table === null
    ? null
    : markup`${table}
${texts.map((text) => markup`<p>${text}</p>`)}`;
}

/** A page of them. */
const mostSlices = 40;

const sliceCount = ({ point }: ReportLevel): number => point?.timeline?.slices.length ?? 0;

/** Results by time slice, of more than a page those of one level; null without any. @param chosen the level of the answer */
export function slicesTable(rows: Rows, load: string, chosen: LoadPoint | null): Markup | null {
  const sliced = rows.filter((row) => sliceCount(row) > 0);
  const all = sliced.reduce((sum, row) => sum + sliceCount(row), 0);
  const one = sliced.find(({ point }) => point === chosen) ?? sliced.at(-1);
  const isWhole = all <= mostSlices;
  const table = detailTable(
    isWhole || one === undefined ? sliced : [one],
    'Time slices',
    headings(sliceColumns),
    (point) => (point.timeline?.slices ?? []).slice(0, mostSlices).map((slice) => cells(sliceColumns, slice)),
    { load },
  );
  if (table === null || isWhole) return table;
  return markup`${table}
<p class="key">time-slices.csv has all ${formatCount(all)} slices${sliced.length === 1 ? '' : `, of ${formatCount(sliced.length)} levels`}.</p>`;
}

/** Models measured together; null without. */
export const togetherTable = (rows: Rows, load: string): Markup | null =>
  detailTable(
    rows,
    'Models measured together',
    [model, together].map(({ title }) => markup`<th>${title}</th>`),
    (point) =>
      point.together === undefined || point.together.length === 0
        ? []
        : [[model, together].map((column) => markup`<td>${cellText(column, point)}</td>`)],
    { load },
  );

/** As `nvidia-smi` and Docker shorten ids; the environment has the whole. */
const shortUuid = (uuid: string): string => uuid.replace(/^((?:GPU|MIG)-[0-9a-f]{8})-.+$/, '$1…');

/** GPU readings; null without. */
export const gpuTable = (rows: Rows, load: string): Markup | null =>
  detailTable(
    rows,
    'GPUs',
    [markup`<th>GPU</th>`, ...headings(gpus)],
    (point) =>
      (point.gpus ?? []).map((gpu) => [
        markup`<td class="unbroken" title="${gpu.uuid}">${shortUuid(gpu.uuid)}</td>`,
        ...cells(gpus, gpu),
      ]),
    { load },
  );

/** Response cache; null if it counted nothing. */
export const cacheTable = (rows: Rows, load: string): Markup | null =>
  detailTable(
    rows,
    'Response cache',
    headings(cache),
    (point) => (point.cache === undefined ? [] : [cells(cache, point)]),
    { load },
  );

export const errorsTable = (rows: Rows, load: string): Markup | null =>
  detailTable(
    rows,
    'Failed requests and wrong responses by kind',
    [
      markup`<th class="n">${requests.title}</th>`,
      markup`<th>Kind</th>`,
      markup`<th>First message of the server</th>`,
    ],
    (point) =>
      faultKinds(point).map(({ kind, count, message }) => [
        markup`<td class="n">${formatCount(count)}</td><td>${kind}</td><td>${message}</td>`,
      ]),
    { className: 'fixed failed', load },
  );

/** More columns than these have no room on a page; those of a cache where one answers. */
function columnsOf(parts: readonly ComposingModelColumns[]) {
  const hasCache = parts.some(({ cacheHitCount }) => (cacheHitCount ?? 0) > 0);
  const left = [
    'model-executions',
    'model-max-batch',
    ...(hasCache ? [] : ['model-cache-hits', 'model-cache-misses']),
  ];
  return composing.filter(({ id }) => !left.includes(id));
}

/** Models of an ensemble, or that are called by BLS; null for other models. */
export function composingTable(rows: Rows, load: string): Markup | null {
  const parts = rows.flatMap(({ point }) => point?.composing ?? []);
  const columns = columnsOf(parts);
  const table = detailTable(
    rows,
    parts.every(({ bls }) => bls === true) ? 'Models called by BLS' : 'Models of the ensemble',
    [markup`<th>Model</th>`, ...headings(columns)],
    (point) =>
      (point.composing ?? []).map((part) => [
        markup`<td>${composingNameIn(point, part)}</td>`,
        ...cells(columns, part),
      ]),
    { className: 'fixed composing', load },
  );
  if (table === null) return null;
  return markup`${table}
<p class="key">Means per request of that model, from Triton’s own statistics over the same windows, including requests of other clients. ${serverPartsTexts(rows.flatMap(({ point }) => point ?? [])).join(' ')}</p>`;
}
