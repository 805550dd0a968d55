import type { DetectionsRule } from '../../contract/measured/output-rules';
import { formatMeasured, formatScale } from '../../contract/numbers';
import {
  type DecodedTensor,
  incomparable,
  isTextual,
  type TensorDifference,
  withoutSizes,
} from './decoded-tensor';

/** Edges of a box. */
type Box = readonly [left: number, top: number, right: number, bottom: number];

export interface Detection {
  readonly box: Box;
  readonly label: string | null;
  readonly score: number | null;
}

/** Candidates of a detection are few, so that the matching is quick; pairs of all are still looked at. */
const mostDetections = 4096;

function boxOf(values: ArrayLike<number>, from: number, form: DetectionsRule['boxes']): Box {
  const [a, b, c, d] = [0, 1, 2, 3].map((column) => values[from + column] ?? NaN) as [
    number,
    number,
    number,
    number,
  ];
  if (form === 'xywh') return [a, b, a + c, b + d];
  return form === 'cxcywh' ? [a - c / 2, b - d / 2, a + c / 2, b + d / 2] : [a, b, c, d];
}

const areaOf = ([left, top, right, bottom]: Box): number =>
  Math.max(0, right - left) * Math.max(0, bottom - top);

/** Intersection over union; two equal boxes have 1, also without an area. */
export function overlapOf(one: Box, other: Box): number {
  if (one.every((edge, at) => edge === other[at])) return 1;
  const inner: Box = [
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  ];
  const shared = areaOf(inner);
  const whole = areaOf(one) + areaOf(other) - shared;
  return whole > 0 ? shared / whole : 0;
}

/**
 * Which of `found` each expected one is, by augmenting paths: whether all can be matched at once is decided exactly, which
 * taking the nearest of each in turn would not.
 * @param fits whether two may be the same
 * @returns by expected one; -1 without a partner
 */
export function matched(
  expected: number,
  found: number,
  fits: (expected: number, found: number) => boolean,
): number[] {
  const candidates = Array.from({ length: expected }, (_unused, one) =>
    Array.from({ length: found }, (_other, other) => other).filter((other) => fits(one, other)),
  );
  const ownerOf = new Array<number>(found).fill(-1);
  const place = (one: number, seen: Set<number>): boolean => {
    for (const other of candidates[one] ?? []) {
      if (seen.has(other)) continue;
      seen.add(other);
      const owner = ownerOf[other] ?? -1;
      if (owner !== -1 && !place(owner, seen)) continue;
      ownerOf[other] = one;
      return true;
    }
    return false;
  };
  for (let one = 0; one < expected; one += 1) place(one, new Set());
  const partners = new Array<number>(expected).fill(-1);
  for (const [other, owner] of ownerOf.entries()) if (owner !== -1) partners[owner] = other;
  return partners;
}

const shownBox = ({ box, label, score }: Detection): string =>
  `${label === null ? 'a box' : label} [${box.map(formatMeasured).join(', ')}]` +
  (score === null ? '' : ` with ${formatScale(score)}`);

/** Why an expected detection has no partner: by the found one that overlaps it most. */
function missingText(wanted: Detection, found: readonly Detection[], rule: DetectionsRule): string {
  const nearest = found
    .map((one) => ({ one, iou: overlapOf(wanted.box, one.box) }))
    .reduce<{ one: Detection; iou: number } | null>(
      (best, next) => (best === null || next.iou > best.iou ? next : best),
      null,
    );
  if (nearest === null || nearest.iou === 0) return `${shownBox(wanted)} is missing`;
  const { one, iou } = nearest;
  const why =
    iou < rule.iou
      ? `overlaps it by ${formatMeasured(iou)}, where at least ${formatMeasured(rule.iou)} is required`
      : 'is the nearest';
  return `${shownBox(wanted)} is missing; ${shownBox(one)} ${why}`;
}

/** A number, or a text. Rows without the values are NaN, which match nothing. */
function column(tensor: DecodedTensor | undefined, row: number): string | number | null {
  return tensor === undefined ? null : (tensor.values[row] ?? NaN);
}

