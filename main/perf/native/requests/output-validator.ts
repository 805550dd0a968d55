import { isDatatype } from '../../../contract/measured/input-data';
import { compareValues } from '../../../domain/outputs/compare-outputs';
import type { DecodedTensor } from '../../../domain/outputs/decoded-tensor';
import { loadRule } from '../../../domain/outputs/rule-text';
import { createRandom } from '../../../domain/random';
import { bytesElements, decodeTensor } from '../../../triton/decode-tensor';
import { elementBytes, type Tensor } from '../../../triton/tensor';
import { sizeProblem, typeText } from '../../input/wanted-tensor';
import type { OutputCheckJob } from '../seam/load-job';
import { type Failure, noOutputChecks, nowUs, type OutputCheckCounts } from '../seam/transport';
import { batchOf } from './batch-payloads';
import type { PayloadPart } from './replay-payloads';

/**
 * Maximum share of time for checks. With expected values or a search for non-finite ones every response is checked up
 * to this budget, beyond which checks would affect the load.
 */
export const mostCheckShare = 0.05;
/** Excluded from the budget: cold code, and a preempted check. */
const freeCheckUs = 100_000;
/** Otherwise one of this many responses is checked, at random to cover all entries. */
const meanDistance = 100;
/** First responses to this many distinct requests are always checked. */
const mostFirsts = 100;
/** Distinct requests whose first responses are searched for NaN and infinity without a request to. */
const mostFiniteFirsts = 8;
/** Values checked per output. */
const mostValues = 2 ** 18;
const seed = 20210721;
/** Whole, or the checked prefix of a fixed-size tensor. */
function checked(tensor: Tensor): DecodedTensor {
  const bytes = elementBytes(tensor.datatype);
  if (bytes === null || tensor.data.byteLength <= mostValues * bytes) return decodeTensor(tensor);
  return decodeTensor({
    ...tensor,
    shape: [mostValues],
    data: tensor.data.subarray(0, mostValues * bytes),
  });
}

function formFault(found: Tensor, shape: readonly number[], datatype: string): Failure | null {
  const { name } = found;
  const says = `where the model says ${typeText(datatype, shape)}`;
  if (found.datatype !== datatype) {
    return { kind: 'output type', message: `${name} is ${found.datatype} ${says}` };
  }
  const fits =
    found.shape.length === shape.length &&
    shape.every((size, axis) => size < 0 || size === found.shape[axis]);
  if (!fits) return { kind: 'output shape', message: `${name} is [${found.shape.join(', ')}] ${says}` };
  if (!isDatatype(datatype) && datatype !== 'BYTES') return null;
  const size = sizeProblem({ name, datatype }, found);
  return size === null ? null : { kind: 'output size', message: size };
}

/** Element bytes, and the exponent mask of the last ones. */
const exponents: Readonly<Partial<Record<string, readonly [bytes: number, mask: number]>>> = {
  FP64: [8, 0x7ff0_0000],
  FP32: [4, 0x7f80_0000],
  FP16: [2, 0x7c00],
  BF16: [2, 0x7f80],
};

/** NaN and infinity have all exponent bits set, so values need no decoding. */
function finiteFault({ name, datatype, data }: Tensor): Failure | null {
  const exponent = exponents[datatype];
  if (exponent === undefined) return null;
  const [bytes, mask] = exponent;
  const count = Math.min(mostValues, Math.floor(data.byteLength / bytes));
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at < count; at += 1) {
    const bits = bytes === 2 ? view.getUint16(2 * at, true) : view.getUint32(bytes * (at + 1) - 4, true);
    if ((bits & mask) >>> 0 === mask)
      return { kind: 'output not finite', message: `${name} has NaN or an infinity at value ${at}` };
  }
  return null;
}

/** By the rule of responses under load: exact, or for floating point within the effect of another summation order. */
export function difference(found: Tensor, expected: Buffer): Failure | null {
  const kind = 'output differs';
  const { name, data, datatype } = found;
  if (expected.equals(data)) return null;
  const isText = datatype === 'BYTES';
  const [got, wanted] = [data, expected].map((bytes) =>
    isText ? bytesElements({ name, data: bytes }).length : bytes.byteLength,
  );
  if (got !== wanted) {
    const unit = isText ? 'elements' : 'bytes';
    return { kind, message: `${name} has ${got} ${unit} where ${wanted} are expected` };
  }
  const { reason } = compareValues(checked({ ...found, data: expected }), checked(found), loadRule(datatype));
  return reason === null ? null : { kind, message: `${name}: ${reason}` };
}

/** Result of checking a slot's responses. */
interface SlotCheck {
  /** Search for NaN and infinity. */
  readonly isFirst: boolean;
  responses: number;
  fault: Failure | null;
  /** Deviation of the first response from its expected values. */
  difference: Failure | null;
  heldUs: number;
}

