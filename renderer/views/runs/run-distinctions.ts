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

export interface Distinction {
  /** Fields that differ between the model's runs: "fp16 docker"; '' where there are none. */
  readonly fields: string;
  readonly full: string;
}

export function runDistinctions(runs: readonly RunSummary[]): ReadonlyMap<string, Distinction> {
  const texts = new Map<string, Distinction>();
  for (const [, own] of grouped(runs, (run) => run.preset)) {
    const telling = parts.filter((part) => new Set(own.map(part)).size > 1);
    for (const [text, alike] of grouped(own, (run) => telling.map((part) => part(run)).join(' '))) {
      for (const run of alike) {
        const time = alike.length > 1 ? formatWhen(run.createdAt) : '';
        texts.set(run.runId, { fields: text, full: `${text} ${time}`.trim() });
      }
    }
  }
  return texts;
}
