import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toWire, WorkbenchError } from '../../contract/errors';
import type { TakenMemory } from '../../contract/measured/model-memory';
import type { Executor, ServerHandle } from '../../engine/engine';
import { differenceOf } from '../../engine/server-memory';
import { whileServing } from '../../engine/serving';
import { bytesBelow } from '../../platform/files';
import { createTritonClient, type TritonClient } from '../../triton/client';
import { readTls } from '../../triton/tls';
import { markedName, type RunningTriton, unloaded, unloadMarked } from './running-triton';
import { loadedNames, loadVariant, servedAsIs, type Variant, warmVariant, writeVariant } from './variant';

export interface VariantsOptions {
  readonly variants: readonly Variant[];
  readonly startServer: Executor['startServer'];
  /** Names the server, and what is left of it after a kill. */
  readonly name: string;
  /** Folder of the search, absolute. */
  readonly dir: string;
  /** Memory of the server, bytes; null: not known. */
  readonly readMemory: (server: ServerHandle) => Promise<TakenMemory>;
  /** What the machine of the server has left. @param isAfterLoad it was just loaded into */
  readonly readRoom: (server: ServerHandle, isAfterLoad: boolean) => Promise<TakenMemory>;
  /** The server reads no folder of this machine: the files go with the load call. */
  readonly isSent?: boolean;
  /** Its models stay, and it is never ended. Absent: `startServer` starts one. */
  readonly running?: RunningTriton | undefined;
  /** Once for each server that serves them. */
  readonly onServer?: (server: ServerHandle) => Promise<void>;
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

const isOutOfMemory = (error: unknown): boolean => {
  const { message, details = '' } = toWire(error);
  return memoryWords.test(`${message} ${details}`);
};

const most = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);

/**
 * The candidates of a search on one Triton, each a model of its own name with the same files: going from one to the next
 * costs neither a restart nor a reload. What does not fit into memory makes room for what is asked for.
 */
