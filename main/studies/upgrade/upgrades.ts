import { join } from 'node:path';
import { toWire, type WireError, WorkbenchError } from '../../contract/errors';
import type { Look, Searched } from '../../contract/study/search';
import type { StudyBody, StudySpec } from '../../contract/study/study';
import {
  type Upgraded,
  type UpgradeLoad,
  type UpgradeNumber,
  type UpgradeServed,
  type UpgradeStrategy,
  withPresentAgain,
} from '../../contract/study/upgrade';
import type { DueLook } from '../../domain/study/search/next-looks';
import { upgradeAnswer } from '../../domain/study/upgrade/upgrade-answer';
import { nextLoad, nextUpgradeLooks } from '../../domain/study/upgrade/upgrade-rounds';
import { upgradedOf, upgradeOf } from '../../domain/study/upgrade/upgrade-study';
import { watchRequests } from '../../pipeline/attempt';
import { linkedAbort } from '../../platform/abort';
import { beginOwn, type OwnWork } from '../begin-own';
import { driveSearch } from '../search/drive-search';
import type { ServedVariant } from '../search/search-variants';
import { createStudyStops, isStopped, type StudyHands, type StudyStops } from '../study-hands';
import { type AskedSide, compareSides } from './compare-sides';

/** The model of the run in one serving environment. */
export interface ServedSide extends AskedSide {
  readonly about: Omit<UpgradeServed, 'side'>;
  readonly served: ServedVariant;
  /** Unloads it, loads it again, and asks each batch size for the first time. Throws what loading throws. */
  readonly load: () => Promise<Omit<UpgradeLoad, 'side'>>;
}

/** Both serving environments; only one of them receives load at a time. */
export interface UpgradeSides extends Pick<Parameters<typeof compareSides>[1], 'requestsOf' | 'rules'> {
  /** Starts Triton there and loads the model. Throws as starting and loading do. */
  readonly open: (side: UpgradeNumber) => Promise<ServedSide>;
  readonly measure: (due: DueLook, served: ServedVariant) => Promise<Look>;
}

export interface UpgradeHands extends Pick<StudyHands, 'studies' | 'active' | 'onEntry'> {
  /**
   * Waits until nobody else measures on the machine, and gives all back however the work ends. Throws run-unknown,
   * input-invalid, not-trusted. @param dir of the work, absolute
   */
  readonly withSides: (
    upgrade: UpgradeStrategy,
    place: { readonly name: string; readonly dir: string; readonly signal: AbortSignal },
    work: (sides: UpgradeSides) => Promise<void>,
  ) => Promise<void>;
}

export interface UpgradeHow {
  readonly resume: boolean;
  readonly stops?: StudyStops;
}

/** They tell of the serving environment, and not of the machine or of what was asked for. */
const ofEnvironment: ReadonlySet<WireError['code']> = new Set([
  ...([
    'server-start-failed',
    'server-gone',
    'out-of-memory',
    'model-load-failed',
    'model-not-ready',
  ] as const),
  ...(['inference-failed', 'combination-unsupported', 'config-invalid', 'server-unreachable'] as const),
]);

class SideFailed extends Error {
  constructor(
    readonly side: UpgradeNumber,
    override readonly cause: unknown,
  ) {
    super(toWire(cause).message, { cause });
  }
}

const bySide = async <Value>(side: UpgradeNumber, work: () => Promise<Value>): Promise<Value> => {
  try {
    return await work();
  } catch (cause) {
    throw new SideFailed(side, cause);
  }
};

const askedBy = (side: UpgradeNumber, { ask, checkReference }: AskedSide): AskedSide => ({
  ask: (inputs) => bySide(side, () => ask(inputs)),
  checkReference: () => bySide(side, checkReference),
});

interface Session {
  readonly upgrade: UpgradeStrategy;
  readonly stops: StudyStops;
  readonly record: OwnWork['record'];
  readonly known: { upgraded: Upgraded; searched: Searched };
}

const isBlocked = ({ upgrade, known }: Session): boolean =>
  upgradeAnswer(upgrade, known.upgraded, known.searched).verdict === 'do-not-move';

/** In the journal, and known from here on. */
async function note({ record, known }: Session, body: StudyBody): Promise<void> {
  await record(body);
  const { upgraded, searched } = known;
  if (body.type === 'upgrade-served') {
    const { served } = body;
    known.upgraded = { ...upgraded, served: { ...upgraded.served, [served.side]: served } };
  } else if (body.type === 'upgrade-outputs') known.upgraded = { ...upgraded, outputs: body.outputs };
  else if (body.type === 'upgrade-load')
    known.upgraded = { ...upgraded, loads: [...upgraded.loads, body.load] };
  else if (body.type === 'candidate-failed')
    known.searched = { ...searched, failed: { ...searched.failed, [body.candidate]: body.error } };
}

