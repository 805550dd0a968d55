import { isDatatype, type SampleDatatype } from '../../../contract/measured/input-data';
import { createRandom } from '../../../domain/random';
import { type Tensor, tensorValues } from '../../../triton/tensor';
import { elementCount, sizeProblem, typeText } from '../../input/wanted-tensor';
import type { OutputCheckJob } from '../seam/load-job';
import { type Failure, noOutputChecks, nowUs, type OutputCheckCounts } from '../seam/transport';
import { batchOf } from './batch-payloads';

/**
 * With expected values, or where all values are to be finite, every response is looked at as long as that takes at most
 * this share of the time: beyond it the load would be another one.
 */
export const mostCheckShare = 0.05;
/** Not counted: the first looks, whose code is cold, and one during which the machine did other work. */
const freeCheckUs = 100_000;
/** Otherwise of so many responses one is looked at in the mean; at random, so that no entry is always passed over. */
const meanDistance = 100;
/** The first response to each of so many different requests is looked at. */
const mostFirsts = 100;
/** In the first responses to so many of them NaN and infinities are looked for where nobody asked for it. */
const mostFiniteFirsts = 8;
/** Of each output so many values are looked at. */
const mostValues = 2 ** 18;
const seed = 20210721;
/** Relative, and absolute below 1: a server that batches may round otherwise. Half-precision types have 8 to 11 bits. */
const tolerance: Readonly<Partial<Record<SampleDatatype, number>>> = {
  FP64: 1e-3,
  FP32: 1e-3,
  FP16: 1e-2,
  BF16: 5e-2,
};

/** What is looked at of a tensor of fixed-size elements. */
function begin(tensor: Tensor, bytesOfElement: number): Tensor {
  const count = Math.min(mostValues, tensor.data.byteLength / bytesOfElement);
  return { ...tensor, shape: [count], data: tensor.data.subarray(0, count * bytesOfElement) };
}

function values(tensor: Tensor, count: number): number[] {
  return count === 0 ? [] : tensorValues(begin(tensor, tensor.data.byteLength / count));
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

/** Bytes of a floating-point type, and the bits of its exponent in the last ones of them. */
const exponents: Readonly<Partial<Record<string, readonly [bytes: number, mask: number]>>> = {
  FP64: [8, 0x7ff0_0000],
  FP32: [4, 0x7f80_0000],
  FP16: [2, 0x7c00],
  BF16: [2, 0x7f80],
};

/** Of NaN and infinities all bits of the exponent are set: no value is made of what is only looked at. */
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

/** Whether values are others than expected: exactly, and of floating point within what another order of sums makes. */
export function difference(found: Tensor, expected: Buffer): Failure | null {
  const kind = 'output differs';
  const { name, data, datatype } = found;
  if (data.byteLength !== expected.byteLength) {
    return {
      kind,
      message: `${name} has ${data.byteLength} bytes where ${expected.byteLength} are expected`,
    };
  }
  if (expected.equals(data)) return null;
  const allowed = tolerance[datatype as SampleDatatype];
  if (allowed === undefined) return { kind, message: `${name} is not as expected` };
  const count = elementCount(found.shape);
  const wanted = values({ ...found, data: expected }, count);
  for (const [at, value] of values(found, count).entries()) {
    const other = wanted[at] ?? NaN;
    // Equal infinities and NaN in both are no difference.
    if (Object.is(value, other) || Math.abs(value - other) <= allowed * Math.max(1, Math.abs(other)))
      continue;
    return { kind, message: `${name} has ${value} at value ${at} where ${other} is expected` };
  }
  return null;
}

/** What was found of the responses to a slot's request. */
interface SlotCheck {
  /** NaN and infinities are looked for. */
  readonly isFirst: boolean;
  responses: number;
  fault: Failure | null;
  /** Of the first one from what is expected. */
  difference: Failure | null;
  heldUs: number;
}

/**
 * Decodes some of the responses and holds them against what the model says of its outputs, and against the values that the
 * input data say they should have. What is wrong with one stands until its slot is asked for it.
 */
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
  /** More was to be looked at than there is time for. */
  private behind = false;

  constructor(
    private readonly job: OutputCheckJob,
    private readonly load: { readonly batchSize: number; readonly batched: boolean },
  ) {}

  /**
   * The first response to a request is there, or comes.
   * @param payload which request it answers.
   * @returns whether it is to be looked at; then all the responses to the request are.
   */
  begin(slot: number, payload: number): boolean {
    const isFirst = !this.job.finite && payload < mostFiniteFirsts && !this.firsts.has(payload);
    const due = this.isDue(payload);
    if (due) this.checks.set(slot, { isFirst, responses: 0, fault: null, difference: null, heldUs: 0 });
    else this.checks.delete(slot);
    return due;
  }

  /** The slot's request has failed: what was found of its responses is not asked for. */
  forget(slot: number): void {
    this.checks.delete(slot);
  }

  /**
   * A response to a request that is looked at.
   * @param decode the outputs; throws an Error where it cannot.
   */
  check(slot: number, payload: number, decode: () => readonly Tensor[]): void {
    const check = this.checks.get(slot);
    if (check === undefined) return;
    const startUs = nowUs();
    this.counts.checked += 1;
    check.responses += 1;
    let fault: Failure | null;
    try {
      const outputs = decode();
      fault = this.formFaultOf(outputs);
      if (check.isFirst && fault === null) this.checkFinite(outputs);
      // Expected values are those of one answer: which of several they would be of is not known.
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

  /** What is wrong with the responses to the slot's request, and the time that looking took; null: none was looked at. */
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

  /** There is time to look at this one as at every other. */
  private isAffordable(): boolean {
    const { finite, expected } = this.job;
    if (!finite && expected.length === 0) return false;
    if (this.spentUs - freeCheckUs > mostCheckShare * (nowUs() - this.startUs)) {
      this.behind = true;
      return false;
    }
    // Then at random: in step with the entries, the same ones would be passed over each time.
    return !this.behind || this.next() < 0.5;
  }

  private checkFinite(outputs: readonly Tensor[]): void {
    this.counts.finiteChecked += 1;
    const [fault = null] = outputs.flatMap((output) => finiteFault(output) ?? []);
    if (fault === null) return;
    this.counts.notFinite += 1;
    if (this.counts.notFiniteMessage === '') this.counts.notFiniteMessage = fault.message;
  }

  private formFaultOf(found: readonly Tensor[]): Failure | null {
    const { outputs, finite, anyBatch = false } = this.job;
    const { batchSize, batched } = this.load;
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
    const { batchSize } = this.load;
    for (const tensor of this.job.expected) {
      const output = found.find(({ name }) => name === tensor.name);
      if (output === undefined)
        return { kind: 'output missing', message: `${tensor.name} is missing in the response` };
      const fault = difference(output, batchOf(tensor, payload * batchSize, batchSize));
      if (fault !== null) return fault;
    }
    return null;
  }
}
