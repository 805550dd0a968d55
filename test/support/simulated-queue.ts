import { outcome, type Outcomes } from '../../main/domain/measured/overload/timeline';

/** A server that takes the same time for each request, one after the other, and refuses those beyond its queue. */
export function simulatedQueue(
  dueUs: ArrayLike<number>,
  { serviceUs, queue = Infinity }: { readonly serviceUs: number; readonly queue?: number },
): Outcomes {
  const ends: number[] = [];
  const latencyUs = new Float64Array(dueUs.length);
  const kinds = new Uint8Array(dueUs.length);
  for (let index = 0; index < dueUs.length; index += 1) {
    const due = dueUs[index] ?? 0;
    while ((ends[0] ?? Infinity) <= due) ends.shift();
    if (ends.length > queue) {
      kinds[index] = outcome.refused;
      continue;
    }
    const end = Math.max(due, ends.at(-1) ?? 0) + serviceUs;
    ends.push(end);
    latencyUs[index] = end - due;
  }
  return { dueUs: Float64Array.from(dueUs), latencyUs, kinds };
}
