import { appendFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SoakBlock, SoakReading, SoakStrategy } from '../../contract/study/soak';
import { blockOf, type SoakSample } from '../../domain/study/soak/block-of';

/** What a soak reads of a server. */
export interface WatchedServer {
  /** Memory of its processes. Throws where they cannot be read this time. */
  readonly readings: () => Promise<readonly SoakReading[]>;
  /** Answered requests, as Triton counts them since it loaded the model; null: not known. */
  readonly requests: () => Promise<number | null>;
}

/** Counts on where a count begins anew, as after a load. */
export class RisingCount {
  private before: number | null = null;

  constructor(private total: number | null) {}

  add(now: number | null): number | null {
    if (now === null) return this.total;
    const more = this.before === null || now < this.before ? now : now - this.before;
    this.before = now;
    this.total = (this.total ?? 0) + more;
    return this.total;
  }

  /** What is counted so far is from before. */
  begin(now: number | null): void {
    this.before = now;
  }
}

/** A line of the file of samples: figures in the order of the contract, and no names. */
function lineOf({ atMs, life, requests, reloads, readings }: SoakSample): string {
  const processes = readings.map(({ role, model = null, count, ...of }) => [
    ...[role, model, count, of.rss, of.pss, of.virtual, of.shm, of.gpu, of.threads, of.handles],
  ]);
  return `${JSON.stringify([Math.round(atMs), life, requests, reloads, processes])}\n`;
}

/** Samples of one life: all go to a file, and medians of some to the journal. Holds those of one block only. */
export class SampleKeeper {
  private samples: SoakSample[] = [];
  private lines: string[] = [];

  constructor(
    private readonly options: {
      readonly blockMs: number;
      /** Appended to. */
      readonly file: string;
      readonly onBlock: (block: SoakBlock) => Promise<void>;
    },
  ) {}

  async add(sample: SoakSample): Promise<void> {
    this.samples.push(sample);
    this.lines.push(lineOf(sample));
    if (sample.atMs - (this.samples[0]?.atMs ?? 0) >= this.options.blockMs) await this.flush();
  }

  /** The first sample of the next block is the last of this one, so that blocks meet. */
  async flush(): Promise<void> {
    const { samples, lines } = this;
    this.lines = [];
    this.samples = samples.slice(-1);
    if (lines.length > 0) await appendFile(this.options.file, lines.join(''), { mode: 0o600 });
    const block = samples.length < 2 ? null : blockOf(samples);
    if (block !== null) await this.options.onBlock(block);
  }
}

interface WatchInput {
  readonly server: WatchedServer;
  readonly soak: Pick<SoakStrategy, 'readMs'>;
  readonly keeper: SampleKeeper;
  readonly life: number;
  /** Under load so far, milliseconds. */
  readonly elapsedMs: () => number;
  readonly reloads: () => number;
  readonly requests: RisingCount;
  readonly signal: AbortSignal;
}

const client = (): SoakReading => {
  const { rss } = process.memoryUsage();
  return {
    ...{ role: 'client', count: 1, rss },
    ...{ pss: null, virtual: null, shm: null, gpu: null, threads: null, handles: null },
  };
};

/** Reads until the signal; a time at which nothing can be read is left out. Throws where samples cannot be written. */
export async function watchSoak(input: WatchInput): Promise<void> {
  const { server, soak, keeper, life, elapsedMs, reloads, requests, signal } = input;
  const begin = performance.now();
  const isOver = (): boolean => signal.aborted;
  for (let turn = 0; !isOver(); turn += 1) {
    const [readings, count] = await Promise.all([
      server.readings().catch(() => null),
      server.requests().catch(() => null),
    ]);
    if (readings !== null && !isOver()) {
      const own = [...readings, client()];
      await keeper.add({
        atMs: elapsedMs(),
        life,
        requests: requests.add(count),
        reloads: reloads(),
        readings: own,
      });
    }
    const dueMs = begin + (turn + 1) * soak.readMs - performance.now();
    await sleep(Math.max(0, dueMs), undefined, { signal }).catch(() => undefined);
  }
  await keeper.flush();
}
