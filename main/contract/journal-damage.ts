import { formatCount } from './numbers';
const mostShown = 10;

/** "Line 3 of journal.jsonl is damaged. …"; null when every line is whole. */
export function damageText(lines: readonly number[]): string | null {
  if (lines.length === 0) return null;
  const lost =
    'A measured level, the outcome of a step or a note recorded there may be missing; all other records are kept.';
  if (lines.length === 1) return `Line ${lines.join()} of journal.jsonl is damaged. ${lost}`;
  const shown = lines.length > mostShown ? lines.slice(0, mostShown) : lines.slice(0, -1);
  const rest =
    lines.length > mostShown ? `${formatCount(lines.length - mostShown)} more` : lines.slice(-1).join();
  return `Lines ${shown.join(', ')} and ${rest} of journal.jsonl are damaged. ${lost}`;
}
