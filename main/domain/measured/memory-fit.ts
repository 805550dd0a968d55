import type { ModelMemory, TakenMemory } from '../../contract/measured/model-memory';
import { formatBytes, formatCount } from '../../contract/numbers';

type Of = keyof TakenMemory;

/** A difference below 0 is noise. */
const least = (bytes: number | null): number | null => (bytes === null ? null : Math.max(0, bytes));

const sum = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((all, value) => (all === null || value === null ? null : all + value), 0);

/** An instance that has answered the largest batch. */
const instanceBytes = ({ instance, batch }: ModelMemory, of: Of): number | null =>
  sum([least(instance[of]), least(batch[of])]);

/** What one Triton with the model takes, in its configuration. */
export function serverBytes(memory: ModelMemory, of: Of): number | null {
  if (memory.server !== undefined) return memory.server[of];
  const each = instanceBytes(memory, of);
  const instances = each === null ? null : memory.instances * each;
  return sum([least(memory.context[of]), least(memory.shared[of]), instances]);
}

const fitting = (room: number | null, each: number | null): number | null =>
  room === null || each === null || each <= 0 ? null : Math.max(0, Math.floor(room / each));

/** Servers of this configuration that fit by memory; null: not known. */
export const serversThatFit = (memory: ModelMemory, of: Of): number | null =>
  fitting(memory.totals[of], serverBytes(memory, of));

/** Instances that fit into one server by memory; null: not known. */
export function instancesThatFit(memory: ModelMemory, of: Of): number | null {
  const taken = sum([least(memory.context[of]), least(memory.shared[of])]);
  const total = memory.totals[of];
  return fitting(total === null || taken === null ? null : total - taken, instanceBytes(memory, of));
}

/** Readings of the host are in pages, of GPUs in MiB: less is not told from nothing. */
const tellable = 1024 ** 2;

const bytesText = (bytes: number): string => (bytes < tellable ? 'below 1 MiB' : formatBytes(bytes));

/** "host 310.0 MiB, GPU 1.2 GiB"; null: neither is known. */
function takenText({ hostBytes, gpuBytes }: TakenMemory): string | null {
  const parts = [
    ...(hostBytes === null ? [] : [`host ${bytesText(hostBytes)}`]),
    ...(gpuBytes === null ? [] : [`GPU ${bytesText(gpuBytes)}`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function fitText(memory: ModelMemory, of: Of, name: string): readonly (readonly [string, string])[] {
  const [servers, instances] = [serversThatFit(memory, of), instancesThatFit(memory, of)];
  const total = memory.totals[of];
  if (servers === null || total === null) return [];
  const more = instances === null ? '' : `, or one server with ${formatCount(instances)} instances`;
  return [
    [`Fit into ${formatBytes(total)} of ${name}`, `${formatCount(servers)} servers like this one${more}`],
  ];
}

/** What was measured, as names and values, and what fits by it. Pure. */
export function modelMemoryFacts(memory: ModelMemory): readonly (readonly [name: string, value: string])[] {
  const { context, shared, instance, batch, maxBatchSize, instances } = memory;
  const rows = [
    ['Memory once per Triton (backend, CUDA context)', context],
    ['Memory of the model, shared by its instances', shared],
    ['Memory of each instance', instance],
    [`Added to each at batch size ${formatCount(maxBatchSize)}`, batch],
    [
      `Memory of a server with ${formatCount(instances)} ${instances === 1 ? 'instance' : 'instances'}`,
      { hostBytes: serverBytes(memory, 'hostBytes'), gpuBytes: serverBytes(memory, 'gpuBytes') },
    ],
  ] as const;
  return [
    ...rows.flatMap(([name, taken]) => {
      const text = takenText(taken);
      return text === null ? [] : [[name, text] as const];
    }),
    ...fitText(memory, 'gpuBytes', 'GPU memory'),
    ...fitText(memory, 'hostBytes', 'host memory'),
  ];
}
