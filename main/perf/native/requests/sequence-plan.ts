import { invalidInput } from '../../../contract/errors';
import type { SequenceSettings } from '../../../contract/run/run-spec';
import { createRandom } from '../../../domain/random';

/** A request's position in its sequence. */
export interface SequencePlace {
  readonly id: number;
  readonly start: boolean;
  readonly end: boolean;
  /** Index within the sequence. */
  readonly step: number;
  /** First input entry of the sequence. */
  readonly first: number;
}

/** Input entries that form one sequence. */
export interface SequenceStream {
  readonly first: number;
  readonly length: number;
}

/** Fixed, so that runs are comparable. */
const seed = 20240117;

interface Open {
  readonly id: number;
  readonly stream: SequenceStream;
  step: number;
  /** Its last request was assigned. */
  done: boolean;
}

/**
 * Assigns requests to sequences. A slot has one open sequence; ids of open sequences are unique. As in perf_analyzer,
 * lengths are uniform within the variation, and ids count up from the first and wrap around. With streams each sequence
 * is a random one. Throws input-invalid if the id range is too small.
 */
export class SequencePlan {
  private readonly open: (Open | undefined)[] = [];
  private readonly random = createRandom(seed);
  private readonly inUse = new Set<number>();
  /** Slots whose sequence ends with the next request. */
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

  get ended(): number {
    return this.endedCount;
  }

  /** Call when the slot's previous request was answered. */
  next(slot: number): SequencePlace {
    let open = this.open[slot];
    if (open === undefined || open.done) {
      // Ids are reused only after the last response.
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

  /** After a failure the sequence's server state is unknown, so a new one begins. */
  failed(slot: number): void {
    const open = this.open[slot];
    if (open === undefined) return;
    this.inUse.delete(open.id);
    this.closing.delete(slot);
    this.open[slot] = undefined;
  }

  /** Makes the slot's next request end its sequence; false without one. */
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
