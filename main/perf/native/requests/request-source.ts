import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { WorkbenchError } from '../../../contract/errors';
import { elementBytes } from '../../../triton/tensor';
import type { LoadJob, RequestInputHead, SharedJob } from '../seam/load-job';
import type { Failure } from '../seam/transport';
import { inLargePages } from '../socket/socket-options';
import { batchPayloads, type RequestInputs, requestInputs } from './batch-payloads';
import { difference } from './output-validator';
import { type PayloadPart, planReplay } from './replay-payloads';
import { type SequencePlace, SequencePlan, type SequenceStream } from './sequence-plan';
import { comparedBytes, outputOffset, type OutputSet, type SharedPlace } from './shared-names';

/** Regions of a request's tensors. */
export interface SharedPlaces {
  readonly inputs: readonly (RequestInputHead & { readonly place: SharedPlace })[];
  readonly outputs: readonly { readonly name: string; readonly place: SharedPlace }[];
}

/** Prepared requests, sent in rotation. */
export interface RequestSource {
  next(slot: number): Buffer;
  /** Index of the slot's last payload. */
  payloadOf(slot: number): number;
  /** Which samples a payload has; absent: as many as every other, in turn. */
  readonly partOf?: (payload: number) => PayloadPart;
  /** Problem of the slot's shared memory outputs; null if fine or not checked. */
  check(slot: number): Failure | null;
  /** Shared memory outputs that were checked. */
  readonly checked: number;
  readonly wrong: number;
  failed(slot: number): void;
  /** Makes the slot's next request end its sequence; false without one. */
  closeSequence(slot: number): boolean;
  readonly sequencesEnded: number;
  close(): void;
}

/** `inputs` is empty with shared memory. */
type Encode = (inputs: RequestInputs, shared: SharedPlaces | null, sequence: SequencePlace | null) => Buffer;

/** One in this many shared memory outputs is checked. */
const checkEvery = 100;
/** NaN as FP32 and as every other FP16, which models do not return: still present means never written. */
const poison = Buffer.from([0xa5, 0xa5, 0xa5, 0x7f]);

/** Outputs arrive over the network. */
const unchecked = { check: () => null, checked: 0, wrong: 0, close: () => undefined };

/** Independent requests. */
const alone = { failed: () => undefined, closeSequence: () => false, sequencesEnded: 0 };

function fromWire(payloads: readonly RequestInputs[], encode: Encode): RequestSource {
  const messages = payloads.map((inputs) => encode(inputs, null, null));
  for (const message of messages) inLargePages(message);
  const sent: number[] = [];
  let at = 0;
  return {
    next: (slot) => {
      const message = messages[at] ?? Buffer.alloc(0);
      sent[slot] = at;
      at = (at + 1) % messages.length;
      return message;
    },
    payloadOf: (slot) => sent[slot] ?? 0,
    ...unchecked,
    ...alone,
  };
}

/** Requests that differ in more than their turn, as those of a trace do; the slot's owner says which it sends. */
function fromTrace(
  job: LoadJob,
  replay: NonNullable<LoadJob['replay']>,
  encode: Encode,
  requestOf: (slot: number) => number,
): RequestSource {
  const { parts, order } = planReplay(job, replay);
  const messages = parts.map(({ first, size }) => encode(requestInputs(job, first, size), null, null));
  for (const message of messages) inLargePages(message);
  const sent: number[] = [];
  return {
    next: (slot) => {
      const payload = order[requestOf(slot) % order.length] ?? 0;
      sent[slot] = payload;
      return messages[payload] ?? Buffer.alloc(0);
    },
    payloadOf: (slot) => sent[slot] ?? 0,
    partOf: (payload) => parts[payload] ?? { first: 0, size: job.batchSize },
    ...unchecked,
    ...alone,
  };
}

/** Sequences iterate over their stream's payloads. Requests are encoded when sent, because parameters differ. */
function inSequences(payloads: readonly RequestInputs[], encode: Encode, plan: SequencePlan): RequestSource {
  const sent: number[] = [];
  return {
    next: (slot) => {
      const place = plan.next(slot);
      const at = (place.first + place.step) % payloads.length;
      sent[slot] = at;
      return encode(payloads[at] ?? [], null, place);
    },
    payloadOf: (slot) => sent[slot] ?? 0,
    ...unchecked,
    failed: (slot) => plan.failed(slot),
    closeSequence: (slot) => plan.close(slot),
    get sequencesEnded() {
      return plan.ended;
    },
  };
}

/** Shared memory requests: one message per payload and output set, encoded on first use. */
class SharedSource implements RequestSource {
  checked = 0;
  wrong = 0;
  private readonly messages: Record<OutputSet, Buffer[]> = { common: [], watched: [] };
  private readonly file: number;
  /** The active request that writes to the watched region; only one at a time. */
  private watched: { readonly slot: number; readonly payload: number } | null = null;
  private at = 0;
  private sinceWatched = checkEvery;

