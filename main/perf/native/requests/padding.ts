import type { JobTensor, LoadJob } from '../seam/load-job';
import { payloadCounts } from './batch-payloads';
import { type PayloadPart, planReplay } from './replay-payloads';

type Sized = Pick<LoadJob, 'tensors' | 'batchSize' | 'json' | 'replay'>;

/** Which samples each of the requests has, in the order in which they are sent again and again. */
function partsOf(job: Sized): readonly PayloadPart[] {
  const { batchSize: size, replay } = job;
  if (replay === undefined)
    return Array.from({ length: payloadCounts(job).made }, (_unused, index) => ({
      first: index * size,
      size,
    }));
  const { parts, order } = planReplay(job, replay);
  return Array.from(order, (place) => parts[place] ?? { first: 0, size });
}

/** Elements of the samples of a request, and with their padding. */
function sizesOf({ shape, shapes = [] }: JobTensor, { first, size }: PayloadPart) {
  let [own, longest] = [0, 0];
  for (let row = 0; row < size; row += 1) {
    const elements = (shapes[(first + row) % shapes.length] ?? shape).reduce((all, axis) => all * axis, 1);
    own += elements;
    longest = Math.max(longest, elements);
  }
  return { own, whole: longest * size };
}

/**
 * Share of padding, 0 to 1, in the first `sent` requests, by the tensor that is padded. Asked for before the samples are
 * handed to the thread that sends them. null: requests have one sample, samples one length, or nothing was sent.
 */
export function paddingOf(job: Sized): (sent: number) => number | null {
  const tensor = job.tensors.find(
    ({ padding, shapes = [] }) =>
      padding !== undefined && new Set(shapes.map((shape) => shape.join())).size > 1,
  );
  const parts = tensor === undefined || job.batchSize === 1 ? [] : partsOf(job);
  if (tensor === undefined || parts.length === 0) return () => null;
  const sizes = parts.map((part) => sizesOf(tensor, part));
  return (sent) => {
    const times = (index: number): number =>
      Math.floor(sent / sizes.length) + (index < sent % sizes.length ? 1 : 0);
    const sum = (of: 'own' | 'whole'): number =>
      sizes.reduce((all, one, index) => all + one[of] * times(index), 0);
    return sent === 0 ? null : 1 - sum('own') / sum('whole');
  };
}
