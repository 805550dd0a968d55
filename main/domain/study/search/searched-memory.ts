import type { ModelMemory, TakenMemory } from '../../../contract/measured/model-memory';
import type { Searched, SearchStrategy } from '../../../contract/study/search';

const kinds = ['hostBytes', 'gpuBytes'] as const;

const unknownMemory: TakenMemory = { hostBytes: null, gpuBytes: null };

/** A difference below 0 is noise; null: one of them is not known. */
function together(one: number | null, other: number | null, sign: 1 | -1): number | null {
  return one === null || other === null ? null : Math.max(0, one + sign * other);
}

const combined = (one: TakenMemory, other: TakenMemory, sign: 1 | -1): TakenMemory => ({
  hostBytes: together(one.hostBytes, other.hostBytes, sign),
  gpuBytes: together(one.gpuBytes, other.gpuBytes, sign),
});

const atLeastNone = (taken: TakenMemory): TakenMemory => combined(taken, { hostBytes: 0, gpuBytes: 0 }, 1);

/** The first load on a server takes what its backend takes once, and what the present one takes; null: not measured. Pure. */
export function contextOf({ memory }: Pick<Searched, 'memory'>): TakenMemory | null {
  const [first, present] = [memory?.[0], memory?.[1]];
  return first === undefined || present === undefined ? null : combined(first, present, -1);
}

/** Of the GPUs that any look read, each once; null: none did. */
function gpuTotal({ looks }: Pick<Searched, 'looks'>): number | null {
  const totals = new Map<string, number>();
  for (const { uuid, totalMemoryBytes } of looks.flatMap(({ measured }) => measured?.gpus ?? [])) {
    if (totalMemoryBytes !== null) totals.set(uuid, totalMemoryBytes);
  }
  return totals.size === 0 ? null : [...totals.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * What a Triton with a candidate takes, as the search measured it beside the others; null: it did not. The parts of it are
 * not known: a search loads each candidate once. Pure.
 * @param hostBytes of the machine; null: not known
 */
export function searchedMemory(
  { candidates }: Pick<SearchStrategy, 'candidates'>,
  searched: Searched,
  candidate: number,
  hostBytes: number | null,
): ModelMemory | null {
  const [own, context, fields] = [
    searched.memory?.[candidate],
    contextOf(searched),
    candidates[candidate - 1],
  ];
  if (own === undefined || context === null || fields === undefined) return null;
  if (kinds.every((kind) => own[kind] === null)) return null;
  return {
    ...{ context, shared: unknownMemory, instance: unknownMemory, batch: unknownMemory },
    server: combined(context, atLeastNone(own), 1),
    maxBatchSize: Math.max(1, fields.maxBatchSize),
    instances: fields.instances,
    totals: { hostBytes, gpuBytes: gpuTotal(searched) },
  };
}
