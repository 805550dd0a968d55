import { toWire, type WireError, WorkbenchError } from '../../contract/errors';
import type { Look, MemoryLimits, Searched } from '../../contract/study/search';
import type { StudyBody, StudyOutcome } from '../../contract/study/study';
import type { DueLook } from '../../domain/study/search/next-looks';
import { isStopped, type StudyStops } from '../study-hands';
import type { ServedVariant, Variants } from './search-variants';

/** What says what to measure, by what was measured. Pure. */
export interface Looking {
  /** One round; none: it is at its end. */
  readonly next: (searched: Searched) => readonly DueLook[];
  /** It can be measured, and win. */
  readonly isAdmitted: (searched: Searched, candidate: number) => boolean;
  /** At its end it has no result. */
  readonly isFailed: (searched: Searched) => boolean;
  /** Absent: memory is not read. */
  readonly memory?: MemoryLimits | undefined;
}

/** A search that this process works on. */
export interface SearchSession extends Looking {
  /** Results of earlier processes. */
  readonly searched: Searched;
  readonly variants: Pick<Variants, 'serve' | 'restart'>;
  /** Others serve there, too: where it goes away, no other takes its place. */
  readonly isElsewhere?: boolean;
  readonly measure: (due: DueLook, served: Awaited<ReturnType<Variants['serve']>>) => Promise<Look>;
  readonly stops: StudyStops;
  readonly record: (body: StudyBody) => Promise<void>;
}

/** They end the search: no candidate is to blame for them. */
const ofMachine: ReadonlySet<WireError['code']> = new Set([
  ...(['server-start-failed', 'toolchain-missing', 'port-taken', 'disk-full'] as const),
  ...(['file-unwritable', 'docker-unreachable', 'host-unreachable', 'image-missing'] as const),
]);
const endsServer: ReadonlySet<WireError['code']> = new Set(['server-gone', 'out-of-memory']);

const added = (searched: Searched, body: StudyBody): Searched => {
  if (body.type === 'look') return { ...searched, looks: [...searched.looks, body.look] };
  if (body.type === 'candidate-memory') {
    const { candidate, hostBytes, gpuBytes } = body;
    return { ...searched, memory: { ...searched.memory, [candidate]: { hostBytes, gpuBytes } } };
  }
  if (body.type !== 'candidate-failed') return searched;
  return { ...searched, failed: { ...searched.failed, [body.candidate]: body.error } };
};

/** Throws toolchain-missing where a limit was given and nothing can be held against it. */
function requireMemory({ memory: limits }: SearchSession, taken: ServedVariant['taken']): void {
  const missing = [
    ...(limits?.gpuBytes !== undefined && taken.some(({ gpuBytes }) => gpuBytes === null)
      ? [
          {
            what: 'The GPU memory of Triton cannot be read: nvidia-smi does not report it',
            flag: '--gpu-memory',
          },
        ]
      : []),
    ...(limits?.hostBytes !== undefined && taken.some(({ hostBytes }) => hostBytes === null)
      ? [{ what: 'The memory of Triton’s processes cannot be read', flag: '--host-memory' }]
      : []),
  ];
  const [first] = missing;
  if (first === undefined) return;
  throw new WorkbenchError('toolchain-missing', first.what, {
    where: first.flag,
    remedy: 'Search without this limit.',
  });
}

/**
 * Empty: a stop cut it off. A candidate that cannot be measured is journaled as failed, and one that takes too much memory
 * is not measured; the others continue.
 */
async function look(session: SearchSession, due: DueLook, searched: Searched): Promise<readonly StudyBody[]> {
  const { variants, measure, stops, memory, isAdmitted } = session;
  const { candidate } = due;
  const found: StudyBody[] = [];
  let isLoading = true;
  try {
    const wantsMemory = memory !== undefined && searched.memory?.[candidate] === undefined;
    const served = await variants.serve(candidate, wantsMemory);
    isLoading = false;
    requireMemory(session, served.taken);
    found.push(...served.taken.map((taken): StudyBody => ({ type: 'candidate-memory', ...taken })));
    const known = found.reduce(added, searched);
    if (!isAdmitted(known, candidate)) return found;
    return [...found, { type: 'look', look: await measure(due, served) }];
  } catch (cause) {
    if (stops.cancel.signal.aborted || stops.close.signal.aborted) return [];
    const error = toWire(cause);
    if (session.isElsewhere === true && error.code === 'server-unreachable') {
      // It may have ended because of the load: that is not tried again.
      if (isLoading) await session.record({ type: 'candidate-failed', candidate, error });
      throw cause;
    }
    if (ofMachine.has(error.code)) throw cause;
    if (endsServer.has(error.code)) await variants.restart();
    return [...found, { type: 'candidate-failed', candidate, error }];
  }
}

function outcomeOf({ stops, isFailed }: SearchSession, searched: Searched): StudyOutcome {
  if (stops.cancel.signal.aborted) return 'cancelled';
  if (isStopped(stops)) return 'paused';
  return isFailed(searched) ? 'failed' : 'done';
}

/** Measures what is due until the search is at its end, or a stop; each look is in the journal before the next begins. */
export async function driveSearch(session: SearchSession): Promise<Searched> {
  const { next, isAdmitted, stops, record } = session;
  let { searched } = session;
  for (let due = next(searched); due.length > 0 && !isStopped(stops); due = next(searched)) {
    for (const one of due) {
      if (isStopped(stops) || !isAdmitted(searched, one.candidate)) continue;
      for (const body of await look(session, one, searched)) {
        await record(body);
        searched = added(searched, body);
      }
    }
  }
  await record({ type: 'study-ended', outcome: outcomeOf(session, searched) });
  return searched;
}
