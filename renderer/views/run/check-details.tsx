import { memo } from 'react';
import { cellText, type Column } from '../../../main/contract/measured/column';
import { requests } from '../../../main/contract/measured/columns';
import {
  cache,
  checks,
  comparedResponses,
  effort,
  gpus,
  model,
  sharedMemory,
  together,
} from '../../../main/contract/measured/detail-columns';
import type { LoadPoint } from '../../../main/contract/measured/results';
import { levelText } from '../../../main/contract/words';
import { type DetailsRow, DetailsTable, headingsOf } from './details-table';

const cellsOf = (columns: readonly Column[], point: LoadPoint): readonly string[] =>
  columns.map((column) => cellText(column, point));

const keyOf = (point: LoadPoint): string => `${levelText(point)} ${point.model ?? ''}`;

/** A row a level that has the part, its level first. */
const rowsOf = (
  points: readonly LoadPoint[],
  part: keyof LoadPoint,
  row: (point: LoadPoint) => Omit<DetailsRow, 'key'>,
): readonly DetailsRow[] =>
  points
    .filter((point) => point[part] !== undefined)
    .map((point) => {
      const { cells, doubtful = false } = row(point);
      return { key: keyOf(point), cells: [levelText(point), ...cells], doubtful };
    });

const checked = [...checks, comparedResponses];

/** Which responses were decoded and looked at under load; nothing where no level has checks. */
export const ChecksTable = memo(function ChecksTable({ points }: { points: readonly LoadPoint[] }) {
  return (
    <DetailsTable
      title="Checks of responses"
      note="randomly selected responses, decoded and compared with the model’s declared outputs"
      headings={[{ title: 'Level' }, ...headingsOf([requests, ...checked]), { title: 'Checked' }]}
      rows={rowsOf(points, 'outputChecks', (point) => ({
        cells: [
          ...cellsOf([requests, ...checked], point),
          point.outputChecks?.finite === true
            ? 'names, types, shapes, finite values'
            : 'names, types, shapes',
        ],
        doubtful: checked.some(({ doubtful }) => doubtful?.(point)),
      }))}
    />
  );
});

/** Whether the tensors that went through shared memory arrived; nothing where they went over the wire. */
export const SharedMemoryTable = memo(function SharedMemoryTable({
  points,
}: {
  points: readonly LoadPoint[];
}) {
  return (
    <DetailsTable
      title="Shared memory"
      note="tensors that were not sent over the network"
      headings={[{ title: 'Level' }, { title: 'Kind' }, ...headingsOf(sharedMemory)]}
      rows={rowsOf(points, 'sharedMemory', (point) => ({
        cells: [point.sharedMemory?.kind === 'cuda' ? 'CUDA' : 'system', ...cellsOf(sharedMemory, point)],
        doubtful: sharedMemory.some(({ doubtful }) => doubtful?.(point)),
      }))}
    />
  );
});

/** What the server's response cache did; nothing where it counted neither a hit nor a miss. */
export const CacheTable = memo(function CacheTable({ points }: { points: readonly LoadPoint[] }) {
  return (
    <DetailsTable
      title="Response cache"
      note="from the server's statistics, mean times"
      headings={[{ title: 'Level' }, ...headingsOf(cache)]}
      rows={rowsOf(points, 'cache', (point) => ({ cells: cellsOf(cache, point) }))}
    />
  );
});

/** Why the load generator is in doubt, in the words of the levels table. */
const limitText = {
  'client-saturated': 'client-limited: the server may be faster',
  'machine-busy': 'machine busy: latencies may read too high',
} as const;

/** What the GPUs of the server were like level by level; nothing where nobody tells. */
export const GpuTable = memo(function GpuTable({ points }: { points: readonly LoadPoint[] }) {
  return (
    <DetailsTable
      title="GPUs"
      note="of the server, from the first measured window on"
      headings={[{ title: 'Level' }, { title: 'GPU', mono: true }, ...headingsOf(gpus)]}
      rows={points.flatMap((point) =>
        (point.gpus ?? []).map((gpu) => ({
          key: `${keyOf(point)} ${gpu.uuid}`,
          cells: [levelText(point), gpu.uuid, ...gpus.map((column) => cellText(column, gpu))],
          doubtful: point.flags.some((flag) => flag === 'clocks-throttled' || flag === 'gpu-idle'),
        })),
      )}
    />
  );
});

/** What the load generator and the machines had to do; nothing where the tool does not say. */
export const EffortTable = memo(function EffortTable({ points }: { points: readonly LoadPoint[] }) {
  return (
    <DetailsTable
      title="Load on the machines"
      note="near one core, or always busy, the load generator limits the measurement"
      headings={[
        { title: 'Level' },
        ...headingsOf(effort),
        { title: 'In doubt', help: 'Whether the load generator, not the server, limited the result.' },
      ]}
      rows={rowsOf(points, 'client', (point) => {
        const limit = point.flags.find((flag) => flag === 'client-saturated' || flag === 'machine-busy');
        return {
          cells: [...cellsOf(effort, point), limit === undefined ? 'no' : limitText[limit]],
          doubtful: limit !== undefined,
        };
      })}
    />
  );
});

/** What ran beside each model that was measured together with others; nothing of a model alone. */
export const TogetherTable = memo(function TogetherTable({ points }: { points: readonly LoadPoint[] }) {
  return (
    <DetailsTable
      title="Models measured together"
      note="responses of the server at the same time"
      headings={[{ title: model.title, mono: true }, { title: 'Level' }, { title: together.title }]}
      rows={points.flatMap((point) =>
        point.together === undefined || point.together.length === 0
          ? []
          : {
              key: keyOf(point),
              cells: [cellText(model, point), levelText(point), cellText(together, point)],
            },
      )}
    />
  );
});