export class Variants {
  private server: ServerHandle | null = null;
  private client: TritonClient | null = null;
  /** Loaded, the one that was asked for longest ago first. */
  private loaded: readonly number[] = [];
  private largestLoad: TakenMemory = { hostBytes: null, gpuBytes: null };
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
    const { running } = this.options;
    if (running !== undefined) return markedName(running.mark, number);
    if (number === contextNumber) return `${name}--first`;
    return number === asIsNumber ? name : `${name}--${number}`;
  }

  /** With a model that only this candidate has. */
  private namesOf(number: number): readonly string[] {
    return loadedNames(this.variantOf(number), this.nameOf(number));
  }

  private get repository(): string {
    return join(this.options.dir, 'repository');
  }

  /** The server that runs, without what a killed process left there, or a new one. Throws as {@link Executor.startServer}. */
  async open(): Promise<{ readonly server: ServerHandle; readonly client: TritonClient }> {
    if (this.server !== null && this.client !== null) return { server: this.server, client: this.client };
    const { startServer, name, dir, signal, running, variants } = this.options;
    this.forget();
    const server = await startServer({
      ...{ runId: name, key: name, repository: this.repository, logPath: join(dir, 'triton.log'), signal },
      ...{ onLog: () => undefined, onCommand: () => undefined, asIs: servedAsIs(variants) },
    });
    this.server = server;
    await this.options.onServer?.(server);
    this.client = createTritonClient(server.httpAddress, { tls: await readTls(server.forClients.httpTls) });
    if (running !== undefined) await this.leave(running, this.client, signal);
    return { server, client: this.client };
  }

  private leave({ mark }: RunningTriton, client: TritonClient, signal?: AbortSignal): Promise<void> {
    return unloadMarked(client, mark, this.options.variants.length, signal);
  }

  private forget(): void {
    this.loaded = [];
    this.hasContext = false;
    this.isStirred = false;
  }

  /** It was asked for, and nothing took its memory since. */
  isServed(number: number): boolean {
    return this.loaded.includes(number);
  }

  /**
   * Loads a candidate where it is not, proves that it answers, and has it answer once at each batch size.
   * @param wantsMemory also measure what it takes beside the others
   */
  async serve(number: number, wantsMemory = false): Promise<ServedVariant> {
    const taken = this.loaded.includes(number) ? [] : await this.added(number, wantsMemory);
    const { server } = await this.open();
    this.loaded = [...this.loaded.filter((one) => one !== number), number];
    return { server, modelName: this.nameOf(number), taken };
  }

  private async added(number: number, wantsMemory: boolean): Promise<ServedVariant['taken']> {
    // A load into memory that others gave back would read as less than it takes.
    if (wantsMemory && (this.isStirred || !(await this.hasRoom()))) await this.restart();
    try {
      return await this.loadNew(number, wantsMemory);
    } catch (error) {
      // GPU memory ends without a word before: by itself it may fit.
      if (this.loaded.length === 0 || !isOutOfMemory(error)) throw error;
      if (wantsMemory) await this.restart();
      else await this.empty();
    }
    try {
      return await this.loadNew(number, wantsMemory);
    } catch (error) {
      if (!this.isStirred || !isOutOfMemory(error)) throw error;
      // What a backend gives back it may keep for itself.
      await this.restart();
      return await this.loadNew(number, wantsMemory);
    }
  }

  private async loadNew(number: number, wantsMemory: boolean): Promise<ServedVariant['taken']> {
    const { signal, isSent = false } = this.options;
    const numbers = wantsMemory && !this.hasContext ? [contextNumber, number] : [number];
    if (!isSent) for (const one of numbers) await this.write(one, this.nameOf(one));
    const { server, client } = await this.open();
    return whileServing(server, signal, `while it loaded candidate ${number}`, async () => {
      const taken: ServedVariant['taken'][number][] = [];
      for (const one of numbers) {
        if (!wantsMemory) await this.makeRoom(client, one);
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
    const { readRoom, readMemory, signal, isSent = false } = this.options;
    const variant = this.variantOf(number);
    const room = await readRoom(server, false);
    const before = wantsMemory ? await readMemory(server) : null;
    const config = variant.configOf(this.nameOf(number));
    await loadVariant({ client, variant, config, signal }, isSent ? server : null);
    await warmVariant({ client, variant, config, signal }, sizesUpTo(config.maxBatchSize));
    const took = differenceOf(await readRoom(server, true), room);
    this.largestLoad = {
      hostBytes: most(this.largestLoad.hostBytes, took.hostBytes),
      gpuBytes: most(this.largestLoad.gpuBytes, took.gpuBytes),
    };
    return before === null ? null : differenceOf(before, await readMemory(server));
  }

  /** A load like the largest so far leaves room for another. @param least of it, bytes */
  private async hasRoom(least = 0): Promise<boolean> {
    const { hostBytes, gpuBytes } = await this.options.readRoom((await this.open()).server, false);
    const { largestLoad } = this;
    const fits = (room: number | null, taken: number | null) =>
      (room ?? Infinity) >= spareLoads * Math.max(least, taken ?? 0);
    return fits(hostBytes, largestLoad.hostBytes) && fits(gpuBytes, largestLoad.gpuBytes);
  }

  /** Unloads what was asked for longest ago until there is room. Throws model-load-failed where others have taken it. */
  private async makeRoom(client: TritonClient, number: number): Promise<void> {
    const { signal, running, variants } = this.options;
    // Before anything was loaded nothing else is known.
    const least = running === undefined ? 0 : await bytesBelow(this.variantOf(number).files);
    while (!(await this.hasRoom(least))) {
      const [oldest, ...rest] = this.loaded;
      if (oldest === undefined) {
        if (running === undefined) return;
        throw new WorkbenchError(
          'model-load-failed',
          `Triton at ${client.address} has too little memory left for a configuration of ${variants[0]?.name ?? 'the model'}`,
          {
            remedy:
              'Free memory there: it is loaded only if the same amount stays free for the other models.',
          },
        );
      }
      await unloaded(client, this.namesOf(oldest), signal);
      this.loaded = rest;
      this.isStirred = true;
    }
  }

  /** Unloads all candidates. */
  private async empty(): Promise<void> {
    const { client, loaded } = this;
    if (client === null) return;
    const names = loaded.flatMap((one) => this.namesOf(one));
    await unloaded(client, names, this.options.signal);
    this.loaded = [];
    this.isStirred = true;
  }

  /** Ends the server, where it was started for the search; the next candidate that is asked for gets a new one. */
  async restart(): Promise<void> {
    if (this.options.running !== undefined) {
      await this.empty();
      return;
    }
    const { server } = this;
    this.server = null;
    this.client = null;
    this.forget();
    await server?.stop();
  }

  /** Ends the server, or unloads the variants there, and removes their files. */
  async close(): Promise<void> {
    const { running } = this.options;
    if (running === undefined) await this.restart();
    // Also where the search was stopped.
    else if (this.client !== null) await this.leave(running, this.client);
    await rm(this.repository, { recursive: true, force: true });
  }
}