/** Detections of one sample; a text says why there are none to be read. */
function detectionsOf(
  boxes: DecodedTensor,
  outputs: readonly DecodedTensor[],
  rule: DetectionsRule,
): readonly Detection[] | string {
  const width = boxes.shape.at(-1) ?? 0;
  const needed = Math.max(3, rule.labelColumn ?? 0, rule.scoreColumn ?? 0) + 1;
  if (isTextual(boxes) || width < needed) {
    return `its rows have ${width} columns, where ${needed} are needed`;
  }
  const values = boxes.values as ArrayLike<number>;
  const of = (name: string | undefined) => outputs.find((output) => output.name === name);
  const missing = [rule.labels, rule.scores, rule.count].find(
    (name) => name !== undefined && of(name) === undefined,
  );
  if (missing !== undefined) return `the output ${missing} of the same detections is missing`;
  const rows = values.length / width;
  const uneven = [rule.labels, rule.scores].find(
    (name) => name !== undefined && of(name)?.values.length !== rows,
  );
  if (uneven !== undefined) return `${uneven} has ${of(uneven)?.values.length} values for ${rows} boxes`;
  const counted = rule.count === undefined ? rows : Number(column(of(rule.count), 0));
  if (!(counted >= 0 && counted <= rows)) return `${rule.count} says ${counted} of ${rows} detections`;
  const inRow = (row: number, at: number | undefined) =>
    at === undefined ? null : (values[row * width + at] ?? NaN);
  return Array.from({ length: counted }, (_unused, row): Detection => {
    const label = column(of(rule.labels), row) ?? inRow(row, rule.labelColumn);
    const score = column(of(rule.scores), row) ?? inRow(row, rule.scoreColumn);
    return {
      box: boxOf(values, row * width, rule.boxes),
      label: label === null ? null : String(label),
      score: score === null ? null : Number(score),
    };
  }).filter(({ score }) => rule.minScore === undefined || score === null || score >= rule.minScore);
}

const isWithin = (wanted: Detection, got: Detection, rule: DetectionsRule): boolean =>
  wanted.label === got.label &&
  (wanted.score === null ||
    got.score === null ||
    Math.abs(wanted.score - got.score) <= rule.scoreTolerance) &&
  overlapOf(wanted.box, got.box) >= rule.iou;

/** Boxes of one sample, in any order, with their labels and scores. The outputs are those of the same sample. */
export function compareDetections(
  name: string,
  expected: readonly DecodedTensor[],
  found: readonly DecodedTensor[],
  rule: DetectionsRule,
): TensorDifference {
  const read = [expected, found].map((outputs) => {
    const boxes = outputs.find((output) => output.name === name);
    return boxes === undefined ? 'it is missing' : detectionsOf(boxes, outputs, rule);
  });
  const [wanted = '', got = ''] = read;
  if (typeof wanted === 'string') return incomparable(`In the file ${wanted}`);
  if (typeof got === 'string') return incomparable(`In the answer ${got}`);
  if (Math.max(wanted.length, got.length) > mostDetections) {
    return incomparable(
      `It has ${Math.max(wanted.length, got.length)} detections, at most ${mostDetections} are matched`,
    );
  }
  const partners = matched(wanted.length, got.length, (one, other) => {
    const [a, b] = [wanted[one], got[other]];
    return a !== undefined && b !== undefined && isWithin(a, b, rule);
  });
  const lost = wanted.filter((_detection, at) => partners[at] === -1);
  const extra = got.filter((_detection, at) => !partners.includes(at));
  const counted = {
    ...withoutSizes,
    compared: wanted.length,
    differing: Math.max(lost.length, extra.length),
  };
  const [first] = lost;
  const [added] = extra;
  if (first !== undefined) {
    const at = [wanted.indexOf(first)];
    const text = missingText(first, extra, rule);
    return {
      ...counted,
      worst: {
        at,
        expected: shownBox(first),
        found: added === undefined ? 'nothing' : shownBox(added),
        size: lost.length,
      },
      reason: `${lost.length} of ${wanted.length} detections have no match; ${text}`,
    };
  }
  if (added === undefined) return { ...counted, worst: null, reason: null };
  return {
    ...counted,
    worst: { at: [got.indexOf(added)], expected: 'nothing', found: shownBox(added), size: extra.length },
    reason: `${extra.length} detections are not expected; the first is ${shownBox(added)}`,
  };
}
