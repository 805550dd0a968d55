import type { RunSummary } from '../../../main/contract/api';
import { formatWhen } from '../../format/times';

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

/** What differs between the model's runs, by run id: "fp16 docker", with the time of those that are alike; else ''. */
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
