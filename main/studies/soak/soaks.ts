import { join } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import type { MeasurementWindow } from '../../contract/measured/results';
import type { ServedPlace } from '../../contract/study/search';
import type { SoakStrategy } from '../../contract/study/soak';
import type { StudyBody, StudySpec } from '../../contract/study/study';
import { largestOf } from '../../domain/statistics';
import { soakedMsOf } from '../../domain/study/soak/soak-answer';
import { soakedOf, soakOf } from '../../domain/study/soak/soak-study';
import { watchRequests } from '../../pipeline/attempt';
import { linkedAbort } from '../../platform/abort';
import { beginOwn, type OwnWork } from '../begin-own';
import { nextSoakPart, type SoakPart } from '../strategies/soak';
import { createStudyStops, isStopped, type StudyHands, type StudyStops } from '../study-hands';
import { SliceKeeper } from './slice-keeper';
import { RisingCount, SampleKeeper, type WatchedServer, watchSoak } from './watch-soak';

/** A server that is soaked. */
export interface SoakedServer extends WatchedServer {
  readonly place: ServedPlace;
  /** Sends the load, window after window. Throws as a load tool. */
  readonly send: (
    part: Pick<SoakPart, 'windows' | 'windowMs'>,
    onWindow: (window: MeasurementWindow) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Unloads the model, and loads it once it is gone. Throws what loading throws. */
  readonly reload: (signal: AbortSignal) => Promise<void>;
}

export interface SoakHands extends Pick<StudyHands, 'studies' | 'active' | 'onEntry'> {
  /**
   * Starts or reaches the server, waits until nobody else measures on its machine, and gives all back however the work ends.
   * Throws run-unknown, input-invalid, and what starting throws. @param dir of the work, absolute
   */
  readonly withServer: (
    soak: SoakStrategy,
    place: { readonly name: string; readonly dir: string; readonly signal: AbortSignal },
    work: (server: SoakedServer, signal: AbortSignal) => Promise<void>,
  ) => Promise<void>;
}

/** Every reading, beside the journal. */
export const samplesFile = 'samples.jsonl';

/** Each is in the journal before the next, in the order in which they were given. */
function inOrder(record: OwnWork['record']) {
  let tail: Promise<void> = Promise.resolve();
  return {
    record: (body: StudyBody): Promise<void> => {
      tail = tail.then(() => record(body));
      return tail;
    },
    settled: () => tail,
  };
}

interface Soaking {
  readonly soak: SoakStrategy;
  readonly server: SoakedServer;
  readonly before: OwnWork['before'];
  readonly record: OwnWork['record'];
  readonly file: string;
  readonly signal: AbortSignal;
}

/** To the end of its time or the signal. @returns why it ended early, as sending and loading throw it; null: it did not */
async function soakServer({ soak, server, before, record: append, file, signal }: Soaking): Promise<unknown> {
  const { record, settled } = inOrder(append);
  const soaked = soakedOf(before ?? {});
  const begunMs = soakedMsOf(soaked);
  const life = 1 + Math.max(0, largestOf([...soaked.blocks, ...soaked.slices].map((one) => one.life)));
  const last = soaked.blocks.at(-1);
  let reloads = last?.reloads ?? 0;
  const began = performance.now();
  const elapsedMs = (): number => begunMs + performance.now() - began;
  const requests = new RisingCount(last?.requests ?? null);
  requests.begin(await server.requests().catch(() => null));
  const { controller, dispose } = linkedAbort(signal);
  const failed: { cause: unknown } = { cause: null };
  const isOver = (): boolean => controller.signal.aborted;
  const fail = (cause: unknown): void => {
    failed.cause ??= cause;
    controller.abort();
  };
  const slices = new SliceKeeper({
    ...{ sliceMs: soak.sliceMs, life },
    onSlice: (slice) => void record({ type: 'soak-slice', slice }).catch(fail),
  });
  const keeper = new SampleKeeper({
    ...{ blockMs: soak.blockMs, file },
    onBlock: (block) => record({ type: 'soak-block', block }),
  });
  const watched = watchSoak({
    ...{ server, soak, keeper, life, elapsedMs, reloads: () => reloads, requests, signal: controller.signal },
  }).catch(fail);
  try {
    let part = nextSoakPart(soak, elapsedMs());
    for (; part !== null && !isOver(); part = nextSoakPart(soak, elapsedMs())) {
      await server.send(part, (window) => slices.add(window, elapsedMs()), controller.signal);
      if (!part.reloadsAfter || isOver()) continue;
      await server.reload(controller.signal);
      reloads += 1;
    }
  } catch (cause) {
    // What could not be read or written cut the load off.
    fail(cause);
  } finally {
    controller.abort();
    dispose();
    await watched;
    slices.flush(elapsedMs());
    await settled().catch(fail);
  }
  return failed.cause;
}

export interface SoakHow {
  readonly resume: boolean;
  readonly stops?: StudyStops;
}

/** Soaks of this process; they are studies of the home as any other. */
export class Soaks {
  constructor(private readonly hands: SoakHands) {}

  /** Works on a soak, to its end or a stop. Throws as {@link beginOwn}, and input-invalid for another study. */
  begin(
    spec: StudySpec,
    { resume, stops = createStudyStops() }: SoakHow,
  ): Promise<{ readonly end: Promise<void> }> {
    return beginOwn(this.hands, spec, { resume, stops }, (own) => this.work(spec, stops, own));
  }

  private async work(spec: StudySpec, stops: StudyStops, { before, record }: OwnWork): Promise<void> {
    const { studies, withServer } = this.hands;
    const { name } = spec;
    const soak = soakOf({ spec });
    if (soak === null) throw new WorkbenchError('input-invalid', `The study "${name}" is not a soak`);
    const folder = studies.folderOf(name);
    const stopWatching = watchRequests(folder, stops);
    const { pause, cancel, leave, close } = stops;
    const { controller, dispose } = linkedAbort(pause.signal, cancel.signal, leave.signal, close.signal);
    try {
      const place = { name, dir: join(folder.dir, 'work'), signal: controller.signal };
      await withServer(soak, place, async (server, signal) => {
        await record({ type: 'candidates-served', ...server.place });
        const file = join(folder.dir, samplesFile);
        const cause = await soakServer({ soak, server, before, record, file, signal });
        if (cause !== null) throw cause as Error;
      });
    } catch (cause) {
      // A stop cuts a window off.
      if (!isStopped(stops)) throw cause;
    } finally {
      dispose();
      stopWatching();
    }
    const stopped = cancel.signal.aborted ? 'cancelled' : 'paused';
    await record({ type: 'study-ended', outcome: isStopped(stops) ? stopped : 'done' });
  }
}
