import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Handlers } from '../contract/api';
import { WorkbenchError } from '../contract/errors';
import { usualTrialRounds, type WarmUpAsk, type WarmUpTrial } from '../contract/measured/cold-start';
import { repositoryOf } from '../contract/run/run-spec';
import { servedMaxBatchSize } from '../formats/model-config-of';
import { warmUpSizes } from '../formats/warm-up';
import { coldSizes } from '../pipeline/measure/cold-start';
import { linkedAbort } from '../platform/abort';
import { onExecutor } from '../studies/search/search-place';
import { tryWarmUp } from '../studies/search/warm-up-trial';
import type { TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';
import { openedModel, placeHandsOf } from './search/contests';

/** Throws combination-unsupported for a run whose configuration the workbench does not write. */
function requireOwnConfig(runId: string, model: Parameters<typeof repositoryOf>[0]): void {
  if (repositoryOf(model) === null) return;
  throw new WorkbenchError('combination-unsupported', 'The run serves a repository as it is', {
    where: runId,
    remedy:
      'Write model_warmup into its config.pbtxt and run it again, or run the model with --rewrite and try that run.',
  });
}

/** They are made and kept by the run. */
const noSamples = (runId: string): WorkbenchError =>
  new WorkbenchError('input-invalid', 'The run has no samples of a warm-up', {
    where: runId,
    remedy: `Repeat it with them: resume ${runId} --set configure.warmup=samples.`,
  });

/** First requests without and with a warm-up, tried beside a run. */
export function createWarmUpCalls(parts: CoreParts) {
  const trying = new Set<AbortController>();
  const tried = async (
    runId: string,
    { kind, batchSizes, rounds = usualTrialRounds }: WarmUpAsk,
    how: {
      readonly signal: AbortSignal;
      readonly onRound?: ((round: number, rounds: number) => void) | undefined;
    },
  ): Promise<WarmUpTrial> => {
    const model = await openedModel(parts, runId);
    const { spec } = model;
    requireOwnConfig(runId, spec.model);
    const configBy = await model.configBy();
    const { warmup: own = 'none', warmupBatchSizes: ownSizes } = spec.configure;
    const warmup = kind ?? (own === 'none' ? 'zero' : own);
    if (warmup === 'samples' && own !== 'samples') throw noSamples(runId);
    const configured = { warmup, warmupBatchSizes: batchSizes ?? ownSizes };
    const most = servedMaxBatchSize(spec.configure);
    const warmUp = [...warmUpSizes({ ...spec.configure, ...configured }, most)];
    const name = `warm-up-${runId}`;
    const dir = join(model.folder.dir, 'warm-up');
    try {
      return await onExecutor(
        placeHandsOf(parts),
        { run: model.state, name, dir, signal: how.signal },
        (executor) =>
          tryWarmUp({
            ...{ name, dir, kind: warmup, warmUp, rounds, sizes: coldSizes(spec.performance), ...how },
            before: model.variantOf(configBy({ warmup: 'none' })),
            after: model.variantOf(configBy(configured)),
            startServer: (start) => executor.startServer(start),
          }),
      );
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  };
  const work: TrustedCalls['warmUps.try'] = async ({ runId, signal, onRound, ...ask }) => {
    const { controller, dispose } = linkedAbort(...(signal === undefined ? [] : [signal]));
    trying.add(controller);
    try {
      const trial = await tried(runId, ask, { signal: controller.signal, onRound });
      const entry = await parts.store.append(runId, { type: 'warm-up-trial', trial });
      parts.emit({ type: 'journal', runId, entry });
      return trial;
    } finally {
      trying.delete(controller);
      dispose();
    }
  };
  return {
    /** Ends what is tried. */
    close: () => {
      for (const controller of trying) controller.abort();
      return Promise.resolve();
    },
    handlers: {
      'warmUps.try': work,
      'runs.tryWarmUp': async (ask) => {
        await work(ask);
        return null;
      },
    } satisfies Pick<Handlers, 'runs.tryWarmUp'> & Pick<TrustedCalls, 'warmUps.try'>,
  };
}
