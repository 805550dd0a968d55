import { toWire, type WireError } from '../../contract/errors';
import type { Look, Searched, SearchStrategy } from '../../contract/study/search';
import type { StudyBody, StudyOutcome } from '../../contract/study/study';
import { type DueLook, nextLooks } from '../../domain/study/search/next-looks';
import { isStopped, type StudyStops } from '../study-hands';
import type { Variants } from './search-variants';

/** A search that this process works on. */
export interface SearchSession {
  readonly search: SearchStrategy;
  /** Results of earlier processes. */
  readonly searched: Searched;
  readonly variants: Pick<Variants, 'serve' | 'restart'>;
  readonly measure: (due: DueLook, served: Awaited<ReturnType<Variants['serve']>>) => Promise<Look>;
  readonly stops: StudyStops;
  readonly record: (body: StudyBody) => Promise<void>;
}

/** They end the search: no candidate is to blame for them. */
const ofMachine: ReadonlySet<WireError['code']> = new Set([
  ...(['server-start-failed', 'toolchain-missing', 'port-taken', 'disk-full'] as const),
  ...(['file-unwritable', 'docker-unreachable', 'image-missing'] as const),
]);
const endsServer: ReadonlySet<WireError['code']> = new Set(['server-gone', 'out-of-memory']);

/** null: a stop cut it off. A candidate that cannot be measured is journaled as failed; the others continue. */
async function look(session: SearchSession, due: DueLook): Promise<StudyBody | null> {
  const { variants, measure, stops } = session;
  try {
    return { type: 'look', look: await measure(due, await variants.serve(due.candidate)) };
  } catch (cause) {
    if (stops.cancel.signal.aborted || stops.close.signal.aborted) return null;
    const error = toWire(cause);
    if (ofMachine.has(error.code)) throw cause;
    if (endsServer.has(error.code)) await variants.restart();
    return { type: 'candidate-failed', candidate: due.candidate, error };
  }
}

const added = (searched: Searched, body: StudyBody): Searched => {
  if (body.type === 'look') return { ...searched, looks: [...searched.looks, body.look] };
  if (body.type !== 'candidate-failed') return searched;
  return { ...searched, failed: { ...searched.failed, [body.candidate]: body.error } };
};

function outcomeOf({ stops }: SearchSession, { looks }: Searched): StudyOutcome {
  if (stops.cancel.signal.aborted) return 'cancelled';
  if (isStopped(stops)) return 'paused';
  return looks.length === 0 ? 'failed' : 'done';
}

/** Measures what is due until the search is at its end, or a stop; each look is in the journal before the next begins. */
export async function driveSearch(session: SearchSession): Promise<Searched> {
  const { search, stops, record } = session;
  let { searched } = session;
  for (
    let due = nextLooks(search, searched);
    due.length > 0 && !isStopped(stops);
    due = nextLooks(search, searched)
  ) {
    for (const one of due) {
      if (isStopped(stops) || searched.failed[one.candidate] !== undefined) continue;
      const body = await look(session, one);
      if (body === null) continue;
      await record(body);
      searched = added(searched, body);
    }
  }
  await record({ type: 'study-ended', outcome: outcomeOf(session, searched) });
  return searched;
}
