import { isDatatype, type SampleDatatype } from '../../../contract/measured/input-data';
import { type Tensor, tensorValues } from '../../../triton/tensor';
import { elementCount, sizeProblem, typeText } from '../../input/wanted-tensor';
import { createRandom } from '../../request-schedule';
import type { OutputCheckJob } from '../seam/load-job';
import { type Failure, nowUs, type OutputCheckCounts } from '../seam/transport';
import { batchOf } from './batch-payloads';

/** Of so many responses one is looked at in the mean; at random, so that no entry is always passed over. */
const meanDistance = 100;
/** The first response to each of so many different requests is looked at. */
const mostFirsts = 100;
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

function finiteFault(found: Tensor): Failure | null {
  if (tolerance[found.datatype as SampleDatatype] === undefined) return null;
  const at = values(found, elementCount(found.shape)).findIndex((value) => !Number.isFinite(value));
  return at < 0
    ? null
    : { kind: 'output not finite', message: `${found.name} has NaN or an infinity at value ${at}` };
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
interface Look {
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
    checked: 0,
    wrong: 0,
    compared: 0,
  };
  private readonly next = createRandom(seed);
  private readonly firsts = new Set<number>();
  private readonly looks = new Map<number, Look>();
  private distance = 0;

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
    const due = this.isDue(payload);
    if (due) this.looks.set(slot, { responses: 0, fault: null, difference: null, heldUs: 0 });
    else this.looks.delete(slot);
    return due;
  }

  /** The slot's request has failed: what was found of its responses is not asked for. */
  forget(slot: number): void {
    this.looks.delete(slot);
  }

  /**
   * A response to a request that is looked at.
   * @param decode the outputs; throws an Error where it cannot.
   */
  look(slot: number, payload: number, decode: () => readonly Tensor[]): void {
    const look = this.looks.get(slot);
    if (look === undefined) return;
    const startUs = nowUs();
    this.counts.checked += 1;
    look.responses += 1;
    let fault: Failure | null;
    try {
      const outputs = decode();
      fault = this.formFaultOf(outputs);
      // Expected values are those of one answer: which of several they would be of is not known.
      if (look.responses === 1 && fault === null) look.difference = this.differenceOf(outputs, payload);
    } catch (error) {
      fault = { kind: 'bad response', message: error instanceof Error ? error.message : String(error) };
    }
    if (fault !== null) this.counts.wrong += 1;
    look.fault ??= fault;
    look.heldUs += nowUs() - startUs;
  }

  /** What is wrong with the responses to the slot's request, and the time that looking took; null: none was looked at. */
  take(slot: number): { readonly fault: Failure | null; readonly heldUs: number } | null {
    const look = this.looks.get(slot);
    if (look === undefined) return null;
    this.looks.delete(slot);
    const { responses, difference, heldUs } = look;
    if (responses > 1 || look.fault !== null || this.job.expected.length === 0) {
      return { fault: look.fault, heldUs };
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
    this.distance -= 1;
    if (this.distance > 0) return false;
    this.distance = 1 + Math.floor(this.next() * (2 * meanDistance - 1));
    return true;
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