/** Checks responses against the model's outputs and expected values. Problems are kept until the slot's `take`. */
export class OutputValidator {
  readonly counts: { -readonly [Key in keyof OutputCheckCounts]: OutputCheckCounts[Key] } = {
    ...noOutputChecks,
  };
  private readonly next = createRandom(seed);
  private readonly firsts = new Set<number>();
  private readonly checks = new Map<number, SlotCheck>();
  private distance = 0;
  private readonly startUs = nowUs();
  private spentUs = 0;
  private behind = false;

  constructor(
    private readonly job: OutputCheckJob,
    private readonly load: {
      readonly batchSize: number;
      readonly batched: boolean;
      /** Which samples a request has; absent: as many as every other, in turn. */
      readonly partOf?: ((payload: number) => PayloadPart) | undefined;
    },
  ) {}

  /** At the first response. @param payload which request it answers. @returns whether to check all responses to it */
  begin(slot: number, payload: number): boolean {
    const isFirst = !this.job.finite && payload < mostFiniteFirsts && !this.firsts.has(payload);
    const due = this.isDue(payload);
    if (due) this.checks.set(slot, { isFirst, responses: 0, fault: null, difference: null, heldUs: 0 });
    else this.checks.delete(slot);
    return due;
  }

  /** The request failed, so its checks are dropped. */
  forget(slot: number): void {
    this.checks.delete(slot);
  }

  /** @param decode returns outputs, or throws an Error */
  check(slot: number, payload: number, decode: () => readonly Tensor[]): void {
    const check = this.checks.get(slot);
    if (check === undefined) return;
    const startUs = nowUs();
    this.counts.checked += 1;
    check.responses += 1;
    let fault: Failure | null;
    try {
      const outputs = decode();
      fault = this.formFaultOf(outputs, payload);
      if (check.isFirst && fault === null) this.checkFinite(outputs);
      // Expected values apply to single responses only.
      if (check.responses === 1 && fault === null) check.difference = this.differenceOf(outputs, payload);
    } catch (error) {
      fault = { kind: 'bad response', message: error instanceof Error ? error.message : String(error) };
    }
    if (fault !== null) this.counts.wrong += 1;
    check.fault ??= fault;
    const heldUs = nowUs() - startUs;
    check.heldUs += heldUs;
    this.spentUs += heldUs;
  }

  /** Problem of the slot's responses and time spent on checks; null if none was checked. */
  take(slot: number): { readonly fault: Failure | null; readonly heldUs: number } | null {
    const check = this.checks.get(slot);
    if (check === undefined) return null;
    this.checks.delete(slot);
    const { responses, difference, heldUs } = check;
    if (responses > 1 || check.fault !== null || this.job.expected.length === 0) {
      return { fault: check.fault, heldUs };
    }
    this.counts.compared += 1;
    if (difference !== null) this.counts.wrong += 1;
    return { fault: difference, heldUs };
  }

  private isDue(payload: number): boolean {
    if (payload < mostFirsts && !this.firsts.has(payload)) {
      this.firsts.add(payload);
      return true;
    }
    if (this.isAffordable()) return true;
    this.distance -= 1;
    if (this.distance > 0) return false;
    this.distance = 1 + Math.floor(this.next() * (2 * meanDistance - 1));
    return true;
  }

  private isAffordable(): boolean {
    const { finite, expected } = this.job;
    if (!finite && expected.length === 0) return false;
    if (this.spentUs - freeCheckUs > mostCheckShare * (nowUs() - this.startUs)) {
      this.behind = true;
      return false;
    }
    // At random: a fixed step would always skip the same entries.
    return !this.behind || this.next() < 0.5;
  }

  private checkFinite(outputs: readonly Tensor[]): void {
    this.counts.finiteChecked += 1;
    const [fault = null] = outputs.flatMap((output) => finiteFault(output) ?? []);
    if (fault === null) return;
    this.counts.notFinite += 1;
    if (this.counts.notFiniteMessage === '') this.counts.notFiniteMessage = fault.message;
  }

  private partOf(payload: number): PayloadPart {
    const { batchSize, partOf } = this.load;
    return partOf?.(payload) ?? { first: payload * batchSize, size: batchSize };
  }

  private formFaultOf(found: readonly Tensor[], payload: number): Failure | null {
    const { outputs, finite, anyBatch = false } = this.job;
    const { batched } = this.load;
    const { size: batchSize } = this.partOf(payload);
    for (const { name, datatype, shape } of outputs) {
      const output = found.find((tensor) => tensor.name === name);
      if (output === undefined)
        return { kind: 'output missing', message: `${name} is missing in the response` };
      const whole = batched ? [anyBatch ? -1 : batchSize, ...shape.slice(1)] : shape;
      const fault = formFault(output, whole, datatype) ?? (finite ? finiteFault(output) : null);
      if (fault !== null) return fault;
    }
    return null;
  }

  private differenceOf(found: readonly Tensor[], payload: number): Failure | null {
    const { first, size } = this.partOf(payload);
    for (const tensor of this.job.expected) {
      const output = found.find(({ name }) => name === tensor.name);
      if (output === undefined)
        return { kind: 'output missing', message: `${tensor.name} is missing in the response` };
      const fault = difference(output, batchOf(tensor, first, size));
      if (fault !== null) return fault;
    }
    return null;
  }
}
