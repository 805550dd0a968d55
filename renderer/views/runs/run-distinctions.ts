import type { RunSummary } from '../../../main/contract/api';
import { formatWhen } from '../../format/numbers';

const parts = [
  (run: RunSummary) => run.format,
  (run: RunSummary) => run.precision,
  (run: RunSummary) => run.profile,
  (run: RunSummary) => run.engine,
] as const;

function grouped(runs: readonly RunSummary[], keyOf: (run: RunSummary) => string) {
  const groups = new Map<string, RunSummary[]>();
  for (const run of runs) {
    const key = keyOf(run);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [run]);
    else group.push(run);
  }
  return [...groups];
}

/**
 * What tells a run from the others of its model, by run: the fields in which they differ, and the time where that is not enough.
 * '' for the only run of a model. Pure.
 */
export function runDistinctions(runs: readonly RunSummary[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [, own] of grouped(runs, (run) => run.preset)) {
    const telling = parts.filter((part) => new Set(own.map(part)).size > 1);
    for (const [text, alike] of grouped(own, (run) => telling.map((part) => part(run)).join(' '))) {
      for (const run of alike) {
        const time = alike.length > 1 ? formatWhen(run.createdAt) : '';
        texts.set(run.runId, `${text} ${time}`.trim());
      }
    }
  }
  return texts;
}
