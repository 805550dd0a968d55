import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Candidate } from '../../contract/study/search';
import type { DeployableRun } from '../../deployments/deployable-run';
import type { Executor, ServerHandle } from '../../engine/engine';
import { loadAndCheckModel, whileServing, zeroCanary } from '../../engine/serving';
import { writeModelRepository } from '../../pipeline/steps/configure.step';
import { createTritonClient, type TritonClient } from '../../triton/client';
import type { ModelConfig } from '../../triton/model-config';
import { type Tensor, zeroTensor } from '../../triton/tensor';

/** The verified model of a run, with the configuration of each candidate. */
export interface SearchModel extends Pick<DeployableRun, 'files' | 'version' | 'check'> {
  readonly name: string;
  /** Throws config-invalid, combination-unsupported. */
  readonly configOf: (candidate: Candidate, modelName: string) => ModelConfig;
}

export interface VariantsOptions {
  readonly model: SearchModel;
  readonly candidates: readonly Candidate[];
  readonly startServer: Executor['startServer'];
  /** Names the server, and what is left of it after a kill. */
  readonly name: string;
  /** Folder of the search, absolute. */
  readonly dir: string;
  /** Bytes that the machine of the server has left; null: not known. */
  readonly freeBytes: () => number | null;
  readonly signal: AbortSignal;
}

/** A candidate as it is served. */
export interface ServedVariant {
  readonly server: ServerHandle;
  readonly modelName: string;
}

const asIsNumber = 1;
/** Requests of each batch size before the first look: the first is often slower by far. */
const warmRequests = 2;
/** A load must leave room for one like it. */
const spareLoads = 2;

const sizesUpTo = (most: number): number[] => {
  const sizes: number[] = [];
  for (let size = 1; size < most; size *= 2) sizes.push(size);
  return [...sizes, Math.max(1, most)];
};

const batchOf = (canary: readonly Tensor[], batchSize: number): readonly Tensor[] =>
  canary.map(({ name, datatype, shape }) => zeroTensor(name, datatype, [batchSize, ...shape.slice(1)]));

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

  constructor(private readonly options: VariantsOptions) {}

  /** Name on the server: Triton reads a model's name from its folder. */
  private nameOf(number: number): string {
    const { name } = this.options.model;
    return number === asIsNumber ? name : `${name}--${number}`;
  }

  private get repository(): string {
    return join(this.options.dir, 'repository');
  }

  /** The server that runs, or a new one. Throws as {@link Executor.startServer}. */
  private async running(): Promise<{ readonly server: ServerHandle; readonly client: TritonClient }> {
    if (this.server !== null && this.client !== null) return { server: this.server, client: this.client };
    const { startServer, name, dir, signal } = this.options;
    this.loaded = [];
    const server = await startServer({
      ...{ runId: name, key: name, repository: this.repository, logPath: join(dir, 'triton.log'), signal },
      ...{ onLog: () => undefined, onCommand: () => undefined },
    });
    this.server = server;
    this.client = createTritonClient(server.httpAddress);
    return { server, client: this.client };
  }

  /** Loads a candidate where it is not, proves that it answers, and has it answer once at each batch size. */
  async serve(number: number): Promise<ServedVariant> {
    const modelName = this.nameOf(number);
    if (!this.loaded.includes(number)) await this.write(number, modelName);
    const { server, client } = await this.running();
    if (!this.loaded.includes(number)) {
      const { signal } = this.options;
      await whileServing(server, signal, `while it loaded candidate ${number}`, () =>
        this.load(client, number, modelName),
      );
    }
    this.loaded = [...this.loaded.filter((one) => one !== number), number];
    return { server, modelName };
  }

  private configOf(number: number, modelName: string): ModelConfig {
    const candidate = this.options.candidates[number - 1];
    if (candidate === undefined) throw new Error(`No candidate ${number}`);
    return this.options.model.configOf(candidate, modelName);
  }

  private async write(number: number, modelName: string): Promise<void> {
    const { files, version } = this.options.model;
    const names = await readdir(files);
    await writeModelRepository({
      ...{ repository: this.repository, config: this.configOf(number, modelName), version },
      files: names.map((name) => ({ from: join(files, name), name, by: 'link' as const })),
    });
  }

  private async load(client: TritonClient, number: number, modelName: string): Promise<void> {
    const { model, freeBytes, signal } = this.options;
    await this.makeRoom(client);
    const before = freeBytes();
    const config = this.configOf(number, modelName);
    const canary = model.check.canary?.map(({ name, datatype, shape }) => zeroTensor(name, datatype, shape));
    const modelVersion = String(model.version);
    await loadAndCheckModel({
      ...{ client, modelName, modelVersion, config, canary, signal },
      ...{ anyValues: model.check.anyValues, load: true },
    });
    const inputs = canary ?? zeroCanary(config);
    for (const size of sizesUpTo(config.maxBatchSize)) {
      for (let request = 0; request < warmRequests; request += 1) {
        // A model may refuse zeros: it is warm all the same, or its first look tells.
        const rows = config.maxBatchSize > 0 ? batchOf(inputs, size) : inputs;
        await client.infer({ modelName, modelVersion, inputs: rows }, { signal }).catch(() => undefined);
      }
    }
    const after = freeBytes();
    if (before !== null && after !== null) this.largestLoad = Math.max(this.largestLoad, before - after);
  }

  /** Unloads what was asked for longest ago until a load like the largest so far leaves room for another. */
  private async makeRoom(client: TritonClient): Promise<void> {
    const { freeBytes, signal } = this.options;
    while (this.loaded.length > 0) {
      const [oldest, ...rest] = this.loaded as readonly [number, ...number[]];
      if ((freeBytes() ?? Infinity) >= spareLoads * this.largestLoad) return;
      await client.unloadModel(this.nameOf(oldest), { signal });
      this.loaded = rest;
    }
  }

  /** Ends the server; the next candidate that is asked for gets a new one. */
  async restart(): Promise<void> {
    const { server } = this;
    this.server = null;
    this.client = null;
    this.loaded = [];
    await server?.stop();
  }

  /** Ends the server and removes the variants. */
  async close(): Promise<void> {
    await this.restart();
    await rm(this.repository, { recursive: true, force: true });
  }
}
