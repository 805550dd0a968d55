import { type Detection, overlapOf } from './compare-detections';

export interface JudgedImage {
  /** Objects that are there. */
  readonly truth: readonly Pick<LabeledBox, 'box' | 'label'>[];
  /** Objects that were found. */
  readonly found: readonly LabeledBox[];
}

interface LabeledBox extends Pick<Detection, 'box'> {
  readonly label: string;
  readonly score: number;
}

/** Of COCO: precision is read at these recalls, 0 to 1 in steps of 0.01. */
const recalls = Array.from({ length: 101 }, (_unused, at) => at / 100);

/** Each found object, best score first, takes the object with the largest overlap that none has taken. @returns true: right */
function matchedOf({ truth, found }: JudgedImage, leastOverlap: number): readonly boolean[] {
  const taken = new Set<number>();
  return found.map(({ box }) => {
    let [best, most] = [-1, leastOverlap];
    for (const [at, object] of truth.entries()) {
      const overlap = overlapOf(object.box, box);
      if (taken.has(at) || overlap < most || (overlap === most && best !== -1)) continue;
      [best, most] = [at, overlap];
    }
    if (best === -1) return false;
    taken.add(best);
    return true;
  });
}

/** Of one label; null: no image has such an object. */
function averagePrecision(images: readonly JudgedImage[], leastOverlap: number): number | null {
  const objects = images.reduce((sum, { truth }) => sum + truth.length, 0);
  if (objects === 0) return null;
  const ranked = images
    .flatMap(({ truth, found }) => {
      const sorted = found.toSorted((a, b) => b.score - a.score);
      const right = matchedOf({ truth, found: sorted }, leastOverlap);
      return sorted.map(({ score }, at) => ({ score, right: right[at] === true }));
    })
    .sort((a, b) => b.score - a.score);
  let right = 0;
  const points = ranked.map((one, at) => {
    if (one.right) right += 1;
    return { recall: right / objects, precision: right / (at + 1) };
  });
  // The highest precision at this recall or a larger one.
  for (let at = points.length - 2; at >= 0; at -= 1) {
    const [here, next] = [points[at], points[at + 1]];
    if (here !== undefined && next !== undefined) here.precision = Math.max(here.precision, next.precision);
  }
  const precisions = recalls.map(
    (recall) => points.find((point) => point.recall >= recall - 1e-9)?.precision ?? 0,
  );
  return precisions.reduce((sum, precision) => sum + precision, 0) / recalls.length;
}

/**
 * Mean over the labels that any image has of the average precision, interpolated at 101 recalls as COCO does it: 0 to 1.
 * null: no image has an object.
 * @param leastOverlap intersection over union from which a found object is the true one
 */
export function meanAveragePrecision(images: readonly JudgedImage[], leastOverlap: number): number | null {
  const labels = new Set(images.flatMap(({ truth }) => truth.map(({ label }) => label)));
  const all = [...labels].flatMap((wanted) => {
    const own = images.map(({ truth, found }) => ({
      truth: truth.filter(({ label }) => label === wanted),
      found: found.filter(({ label }) => label === wanted),
    }));
    return averagePrecision(own, leastOverlap) ?? [];
  });
  return all.length === 0 ? null : all.reduce((sum, one) => sum + one, 0) / all.length;
}
