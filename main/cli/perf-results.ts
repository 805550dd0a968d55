import { crossCheck } from '../contract/cross-check';
import { crossSummary } from '../contract/cross-check-text';
import { levelText } from '../contract/level-text';
import type { LoadPoint } from '../contract/results';
import type { ServerResults } from '../core';
import type { Output } from './output';
import { cacheTable, certaintyTable, composingTable, errorTable } from './perf-details';
import { pointTable } from './perf-print';
import { crossCheckLines, withWords } from './print-cross-check';

function sayTables(output: Output, points: readonly LoadPoint[]): void {
  const turns = points.find((point) => point.turns !== undefined)?.turns;
  if (turns !== undefined)
    output.say(`Each level has ${turns} windows, measured in turns with the other levels.`);
  output.say('Times in ms; "±": half-width of the 95 % interval.');
  output.say(pointTable(points));
  const details = [certaintyTable, cacheTable, composingTable, errorTable].map((table) => table(points));
  for (const table of details) if (table !== null) output.say(table);
}

export function tellResults(
  output: Output,
  { points, missing, found }: ServerResults,
  how: { readonly crossing: boolean; readonly latencyThreshold: string | undefined },
): void {
  const crossed = how.crossing
    ? crossCheck({ points, missing: missing.map(({ level, ...hole }) => ({ ...level, ...hole })) })
    : null;
  if (output.json) {
    output.document({
      points,
      missing,
      ...(found === null ? {} : { found }),
      ...(crossed === null
        ? {}
        : { crossCheck: { summary: crossSummary(crossed), levels: crossed.map(withWords) } }),
    });
  } else if (crossed !== null) for (const line of crossCheckLines(crossed)) output.say(line);
  else if (points.length > 0) sayTables(output, points);
  for (const level of found ?? [])
    output.say(`the last within ${how.latencyThreshold ?? ''} ms: ${levelText(level)}`);
  if (found?.length === 0) output.say('No level is within the budget.');
}
