import type { ServerResults } from '../../core';
import { crossCheck, type CrossLevel, crossSummary, crossWords } from '../../domain/measured/cross-check';

/** Adds the findings as text to the JSON document. */
const withWords = (level: CrossLevel) => ({ ...level, words: crossWords(level) });

/** Of which run, and whether both load tools measured. */
export interface LevelsHow {
  readonly runId: string;
  readonly crossing: boolean;
}

/** The levels that both load tools measured, beside each other; null with one. */
export const crossedOf = ({ points, missing }: ServerResults, { crossing }: LevelsHow) =>
  crossing
    ? crossCheck({ points, missing: missing.map(({ level, ...hole }) => ({ ...level, ...hole })) })
    : null;

/** What `perf --json` prints. */
export function levelsDocument(results: ServerResults, how: LevelsHow) {
  const { points, missing, found } = results;
  const crossed = crossedOf(results, how);
  return {
    runId: how.runId,
    points,
    missing,
    ...(found === null ? {} : { found }),
    ...(crossed === null
      ? {}
      : { crossCheck: { summary: crossSummary(crossed), levels: crossed.map(withWords) } }),
  };
}
