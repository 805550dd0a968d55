import { toWire, WorkbenchError } from '../contract/errors';
import type { Study, StudyBody, StudySpec } from '../contract/study/study';
import { sameValue } from '../contract/trees';
import { isStopped, type StudyHands, type StudyStops } from './study-hands';

const taken = (name: string): WorkbenchError =>
  new WorkbenchError('input-invalid', `A study "${name}" already exists`, {
    where: 'name',
    remedy: 'Choose another name (--name), or continue it with "studies resume".',
  });

export interface OwnWork {
  /** What its journal has of earlier processes; null: it is new. */
  readonly before: Study | null;
  readonly record: (body: StudyBody) => Promise<void>;
}

/**
 * Begins to work on a study that measures by itself, to its end or a stop. Throws study-busy, and input-invalid where another
 * study has its name. `end` rejects with what the work throws, which its journal has, too.
 */
export async function beginOwn<End>(
  { studies, active, onEntry }: Pick<StudyHands, 'studies' | 'active' | 'onEntry'>,
  spec: StudySpec,
  { resume, stops }: { readonly resume: boolean; readonly stops: StudyStops },
  work: (own: OwnWork) => Promise<End>,
): Promise<{ readonly end: Promise<End> }> {
  const { name } = spec;
  const release = await studies.hold(name);
  const record = async (body: StudyBody): Promise<void> => {
    onEntry(name, await studies.append(name, body));
  };
  try {
    const before = await studies.load(name);
    if (before !== null && !(resume && sameValue(before.spec, spec))) throw taken(name);
    await studies.forgetRequests(name);
    if (before === null) await record({ type: 'study-planned', spec });
    await record({ type: 'study-started', pid: process.pid });
    const end = active.during(name, stops, async () => {
      try {
        return await work({ before, record });
      } catch (error) {
        const stopped = stops.cancel.signal.aborted ? 'cancelled' : 'paused';
        await record({
          type: 'study-ended',
          ...(isStopped(stops) ? { outcome: stopped } : { outcome: 'failed', error: toWire(error) }),
        });
        throw error;
      } finally {
        await release();
      }
    });
    return { end };
  } catch (error) {
    await release();
    throw error;
  }
}
