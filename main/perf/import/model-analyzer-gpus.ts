import type { LoadPoint } from '../../contract/measured/results';
import { formatBytes } from '../../contract/numbers';
import { fileLimits } from '../../contract/reader-limits';
import { shortText, someOf } from '../../platform/lines';
import type { Table, TableRow } from './model-analyzer-table';

type Gpu = NonNullable<LoadPoint['gpus']>[number];

const uuid = 'GPU UUID';
const used = 'GPU Memory Usage (MB)';
const free = 'GPU Memory Available (MB)';
const utilization = 'GPU Utilization (%)';
const power = 'GPU Power Usage (W)';
/** By which a row is found. */
const keys = ['Model', 'Model Config Path', 'Batch', 'Concurrency', 'Request Rate'] as const;
const beside: ReadonlySet<string> = new Set([
  ...[...keys, uuid, used, free, utilization, power],
  // They are in the file of the levels as well.
  ...['Instance Group', 'Max Batch Size', 'Satisfies Constraints'],
]);

const { gpus: mostGpus } = fileLimits.captureCsv;
const bytesOf = (megabytes: number | null): number | null => (megabytes === null ? null : megabytes * 1e6);

function gpuOf(row: TableRow): Gpu {
  const [usedBytes, freeBytes] = [bytesOf(row.number(used)), bytesOf(row.number(free))];
  const percent = row.number(utilization);
  return {
    uuid: shortText(row.text(uuid)),
    utilization: percent === null ? null : percent / 100,
    powerW: row.number(power),
    maxMemoryBytes: usedBytes,
    totalMemoryBytes: usedBytes === null || freeBytes === null ? null : usedBytes + freeBytes,
  };
}

const leftNotes = ({ names, fileName }: Table): readonly string[] => {
  const left = names.filter((name) => !beside.has(name));
  return left.length === 0 ? [] : [`Not imported from ${fileName}: ${someOf(left)}.`];
};

/** GPU readings by level. Throws input-invalid with line and column. */
export function readGpus(table: Table): {
  readonly of: (row: TableRow) => LoadPoint['gpus'];
  readonly notes: readonly string[];
} {
  const shared = keys.filter((name) => table.names.includes(name));
  const found = new Map<string, Gpu[]>();
  const keyOf = (row: TableRow): string => JSON.stringify(shared.map((name) => row.text(name)));
  for (const row of table.rows) {
    const gpus = found.get(keyOf(row)) ?? [];
    gpus.push(gpuOf(row));
    if (gpus.length > mostGpus) throw row.fail(`There are more than ${mostGpus} GPUs`, uuid);
    found.set(keyOf(row), gpus);
  }
  return { of: (row) => found.get(keyOf(row)), notes: leftNotes(table) };
}

/** What the GPUs had in use without a model. */
export function serverNotes(table: Table): readonly string[] {
  const said = table.rows.flatMap((row) => {
    const { uuid: name, maxMemoryBytes } = gpuOf(row);
    return maxMemoryBytes === null ? [] : [`${name} ${formatBytes(maxMemoryBytes)}`];
  });
  return [
    ...(said.length === 0 ? [] : [`GPU memory in use without a model: ${someOf(said)}.`]),
    ...leftNotes(table),
  ];
}
