import { rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Handlers } from '../contract/api';
import type { ModelMemory } from '../contract/measured/model-memory';
import { readServerMemory, readServerTotals } from '../engine/server-memory';
import { readGpus } from '../machine/watch-gpus';
import { linkedAbort } from '../platform/abort';
import { measureModelMemory } from '../studies/search/model-memory';
import { onExecutor } from '../studies/search/search-place';
import type { TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';
import { openedModel, placeHandsOf } from './search/contests';
import { searchCapacity } from './search/search-capacity';

/** What plans a capacity beside the levels of a run: candidates of a search, and the memory of a model. */
export function createCapacityCalls(parts: CoreParts) {
  const measuring = new Set<AbortController>();
  const measured = async (runId: string, signal: AbortSignal): Promise<ModelMemory> => {
    const model = await openedModel(parts, runId);
    const configBy = await model.configBy();
    const name = `memory-${runId}`;
    const dir = join(model.folder.dir, 'memory');
    const gpus = () => readGpus(parts.options.env);
    try {
      return await onExecutor(placeHandsOf(parts), { run: model.state, name, dir, signal }, (executor) =>
        measureModelMemory({
          ...{ name, dir, signal, instances: model.spec.configure.instances },
          variantOf: (instances) => model.variantOf(configBy({ instances })),
          startServer: (start) => executor.startServer(start),
          readMemory: (server) => readServerMemory(server, gpus),
          readTotals: (server) => readServerTotals(server, gpus, totalmem()),
        }),
      );
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  };
  const measure: TrustedCalls['memory.measure'] = async ({ runId, signal }) => {
    const { controller, dispose } = linkedAbort(...(signal === undefined ? [] : [signal]));
    measuring.add(controller);
    try {
      const memory = await measured(runId, controller.signal);
      const entry = await parts.store.append(runId, { type: 'model-memory', memory });
      parts.emit({ type: 'journal', runId, entry });
      return memory;
    } finally {
      measuring.delete(controller);
      dispose();
    }
  };
  return {
    /** Ends what is measured. */
    close: () => {
      for (const controller of measuring) controller.abort();
      return Promise.resolve();
    },
    handlers: {
      'searches.capacity': (of) => searchCapacity(parts, of),
      'memory.measure': measure,
      'runs.measureMemory': async ({ runId }) => {
        await measure({ runId });
        return null;
      },
    } satisfies Pick<Handlers, 'searches.capacity' | 'runs.measureMemory'> &
      Pick<TrustedCalls, 'memory.measure'>,
  };
}
