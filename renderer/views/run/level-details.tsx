import type { ReactNode } from 'react';
import { cellText, type Column } from '../../../main/contract/measured/column';
import { requests } from '../../../main/contract/measured/columns';
import {
  cache,
  checks,
  comparedResponses,
  composing,
  composingName,
  composingNameIn,
  effort,
  faultKinds,
  gpus,
  model,
  responseTimes,
  sequenceRate,
  sequencesAtOnce,
  sharedMemory,
  together,
} from '../../../main/contract/measured/detail-columns';
import { tokenCounts, tokenTimes } from '../../../main/contract/measured/generation-columns';
import type { LoadPoint } from '../../../main/contract/measured/results';
import { wayColumns } from '../../../main/contract/measured/sent/way-columns';
import { sliceColumns } from '../../../main/contract/measured/slice-columns';
import { formatCount, missing } from '../../../main/contract/numbers';
import { levelText } from '../../../main/contract/words';
import { type DetailsRow, detailsTable, headingsOf } from './details-table';

const cellsOf = (columns: readonly Column[], point: LoadPoint): readonly string[] =>
  columns.map((column) => cellText(column, point));

const keyOf = (point: LoadPoint): string => `${levelText(point)} ${point.model ?? ''}`;

const isDoubtful = (columns: readonly Column[], point: LoadPoint): boolean =>
  columns.some(({ doubtful }) => doubtful?.(point));

const levelRow = (point: LoadPoint, cells: readonly ReactNode[], doubtful = false): DetailsRow => ({
  key: keyOf(point),
  cells: [levelText(point), ...cells],
  doubtful,
});

export const ErrorsTable = detailsTable({
  title: 'Failed requests and wrong responses',
  note: 'by kind, with the first message of the server',
  headings: [
    { title: 'Level' },
    { title: 'Requests', number: true },
    { title: 'Kind', mono: true },
    { title: 'Message' },
  ],
  rowsOf: (point) =>
    faultKinds(point).map(({ kind, count, message }) => ({
      key: `${keyOf(point)} ${kind}`,
      cells: [levelText(point), formatCount(count), kind, message],
    })),
});

export const RefusedTable = detailsTable({
  title: 'Refused requests',
  note: 'not answered, and not counted as errors',
  headings: [
    { title: 'Level' },
    { title: 'Answered', number: true },
    { title: 'Queue full', number: true },
    { title: 'Timeout', number: true },
    { title: 'Cancelled', number: true, help: 'By the client, as requested.' },
  ],
  rowsOf: (point) => {
    const { requestCount, refused } = point;
    if (refused === undefined) return [];
    const counts = [requestCount, refused.queueFull, refused.timeout, refused.cancelled];
    return [levelRow(point, counts.map(formatCount))];
  },
});

export const SliceTable = detailsTable({
  title: 'Time slices',
  note: 'by the time at which requests were due; latencies in ms from then on',
  headings: [{ title: 'Level' }, ...headingsOf(sliceColumns)],
  rowsOf: (point) =>
    (point.timeline?.slices ?? []).map((slice) => ({
      key: `${keyOf(point)} ${slice.startUs}`,
      cells: [levelText(point), ...sliceColumns.map((column) => cellText(column, slice))],
    })),
});

export const WayTable = detailsTable({
  title: 'Through the gateway',
  note: 'direct and through it in turns; differences with their 95 % interval',
  headings: [{ title: 'Level' }, ...headingsOf(wayColumns)],
  rowsOf: (point) =>
    (point.way?.rows ?? []).map((row) => ({
      key: `${keyOf(point)} ${row.part}`,
      cells: [levelText(point), ...wayColumns.map((column) => cellText(column, row))],
    })),
});

const checked = [...checks, comparedResponses];

export const ChecksTable = detailsTable({
  title: 'Checks of responses',
  note: 'responses that were decoded and compared with the model’s declared outputs and, if given, the expected ones',
  headings: [{ title: 'Level' }, ...headingsOf([requests, ...checked]), { title: 'Checked' }],
  rowsOf: (point) => {
    if (point.outputChecks === undefined) return [];
    const what = point.outputChecks.finite ? 'names, types, shapes, finite values' : 'names, types, shapes';
    return [levelRow(point, [...cellsOf([requests, ...checked], point), what], isDoubtful(checked, point))];
  },
});

export const TogetherTable = detailsTable({
  title: 'Models measured together',
  note: 'responses of the server at the same time',
  headings: [{ title: model.title, mono: true }, { title: 'Level' }, { title: together.title }],
  rowsOf: (point) =>
    point.together === undefined || point.together.length === 0
      ? []
      : [{ key: keyOf(point), cells: [cellText(model, point), levelText(point), cellText(together, point)] }],
});

const range = (fewest: number | null, most: number | null): string =>
  fewest === null || most === null ? missing : `${formatCount(fewest)} to ${formatCount(most)}`;

const timeNames = (responseTimes[0]?.columns ?? []).map(({ short = '' }) => ({ title: short, number: true }));

