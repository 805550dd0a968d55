import { invalidInput, WorkbenchError } from '../../contract/errors';
import { jointOf } from '../../domain/study/joint/joint-study';
import { type Sought, type SoughtModel, soughtOf } from '../../domain/study/sought';
import { StudyStore } from '../../studies/study-store';
import type { CoreParts } from '../core-parts';

/** Throws study-unknown, and input-invalid for a search of several models without the one that is meant. */
export async function requireSought(
  { layout }: Pick<CoreParts, 'layout'>,
  name: string,
  of: SoughtModel = {},
): Promise<Sought> {
  const study = await new StudyStore(layout.studies).load(name);
  const sought = study === null ? null : soughtOf(study, of);
  if (sought !== null) return sought;
  const joint = study === null ? null : jointOf(study);
  if (joint === null) throw new WorkbenchError('study-unknown', `Unknown search "${name}"`);
  const models = joint.models.map(({ title, runId }) => `${title} (${runId ?? 'no run'})`).join(', ');
  const message =
    typeof of.model === 'string'
      ? `The search has no single model "${of.model}"`
      : 'The search is of several models';
  throw invalidInput(name, message, `Name one of them, or its run: ${models}.`);
}
