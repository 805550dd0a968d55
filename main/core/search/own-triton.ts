import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hostOf } from '../../contract/run/engine-kinds';
import type { ServedPlace } from '../../contract/study/search';
import { present } from '../../contract/trees';
import type { Executor, ServerHandle } from '../../engine/engine';
import { lookThere } from '../../studies/search/look-there';
import type { LookThere } from '../../studies/search/measure-look';
import { searchStep } from '../../studies/search/search-place';
import {
  loadOnly,
  loadVariant,
  servedAsIs,
  type Variant,
  warmVariant,
  writeVariant,
} from '../../studies/search/variant';
import { createTritonClient, type TritonClient } from '../../triton/client';
import type { ModelConfig } from '../../triton/model-config';
import { readTls } from '../../triton/tls';
import type { openedModel } from './contests';

type Model = Pick<Awaited<ReturnType<typeof openedModel>>, 'state' | 'variantOf' | 'verified'>;

/** The verified model of a run on a Triton that was started for it. */
export interface OwnTriton {
  readonly server: ServerHandle;
  readonly client: TritonClient;
  readonly variant: Variant;
  readonly config: ModelConfig;
  readonly place: ServedPlace;
  /** Sends load from the machine of Triton; absent: from here. */
  readonly there: LookThere | undefined;
  /** Loads the model, and has it answer once. Throws as {@link loadVariant}. */
  readonly load: (signal: AbortSignal) => Promise<void>;
  /** Throws as {@link loadOnly}. */
  readonly loadOnly: (signal: AbortSignal) => Promise<void>;
  readonly warm: (batchSizes: readonly number[], signal: AbortSignal) => Promise<void>;
  /** Ends Triton, and removes its repository. */
  readonly close: () => Promise<void>;
}

/** Starts Triton without the model. Throws as {@link Executor.startServer}. @param model of a run with the engine of the executor */
export async function startOwnTriton(
  executor: Executor,
  { state, variantOf, verified }: Model,
  { name, dir, signal }: { readonly name: string; readonly dir: string; readonly signal: AbortSignal },
): Promise<OwnTriton> {
  const { engine } = state.source.spec;
  const variant = variantOf(verified);
  const config = variant.configOf(variant.name);
  const repository = join(dir, 'repository');
  const host = hostOf(engine);
  // A host reads no folder of this machine.
  const isSent = host !== undefined;
  if (!isSent) await writeVariant(variant, repository, config);
  const server = await executor.startServer({
    ...{ runId: name, key: name, repository, logPath: join(dir, 'triton.log'), signal },
    ...{ onLog: () => undefined, onCommand: () => undefined, asIs: servedAsIs([variant]) },
  });
  const close = async (): Promise<void> => {
    await server.stop();
    await rm(repository, { recursive: true, force: true });
  };
  try {
    const tls = await readTls(server.forClients.httpTls);
    const client = createTritonClient(server.httpAddress, { tls });
    const sentTo = isSent ? server : null;
    const of = (until: AbortSignal) => ({ client, variant, config, signal: until });
    const { tritonVersion, httpAddress, seenAt = httpAddress } = server;
    return {
      ...{ server, client, variant, config, close },
      place: { engine: engine.kind, ...present({ host }), address: seenAt, tritonVersion },
      there: isSent ? lookThere(executor, dir, searchStep) : undefined,
      load: (until) => loadVariant(of(until), sentTo),
      loadOnly: (until) => loadOnly(of(until), sentTo),
      warm: (batchSizes, until) => warmVariant(of(until), batchSizes),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