async function opened(session: Session, sides: UpgradeSides, side: UpgradeNumber): Promise<ServedSide> {
  const found = await bySide(side, () => sides.open(side));
  await note(session, { type: 'upgrade-served', served: { side, ...found.about } });
  return found;
}

/** Outputs first, then load times, then both under load in turns; a stop ends it between two of them. */
async function workOn(session: Session, sides: UpgradeSides): Promise<void> {
  const { upgrade, stops, known } = session;
  const isOver = (): boolean => isStopped(stops) || isBlocked(session);
  const first = await opened(session, sides, 1);
  const second = await opened(session, sides, 2);
  const both = { 1: first, 2: second } as const;
  if (known.upgraded.outputs === null && !isOver()) {
    const asked = [askedBy(1, first), askedBy(2, second)] as const;
    const outputs = await compareSides(asked, { ...sides, batchSizes: upgrade.batchSizes });
    await note(session, { type: 'upgrade-outputs', outputs });
  }
  for (let side = nextLoad(upgrade, known.upgraded); side !== null && !isOver();) {
    const number = side;
    const load = await bySide(number, () => both[number].load());
    await note(session, { type: 'upgrade-load', load: { side: number, ...load } });
    side = nextLoad(upgrade, known.upgraded);
  }
  if (isOver()) return;
  await driveSearch({
    next: (searched) => nextUpgradeLooks(upgrade, searched),
    isAdmitted: ({ failed }, candidate) => failed[candidate] === undefined,
    isFailed: ({ failed }) => failed[1] !== undefined,
    ...{ searched: known.searched, stops },
    variants: {
      serve: (candidate) => Promise.resolve((candidate === 1 ? first : second).served),
      // Neither is started again: that one ended is its answer.
      restart: () => Promise.resolve(),
    },
    measure: (due, served) => sides.measure(due, served),
    record: async (body) => {
      // The end is written once all was given back.
      if (body.type !== 'study-ended') await note(session, body);
    },
  });
}

/** Upgrades of this process; they are studies of the home as any other. */
export class Upgrades {
  constructor(private readonly hands: UpgradeHands) {}

  /** Works on an upgrade, to its end or a stop. Throws as {@link beginOwn}, and input-invalid for another study. */
  begin(
    spec: StudySpec,
    { resume, stops = createStudyStops() }: UpgradeHow,
  ): Promise<{ readonly end: Promise<void> }> {
    return beginOwn(this.hands, spec, { resume, stops }, (own) => this.work(spec, stops, own));
  }

  private async work(spec: StudySpec, stops: StudyStops, { before, record }: OwnWork): Promise<void> {
    const { studies, withSides } = this.hands;
    const { name } = spec;
    const upgrade = upgradeOf({ spec });
    if (upgrade === null) throw new WorkbenchError('input-invalid', `The study "${name}" is not an upgrade`);
    const folder = studies.folderOf(name);
    const searched = withPresentAgain(before?.searched ?? { looks: [], failed: {} });
    const session: Session = {
      ...{ upgrade, stops, record },
      known: { upgraded: upgradedOf(before ?? {}), searched },
    };
    const stopWatching = watchRequests(folder, stops);
    const { controller, dispose } = linkedAbort(stops.cancel.signal, stops.close.signal);
    try {
      const place = { name, dir: join(folder.dir, 'work'), signal: controller.signal };
      // What cannot be served there is not started.
      if (!isBlocked(session)) await withSides(upgrade, place, (sides) => workOn(session, sides));
    } catch (cause) {
      await this.failed(session, cause);
    } finally {
      dispose();
      stopWatching();
    }
    const stopped = stops.cancel.signal.aborted ? 'cancelled' : 'paused';
    const ended = session.known.searched.failed[1] === undefined ? 'done' : 'failed';
    await record({ type: 'study-ended', outcome: isStopped(stops) ? stopped : ended });
  }

  /** A side that cannot serve is an answer; a stop cuts work off. Throws everything else. */
  private async failed(session: Session, cause: unknown): Promise<void> {
    if (isStopped(session.stops)) return;
    const own = cause instanceof SideFailed ? cause.cause : cause;
    const error = toWire(own);
    if (!(cause instanceof SideFailed) || !ofEnvironment.has(error.code)) throw own;
    await note(session, { type: 'candidate-failed', candidate: cause.side, error });
  }
}
