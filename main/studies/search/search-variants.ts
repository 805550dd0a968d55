import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toWire } from '../../contract/errors';
import type { TakenMemory } from '../../contract/measured/model-memory';
import type { Executor, ServerHandle } from '../../engine/engine';
import { differenceOf } from '../../engine/server-memory';
import { whileServing } from '../../engine/serving';
import { createTritonClient, type TritonClient } from '../../triton/client';
import { loadVariant, type Variant, warmVariant, writeVariant } from './variant';

export interface VariantsOptions {
  readonly variants: readonly Variant[];
  readonly startServer: Executor['startServer'];
  /** Names the server, and what is left of it after a kill. */
  readonly name: string;
  /** Folder of the search, absolute. */
  readonly dir: string;
  /** Memory of the server, bytes; null: not known. */
  readonly readMemory: (server: ServerHandle) => Promise<TakenMemory>;
  /** Bytes that the machine of the server has left; null: not known. */
  readonly freeBytes: () => number | null;
  readonly signal: AbortSignal;
}

/** A candidate as it is served. */
export interface ServedVariant {
  readonly server: ServerHandle;
  readonly modelName: string;
  /** What was measured while it was loaded: candidate 0 is the first load on the server. Empty: nothing. */
  readonly taken: readonly (TakenMemory & { readonly candidate: number })[];
}

/** Out of memory, as backends and CUDA say it. */
const memoryWords = /out of memory|failed to allocate|bad_alloc|bfcarena|CUDA_ERROR_OUT_OF_MEMORY/i;

const asIsNumber = 1;
/** A twin of the present one, loaded first where memory is measured. */
const contextNumber = 0;
/** A load must leave room for one like it. */
const spareLoads = 2;

const sizesUpTo = (most: number): number[] => {
  const sizes: number[] = [];
  for (let size = 1; size < most; size *= 2) sizes.push(size);
  return [...sizes, Math.max(1, most)];
};

/**
 * The candidates of a search on one Triton, each a model of its own name with links to the same files: going from one to
 * the next costs neither a restart nor a reload. What does not fit into memory makes room for what is asked for.
 */
export class Variants {
  private server: ServerHandle | null = null;
  private client: TritonClient | null = null;
  /** Loaded, the one that was asked for longest ago first. */
  private loaded: readonly number[] = [];
  private largestLoad = 0;
  /** What the backend takes once is taken: a load takes what is its own. */
  private hasContext = false;
  /** Something was unloaded: a load may take memory that is the process's already. */
  private isStirred = false;

  constructor(private readonly options: VariantsOptions) {}

  private variantOf(number: number): Variant {
    const variant = this.options.variants[Math.max(asIsNumber, number) - 1];
    if (variant === undefined) throw new Error(`No candidate ${number}`);
    return variant;
  }

  /** Name on the server: Triton reads a model's name from its folder. */
  private nameOf(number: number): string {
    const { name } = this.variantOf(number);
    if (number === contextNumber) return `${name}--first`;
    return number === asIsNumber ? name : `${name}--${number}`;
  }

  private get repository(): string {
    return join(this.options.dir, 'repository');
  }

  /** The server that runs, or a new one. Throws as {@link Executor.startServer}. */
  private async running(): Promise<{ readonly server: ServerHandle; readonly client: TritonClient }> {
    if (this.server !== null && this.client !== null) return { server: this.server, client: this.client };
    const { startServer, name, dir, signal } = this.options;
    this.forget();
    const server = await startServer({
      ...{ runId: name, key: name, repository: this.repository, logPath: join(dir, 'triton.log'), signal },
      ...{ onLog: () => undefined, onCommand: () => undefined },
    });
    this.server = server;
    this.client = createTritonClient(server.httpAddress);
    return { server, client: this.client };
  }

  private forget(): void {
    this.loaded = [];
    this.hasContext = false;
    this.isStirred = false;
  }

