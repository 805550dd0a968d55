import { toWire, type WireError, WorkbenchError } from '../../contract/errors';
import type { Look, MemoryLimits, Searched } from '../../contract/study/search';
import type { StudyBody, StudyOutcome } from '../../contract/study/study';
import { sameValue } from '../../contract/trees';
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
  readonly variants: Pick<Variants, 'serve' | 'restart'> & Partial<Pick<Variants, 'isServed'>>;
  /** Others serve there, too: where it goes away, no other takes its place. */
  readonly isElsewhere?: boolean;
  /** @param beside those that are under load at the same time */
  readonly measure: (due: DueLook, served: ServedVariant, beside: readonly ServedVariant[]) => Promise<Look>;
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

const numbersOf = ({ candidate, beside = [] }: Pick<DueLook, 'candidate' | 'beside'>): readonly number[] => [
  candidate,
  ...beside.map((one) => one.candidate),
];

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

/** Those of a look, all at once; what made room for another of them is loaded again, once. Throws what loading throws. */
async function served(
  { variants, memory, stops }: SearchSession,
  { candidate, beside = [] }: DueLook,
  searched: Searched,
  onLoading: (candidate: number) => void,
): Promise<readonly [ServedVariant, ...ServedVariant[]]> {
  const serve = (number: number): Promise<ServedVariant> => {
    onLoading(number);
    return variants.serve(number, memory !== undefined && searched.memory?.[number] === undefined);
  };
  const first = await serve(candidate);
  const others: ServedVariant[] = [];
  for (const one of beside) {
    if (isStopped(stops)) break;
    others.push(await serve(one.candidate));
  }
  const all = numbersOf({ candidate, beside });
  const isGone = (number: number): boolean => variants.isServed?.(number) === false;
  for (const number of all.filter(isGone)) await variants.serve(number);
  onLoading(candidate);
  if (!all.some(isGone)) return [first, ...others];
  throw new WorkbenchError('model-load-failed', 'The models do not fit into memory together', {
    remedy: 'Give fewer instances, or fewer models.',
  });
}

/**
 * Empty: a stop cut it off. A candidate that cannot be measured is journaled as failed, and one that takes too much memory
 * is not measured; the others continue.
 */
async function look(session: SearchSession, due: DueLook, searched: Searched): Promise<readonly StudyBody[]> {
  const { variants, measure, stops, isAdmitted } = session;
  let { candidate } = due;
  const found: StudyBody[] = [];
  let isLoading = true;
  try {
    const [first, ...beside] = await served(session, due, searched, (number) => {
      candidate = number;
    });
    isLoading = false;
    const allTaken = [first, ...beside].flatMap(({ taken }) => taken);
    requireMemory(session, allTaken);
    found.push(...allTaken.map((taken): StudyBody => ({ type: 'candidate-memory', ...taken })));
    const known = found.reduce(added, searched);
    if (!numbersOf(due).every((number) => isAdmitted(known, number))) return found;
    const repeat = searched.looks.filter(
      (one) => one.candidate === due.candidate && sameValue(one.load, due.load),
    ).length;
    return [...found, { type: 'look', look: await measure({ ...due, repeat }, first, beside) }];
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
      const isOut = numbersOf(one).some((number) => !isAdmitted(searched, number));
      if (isStopped(stops) || isOut) continue;
      for (const body of await look(session, one, searched)) {
        await record(body);
        searched = added(searched, body);
      }
    }
  }
  await record({ type: 'study-ended', outcome: outcomeOf(session, searched) });
  return searched;
}