  constructor(
    private readonly shared: SharedJob,
    private readonly encode: Encode,
  ) {
    this.file = openSync(shared.outputPath, 'r+');
  }

  next(slot: number): Buffer {
    const payload = this.at;
    this.at = (this.at + 1) % this.shared.payloads.length;
    this.failed(slot);
    this.sinceWatched += 1;
    const due = this.sinceWatched > checkEvery && this.watched === null;
    const set = due && this.shared.references[payload] !== undefined ? 'watched' : 'common';
    if (set === 'watched') {
      this.watched = { slot, payload };
      this.sinceWatched = 1;
      this.eachOutput(payload, (at, bytes) =>
        writeSync(this.file, Buffer.alloc(bytes, poison), 0, bytes, at),
      );
    }
    return (this.messages[set][payload] ??= this.encode([], this.places(set, payload), null));
  }

  /** Shared memory outputs are checked by {@link check}. */
  payloadOf(): number {
    return 0;
  }

  check(slot: number): Failure | null {
    const { watched } = this;
    if (watched?.slot !== slot) return null;
    this.watched = null;
    this.checked += 1;
    const faults: Failure[] = [];
    const wire = this.shared.referenceFaults[watched.payload] ?? null;
    if (wire !== null) faults.push(wire);
    this.eachOutput(watched.payload, (at, bytes, expected, { name, datatype }) => {
      const found = Buffer.alloc(bytes);
      readSync(this.file, found, 0, bytes, at);
      const shape = [bytes / (elementBytes(datatype) ?? 1)];
      if (difference({ name, datatype, shape, data: found }, expected) === null) return;
      const message = `output ${name} in shared memory differs from the response over the network`;
      faults.push({ kind: 'wrong output', message });
    });
    if (faults.length > 0) this.wrong += 1;
    return faults[0] ?? null;
  }

  failed(slot: number): void {
    if (this.watched?.slot === slot) this.watched = null;
  }

  readonly closeSequence = alone.closeSequence;
  readonly sequencesEnded = alone.sequencesEnded;

  close(): void {
    closeSync(this.file);
  }

  private eachOutput(
    payload: number,
    visit: (
      at: number,
      bytes: number,
      expected: Buffer,
      output: { readonly name: string; readonly datatype: string },
    ) => void,
  ): void {
    for (const [output, name] of this.shared.outputNames.entries()) {
      const expected = this.shared.references[payload]?.[output];
      if (expected === undefined) continue;
      const bytes = Math.min(comparedBytes, expected.byteLength);
      const datatype = this.shared.outputDatatypes[output] ?? '';
      const begin = Buffer.from(expected.buffer, expected.byteOffset, bytes);
      visit(outputOffset(this.shared, 'watched', output), bytes, begin, { name, datatype });
    }
  }

  private places(set: OutputSet, payload: number): SharedPlaces {
    const { shared } = this;
    return {
      inputs: (shared.payloads[payload] ?? []).map(({ offset, bytes, ...head }) => ({
        ...head,
        place: { region: shared.inputRegion, offset, bytes },
      })),
      outputs: shared.outputNames.map((name, output) => ({
        name,
        place: {
          region: shared.outputRegion,
          offset: outputOffset(shared, set, output),
          bytes: shared.outputBytes,
        },
      })),
    };
  }
}

/** Complete streams only, because a partial one is another sequence. Throws input-invalid if none fits. */
function wholeStreams(lengths: readonly number[], payloads: number): readonly SequenceStream[] {
  let first = 0;
  const all = lengths.map((length) => {
    const stream = { first, length };
    first += length;
    return stream;
  });
  const whole = all.filter((stream) => stream.first + stream.length <= payloads);
  if (whole.length === 0 && all.length > 0) {
    throw new WorkbenchError('input-invalid', 'The first stream of the input data is above 256 MiB', {
      remedy: 'Use shorter streams.',
    });
  }
  return whole;
}

/**
 * Uses tensors or shared memory references.
 * @param requestOf which request of a trace the slot sends
 */
export function createRequestSource(
  job: LoadJob,
  encode: Encode,
  requestOf: (slot: number) => number = () => 0,
): RequestSource {
  if (job.shared !== null) return new SharedSource(job.shared, encode);
  if (job.replay !== undefined) return fromTrace(job, job.replay, encode, requestOf);
  const payloads = batchPayloads(job);
  if (job.sequences !== null) {
    const streams = wholeStreams(job.streams ?? [], payloads.length);
    return inSequences(payloads, encode, new SequencePlan(job.sequences, job.concurrency, streams));
  }
  return fromWire(payloads, encode);
}