export const StreamTable = detailsTable({
  title: 'Responses of streams',
  note: 'times of the responses to one request, in ms',
  headings: [
    { title: 'Level' },
    {
      title: 'Decoupled',
      help: 'According to its configuration, the model can send any number of responses per request.',
    },
    {
      title: 'Responses',
      help: 'Minimum and maximum number of responses with content per request.',
      number: true,
    },
    {
      title: 'Time of',
      help: 'First and final are measured from the send of the request. The final response may have no content.',
    },
    ...timeNames,
  ],
  rowsOf: (point) => {
    const { streaming } = point;
    if (streaming === undefined) return [];
    const { fewestResponses, mostResponses, decoupled } = streaming;
    const first = [levelText(point), decoupled ? 'yes' : 'no', range(fewestResponses, mostResponses)];
    return responseTimes.map(({ title, columns }, index) => ({
      key: `${keyOf(point)} ${title}`,
      cells: [...(index === 0 ? first : ['', '', '']), title, ...cellsOf(columns, point)],
    }));
  },
});

export const TokenTable = detailsTable({
  title: 'Tokens',
  note: 'times of the answers of a language model; TTFT: time to first token, ITL: inter-token latency, TPOT: time per output token',
  headings: [{ title: 'Level' }, ...headingsOf(tokenCounts), { title: 'Time' }, ...timeNames],
  rowsOf: (point) =>
    point.generation === undefined
      ? []
      : tokenTimes.map(({ title, columns }, index) => ({
          key: `${keyOf(point)} ${title}`,
          cells: [
            ...(index === 0
              ? [levelText(point), ...cellsOf(tokenCounts, point)]
              : ['', ...tokenCounts.map(() => '')]),
            title,
            ...cellsOf(columns, point),
          ],
          doubtful: index === 0 && isDoubtful(tokenCounts, point),
        })),
});

export const SequenceTable = detailsTable({
  title: 'Sequences',
  note: 'requests of a stateful model that belong together',
  headings: [
    { title: 'Level' },
    { title: 'Requests per sequence', help: 'As requested, with the variation.', number: true },
    ...headingsOf([sequencesAtOnce, sequenceRate]),
  ],
  rowsOf: (point) => {
    if (point.sequences === undefined) return [];
    const { length, lengthVariation } = point.sequences;
    const asked = `${formatCount(length)} ± ${lengthVariation} %`;
    return [levelRow(point, [asked, ...cellsOf([sequencesAtOnce, sequenceRate], point)])];
  },
});

export const SharedMemoryTable = detailsTable({
  title: 'Shared memory',
  note: 'tensors that were not sent over the network',
  headings: [{ title: 'Level' }, { title: 'Kind' }, ...headingsOf(sharedMemory)],
  rowsOf: (point) => {
    if (point.sharedMemory === undefined) return [];
    const kind = point.sharedMemory.kind === 'cuda' ? 'CUDA' : 'system';
    return [levelRow(point, [kind, ...cellsOf(sharedMemory, point)], isDoubtful(sharedMemory, point))];
  },
});

export const CacheTable = detailsTable({
  title: 'Response cache',
  note: "from the server's statistics, mean times",
  headings: [{ title: 'Level' }, ...headingsOf(cache)],
  rowsOf: (point) => (point.cache === undefined ? [] : [levelRow(point, cellsOf(cache, point))]),
});

export const ComposingTable = detailsTable({
  title: 'Composing models',
  note: "mean times of one request of the model, from the server's statistics",
  headings: [{ title: 'Level' }, { title: 'Model', mono: true }, ...headingsOf(composing)],
  rowsOf: (point) =>
    (point.composing ?? []).map((part) => ({
      key: `${levelText(point)} ${composingName(part)}`,
      cells: [
        levelText(point),
        composingNameIn(point, part),
        ...composing.map((column) => cellText(column, part)),
      ],
    })),
});

const limitText = {
  'client-saturated': 'client-limited: the server may be faster',
  'machine-busy': 'machine busy: latencies may read too high',
} as const;

export const EffortTable = detailsTable({
  title: 'Load on the machines',
  note: 'near one core, or always busy, the load generator limits the measurement',
  headings: [
    { title: 'Level' },
    ...headingsOf(effort),
    { title: 'In doubt', help: 'Whether the load generator, not the server, limited the result.' },
  ],
  rowsOf: (point) => {
    if (point.client === undefined) return [];
    const limit = point.flags.find((flag) => flag === 'client-saturated' || flag === 'machine-busy');
    const doubt = limit === undefined ? 'no' : limitText[limit];
    return [levelRow(point, [...cellsOf(effort, point), doubt], limit !== undefined)];
  },
});

export const GpuTable = detailsTable({
  title: 'GPUs',
  note: 'of the server, from the first measured window on',
  headings: [{ title: 'Level' }, { title: 'GPU', mono: true }, ...headingsOf(gpus)],
  rowsOf: (point) =>
    (point.gpus ?? []).map((gpu) => ({
      key: `${keyOf(point)} ${gpu.uuid}`,
      cells: [levelText(point), gpu.uuid, ...gpus.map((column) => cellText(column, gpu))],
      doubtful: point.flags.some((flag) => flag === 'clocks-throttled' || flag === 'gpu-idle'),
    })),
});
