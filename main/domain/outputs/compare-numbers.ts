import type { NumbersRule } from '../../contract/measured/output-rules';
import { formatScale, formatShare } from '../../contract/numbers';
import { type DecodedTensor, placeOf, shortSingle, type TensorDifference } from './decoded-tensor';

const shown = (value: number, datatype: string): string =>
  String(/^(FP32|FP16|BF16)$/.test(datatype) ? shortSingle(value) : value);

interface Found {
  outside: number;
  /** Of them with NaN or an infinity, which no share permits. */
  oddOutside: number;
  finite: number;
  nan: number;
  inf: number;
  maxAbs: number;
  maxRel: number;
  worstAt: number;
  worst: number;
  /** Values outside come before larger differences that are within. */
  worstOutside: boolean;
}

/** Equal infinities agree. @returns how far apart, infinite without a distance */
function distance(wanted: number, got: number, equalNan: boolean): number {
  if (wanted === got || (equalNan && Number.isNaN(wanted) && Number.isNaN(got))) return 0;
  const difference = Math.abs(wanted - got);
  return Number.isFinite(difference) ? difference : Infinity;
}

function see(found: Found, at: number, wanted: number, got: number, rule: NumbersRule): void {
  const isFinite = Number.isFinite(wanted) && Number.isFinite(got);
  const difference = distance(wanted, got, rule.equalNan === true);
  if (Number.isNaN(wanted) || Number.isNaN(got)) found.nan += difference === 0 ? 0 : 1;
  else if (!isFinite) found.inf += 1;
  // A relative tolerance of an infinity would allow everything.
  const allowed = isFinite ? rule.atol + rule.rtol * Math.abs(wanted) : 0;
  const isOutside = difference > allowed;
  if (isOutside) found.outside += 1;
  if (isOutside && !isFinite) found.oddOutside += 1;
  if (isFinite) {
    found.finite += 1;
    found.maxAbs = Math.max(found.maxAbs, difference);
    if (wanted !== 0) found.maxRel = Math.max(found.maxRel, difference / Math.abs(wanted));
  }
  const isWorse = isOutside === found.worstOutside ? difference > found.worst : isOutside;
  if (!isWorse) return;
  [found.worst, found.worstAt, found.worstOutside] = [difference, at, isOutside];
}

function reasonOf(found: Found, count: number, place: string, rule: NumbersRule): string | null {
  const allowed = (rule.maxMismatch ?? 0) * found.finite;
  if (found.oddOutside === 0 && found.outside <= allowed) return null;
  const odd = [
    ...(found.nan > 0 ? [`${found.nan} NaN`] : []),
    ...(found.inf > 0 ? [`${found.inf} infinite`] : []),
  ];
  const several = odd.length === 0 ? '' : ` (${odd.join(', ')})`;
  const share = allowed === 0 ? '' : `, where ${formatShare(rule.maxMismatch ?? 0)} may be`;
  return `${found.outside} of ${count} values${several} are outside the tolerance${share}; ${place}`;
}

/** As `NumbersRule` says. Both have the same shape. */
export function compareNumbers(
  expected: DecodedTensor & { readonly values: ArrayLike<number> },
  found: DecodedTensor & { readonly values: ArrayLike<number> },
  rule: NumbersRule,
): TensorDifference {
  const seen: Found = {
    outside: 0,
    oddOutside: 0,
    finite: 0,
    nan: 0,
    inf: 0,
    maxAbs: -1,
    maxRel: -1,
    worstAt: 0,
    worst: 0,
    worstOutside: false,
  };
  const count = expected.values.length;
  for (let at = 0; at < count; at += 1) {
    see(seen, at, expected.values[at] ?? NaN, found.values[at] ?? NaN, rule);
  }
  const [wanted, got] = [expected.values[seen.worstAt] ?? NaN, found.values[seen.worstAt] ?? NaN];
  const [wantedText, gotText] = [wanted, got].map((value) => shown(value, expected.datatype)) as [
    string,
    string,
  ];
  const at = placeOf(expected.shape, seen.worstAt);
  const size = seen.worst === Infinity ? '' : `, a difference of ${formatScale(seen.worst)}`;
  const place = `worst at [${at.join(', ')}]: ${gotText} where ${wantedText} is expected${size}`;
  return {
    compared: count,
    differing: seen.outside,
    maxAbsDiff: seen.maxAbs < 0 ? null : seen.maxAbs,
    maxRelDiff: seen.maxRel < 0 ? null : seen.maxRel,
    nanCount: seen.nan,
    infCount: seen.inf,
    worst: seen.worst === 0 ? null : { at, expected: wantedText, found: gotText, size: seen.worst },
    reason: reasonOf(seen, count, place, rule),
  };
}
