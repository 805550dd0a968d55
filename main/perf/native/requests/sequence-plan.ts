import { invalidInput } from '../../../contract/errors';
import type { SequenceSettings } from '../../../contract/run/run-spec';
import { createRandom } from '../../../domain/random';

/** Where a request stands in its sequence. */
export interface SequencePlace {
  /** Correlation id. */
  readonly id: number;
  readonly start: boolean;
  readonly end: boolean;
  /** Requests of the sequence before this one. */
  readonly step: number;
  /** Entry of the input data at which the sequence begins. */
  readonly first: number;
}

/** Entries of the input data that are one sequence. */
export interface SequenceStream {
  readonly first: number;
  readonly length: number;
}

/** Two runs have sequences of the same lengths. */
const seed = 20240117;

interface Open {
  readonly id: number;
  readonly stream: SequenceStream;
  step: number;
  /** Its last request has been handed out. */
  done: boolean;
}

/**
 * Which sequence each slot's next request belongs to. A slot has one sequence at a time, whose requests follow one another;
 * no two open sequences have the same id. As perf_analyzer: lengths lie evenly within the variation around the length, ids
 * count up from the first, and begin anew before the end of the range. Where the input data have streams, each sequence is one
 * of them, picked at random, which perf_analyzer does as well. Throws input-invalid where the range is too small.
 */
export class SequencePlan {
  private readonly open: (Open | undefined)[] = [];
  private readonly random = createRandom(seed);
  private readonly inUse = new Set<number>();
  /** Slots whose next request ends their sequence, whatever its length. */
  private readonly closing = new Set<number>();
  private nextId: number;
  private endedCount = 0;

  constructor(
    private readonly settings: SequenceSettings,
    slots: number,
    private readonly streams: readonly SequenceStream[] = [],
  ) {
    const { firstId, endId } = settings;
    this.nextId = firstId;
    if (endId !== undefined && endId - firstId < slots) {
      throw invalidInput(
        'sequence id range',
        `${slots} concurrent sequences need as many ids, but the range has ${Math.max(0, endId - firstId)}`,
        'Use a longer range, or no end.',
      );
    }
  }

  /** Sequences whose last request has been handed out. */
  get ended(): number {
    return this.endedCount;
  }

  /** To be called when the slot's request before has been answered. */
  next(slot: number): SequencePlace {
    let open = this.open[slot];
    if (open === undefined || open.done) {
      // Its last request has been answered only now: until here nobody else had the id.
      if (open !== undefined) this.inUse.delete(open.id);
      open = this.begin(slot);
    }
    const { id, step, stream } = open;
    const end = step + 1 >= stream.length || this.closing.delete(slot);
    open.step += 1;
    if (end) {
      open.done = true;
      this.endedCount += 1;
    }
    return { id, start: step === 0, end, step, first: stream.first };
  }

  /** The slot's request failed: what the server makes of its sequence is not known, the next one is another. */
  failed(slot: number): void {
    const open = this.open[slot];
    if (open === undefined) return;
    this.inUse.delete(open.id);
    this.closing.delete(slot);
    this.open[slot] = undefined;
  }

  /** Lets the slot's next request end its sequence; false: it has none open. */
  close(slot: number): boolean {
    const open = this.open[slot];
    if (open === undefined || open.done) return false;
    this.closing.add(slot);
    return true;
  }

  private begin(slot: number): Open {
    const open: Open = { id: this.takeId(), stream: this.takeStream(), step: 0, done: false };
    this.open[slot] = open;
    return open;
  }

  private takeStream(): SequenceStream {
    const { streams } = this;
    const stream = streams[Math.floor(this.random() * streams.length)];
    if (stream !== undefined) return stream;
    const { length, lengthVariation } = this.settings;
    const spread = Math.floor((length * lengthVariation) / 100);
    return {
      first: 0,
      length: Math.max(1, length - spread + Math.floor(this.random() * (2 * spread + 1))),
    };
  }

  private takeId(): number {
    const { firstId, endId = Number.MAX_SAFE_INTEGER } = this.settings;
    for (;;) {
      const id = this.nextId;
      this.nextId = id + 1 < endId ? id + 1 : firstId;
      if (this.inUse.has(id)) continue;
      this.inUse.add(id);
      return id;
    }
  }
}