  /**
   * Loads a candidate where it is not, proves that it answers, and has it answer once at each batch size.
   * @param wantsMemory also measure what it takes beside the others
   */
  async serve(number: number, wantsMemory = false): Promise<ServedVariant> {
    const taken = this.loaded.includes(number) ? [] : await this.added(number, wantsMemory);
    const { server } = await this.running();
    this.loaded = [...this.loaded.filter((one) => one !== number), number];
    return { server, modelName: this.nameOf(number), taken };
  }

  private async added(number: number, wantsMemory: boolean): Promise<ServedVariant['taken']> {
    // A load into memory that others gave back would read as less than it takes.
    if (wantsMemory && (this.isStirred || !this.hasRoom())) await this.restart();
    try {
      return await this.loadNew(number, wantsMemory);
    } catch (error) {
      const { message, details = '' } = toWire(error);
      if (this.loaded.length === 0 || !memoryWords.test(`${message} ${details}`)) throw error;
      // GPU memory ends without a word before: by itself it may fit.
      await this.restart();
      return await this.loadNew(number, wantsMemory);
    }
  }

  private async loadNew(number: number, wantsMemory: boolean): Promise<ServedVariant['taken']> {
    const { signal } = this.options;
    const numbers = wantsMemory && !this.hasContext ? [contextNumber, number] : [number];
    for (const one of numbers) await this.write(one, this.nameOf(one));
    const { server, client } = await this.running();
    return whileServing(server, signal, `while it loaded candidate ${number}`, async () => {
      const taken: ServedVariant['taken'][number][] = [];
      for (const one of numbers) {
        if (!wantsMemory) await this.makeRoom(client);
        const memory = await this.load(client, server, one, wantsMemory);
        if (memory !== null) taken.push({ candidate: one, ...memory });
        this.loaded = [...this.loaded, one];
        if (one === contextNumber) this.hasContext = true;
      }
      return taken;
    });
  }

  private write(number: number, modelName: string): Promise<void> {
    const variant = this.variantOf(number);
    return writeVariant(variant, this.repository, variant.configOf(modelName));
  }

  /** @returns what it takes; null: not asked for */
  private async load(
    client: TritonClient,
    server: ServerHandle,
    number: number,
    wantsMemory: boolean,
  ): Promise<TakenMemory | null> {
    const { freeBytes, readMemory, signal } = this.options;
    const variant = this.variantOf(number);
    const free = freeBytes();
    const before = wantsMemory ? await readMemory(server) : null;
    const config = variant.configOf(this.nameOf(number));
    await loadVariant({ client, variant, config, signal });
    await warmVariant({ client, variant, config, signal }, sizesUpTo(config.maxBatchSize));
    const left = freeBytes();
    if (free !== null && left !== null) this.largestLoad = Math.max(this.largestLoad, free - left);
    return before === null ? null : differenceOf(before, await readMemory(server));
  }

  /** A load like the largest so far leaves room for another. */
  private hasRoom(): boolean {
    return (this.options.freeBytes() ?? Infinity) >= spareLoads * this.largestLoad;
  }

  /** Unloads what was asked for longest ago until there is room. */
  private async makeRoom(client: TritonClient): Promise<void> {
    while (this.loaded.length > 0 && !this.hasRoom()) {
      const [oldest, ...rest] = this.loaded as readonly [number, ...number[]];
      await client.unloadModel(this.nameOf(oldest), { signal: this.options.signal });
      this.loaded = rest;
      this.isStirred = true;
    }
  }

  /** Ends the server; the next candidate that is asked for gets a new one. */
  async restart(): Promise<void> {
    const { server } = this;
    this.server = null;
    this.client = null;
    this.forget();
    await server?.stop();
  }

  /** Ends the server and removes the variants. */
  async close(): Promise<void> {
    await this.restart();
    await rm(this.repository, { recursive: true, force: true });
  }
}
