import { join } from 'node:path';
import type { GpuReading } from '../../contract/machine';
import type { TakenMemory } from '../../contract/measured/model-memory';
import { hostOf, visibleGpus } from '../../contract/run/engine-kinds';
import type { DeployedRun } from '../../contract/run/run-state';
import type { Searched } from '../../contract/study/search';
import type { StudySpec } from '../../contract/study/study';
import { present } from '../../contract/trees';
import type { ServerHandle } from '../../engine/engine';
import { readRoomAfterLoad, readServerMemory, readServerRoom } from '../../engine/server-memory';
import type { ReadingSources } from '../../perf/readings';
import { watchRequests } from '../../pipeline/attempt';
import { linkedAbort } from '../../platform/abort';
import { beginOwn } from '../begin-own';
import { createStudyStops, type StudyHands, type StudyStops } from '../study-hands';
import { driveSearch, type Looking } from './drive-search';
import { lookThere } from './look-there';
import { type LookInput, measureLook } from './measure-look';
import { type Prepared, type PrepareHands, prepareModels, type Preparing } from './prepare-models';
import type { RunningTriton } from './running-triton';
import { onExecutor, type PlaceHands, searchStep } from './search-place';
import { Variants } from './search-variants';
import type { Variant } from './variant';

/** Models side by side, how each is measured, and what says what to measure next. */
export interface Contest {
  /** The run whose engine serves them. */
  readonly run: DeployedRun;
  /** A Triton that runs already, with the address of `run`; absent: the engine starts one. */
  readonly running?: RunningTriton | undefined;
  readonly variants: readonly Variant[];
  readonly looking: Looking;
  /** @param candidate from 1 */
  readonly lookOf: (candidate: number) => LookInput;
}

export interface SearchHands
  extends PlaceHands, Pick<StudyHands, 'studies' | 'active' | 'onEntry'>, PrepareHands {
  /**
   * What a study measures. Throws run-unknown, input-invalid, verification-failed, combination-unsupported.
   * @param runIds of its models, where it made some
   */
  readonly contestOf: (spec: StudySpec, runIds: Prepared['runIds']) => Promise<Contest>;
  readonly freeBytes: () => number | null;
  /** The GPUs of a host; undefined: of this machine. */
  readonly gpusOf: (host: string | undefined) => {
    /** One reading of each. */
    readonly read: () => Promise<readonly GpuReading[]>;
    /** Readings of them until the signal. */
    readonly watch: NonNullable<ReadingSources['watchGpus']>;
  };
}

export interface SearchHow {
  readonly resume: boolean;
  readonly stops?: StudyStops;
}

type Work = Pick<Preparing, 'earlier' | 'stops' | 'record'>;

/** Searches of this process; they are studies of the home as any other. */
export class Searches {
  constructor(private readonly hands: SearchHands) {}

  /**
   * Begins to work on a search, to its end or a stop. Throws study-busy, and input-invalid where another study has its
   * name. `end` rejects with what opening the model or starting its server throws, which its journal has, too.
   */
  async begin(
    spec: StudySpec,
    { resume, stops = createStudyStops() }: SearchHow,
  ): Promise<{ readonly end: Promise<Searched> }> {
    return beginOwn(this.hands, spec, { resume, stops }, ({ before, record }) => {
      const earlier = before?.searched ?? { looks: [], failed: {} };
      return this.search(spec, { earlier, stops, record });
    });
  }

  private async search(spec: StudySpec, work: Work): Promise<Searched> {
    const { hands } = this;
    const { earlier, stops, record } = work;
    const stopWatching = watchRequests(hands.studies.folderOf(spec.name), stops);
    try {
      const prepared = await prepareModels({ hands, spec, ...work });
      if (prepared !== null) return await this.compare(spec, prepared, work);
      await record({ type: 'study-ended', outcome: stops.cancel.signal.aborted ? 'cancelled' : 'paused' });
      return earlier;
    } finally {
      stopWatching();
    }
  }

  private async compare(
    spec: StudySpec,
    { runIds, searched }: Prepared,
    { stops, record }: Work,
  ): Promise<Searched> {
    const { hands } = this;
    const { name } = spec;
    const { run, running, variants: served, looking, lookOf } = await hands.contestOf(spec, runIds);
    const { controller, dispose } = linkedAbort(stops.cancel.signal, stops.close.signal);
    const { signal } = controller;
    let { place } = searched;
    try {
      const dir = join(hands.studies.folderOf(name).dir, 'work');
      const { engine } = run.source.spec;
      const host = hostOf(engine);
      const gpus = hands.gpusOf(host);
      const watchGpus = (visibleGpus(engine) ?? []).length > 0 ? gpus.watch : null;
      const isSent = running !== undefined || host !== undefined;
      return await onExecutor(hands, { run, name, dir, signal }, async (executor) => {
        const variants = new Variants({
          ...{ variants: served, name, dir, signal, running, isSent },
          startServer: async (start) => ({ ...(await executor.startServer(start)), ...running }),
          readRoom: (server, isAfterLoad) => this.roomOf(isSent ? server : null, isAfterLoad, signal),
          readMemory: (server) => readServerMemory(server, gpus.read),
          onServer: async ({ httpAddress, seenAt = httpAddress, tritonVersion }) => {
            place = { engine: engine.kind, ...present({ host }), address: seenAt, tritonVersion };
            await record({ type: 'candidates-served', ...place });
          },
        });
        const there = host === undefined ? undefined : lookThere(executor, dir, searchStep);
        try {
          if (running !== undefined) await variants.open();
          const found = await driveSearch({
            ...{ ...looking, searched, variants, stops, record, isElsewhere: running !== undefined },
            measure: (due, variant, beside) =>
              measureLook(lookOf, due, [variant, ...beside], { dir, signal, watchGpus, there }),
          });
          return { ...found, ...present({ place }) };
        } finally {
          await variants.close();
        }
      });
    } finally {
      dispose();
    }
  }

  /** @param there whose metrics say it; null: this machine */
  private roomOf(
    there: ServerHandle | null,
    isAfterLoad: boolean,
    signal: AbortSignal,
  ): Promise<TakenMemory> {
    if (there === null) return Promise.resolve({ hostBytes: this.hands.freeBytes(), gpuBytes: null });
    return isAfterLoad ? readRoomAfterLoad(there, signal) : readServerRoom(there);
  }
}
