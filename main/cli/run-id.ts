import { WorkbenchError } from '../contract/errors';
import type { Core } from '../core';

/**
 * The run that a person means: its id, the beginning of one that no other has, `latest` or `latest~N`, N runs before it.
 * Throws run-unknown, input-invalid for a beginning of several.
 */
export async function resolveRunId(core: Pick<Core, 'listRuns'>, text: string): Promise<string> {
  const { runs } = await core.listRuns();
  const ids = runs.map(({ runId }) => runId);
  if (ids.includes(text)) return text;
  const latest = /^latest(?:~(\d{1,6}))?$/.exec(text);
  if (latest !== null) {
    const found = ids[Number(latest[1] ?? 0)];
    if (found !== undefined) return found;
    throw new WorkbenchError('run-unknown', `There is no run "${text}": there are ${ids.length}`);
  }
  const [first, ...others] = text === '' ? [] : ids.filter((id) => id.startsWith(text));
  // A run that cannot be read is not in the list; what asks for it says why.
  if (first === undefined) return text;
  if (others.length === 0) return first;
  throw new WorkbenchError('input-invalid', `"${text}" is the beginning of ${others.length + 1} runs`, {
    where: 'run-id',
    remedy: `Type more of it, for example ${first}.`,
  });
}
