import type { CrossLevel } from '../contract/cross-check';
import { crossSummary, crossWords, sideText, verdictText } from '../contract/cross-check-text';
import { formatMeasured } from '../contract/numbers';
import { formatTable } from './output';

/** The level with its findings in words, for the JSON document. */
export const withWords = (level: CrossLevel) => ({ ...level, words: crossWords(level) });

function levelTable(level: CrossLevel): string {
  return formatTable(
    ['', 'native', 'perf_analyzer', 'ratio', ''],
    level.columns.map((column) => [
      column.title,
      sideText(column, column.native),
      sideText(column, column.perf_analyzer),
      formatMeasured(column.ratio),
      verdictText[column.verdict],
    ]),
  );
}

/** For people: a table a level with its findings below, and the outcome at the end. */
export function crossCheckLines(levels: readonly CrossLevel[]): readonly string[] {
  if (levels.length === 0) return [];
  return [
    'Median (smallest–largest) of the rounds; times in ms; ratio: native over perf_analyzer.',
    ...levels.flatMap((level) => {
      const { native, perf_analyzer: analyzer } = level.measured;
      return [
        '',
        `${level.text}: ${native} rounds of native, ${analyzer} of perf_analyzer`,
        ...(native + analyzer === 0 ? [] : [levelTable(level)]),
        ...crossWords(level),
      ];
    }),
    '',
    crossSummary(levels),
  ];
}
