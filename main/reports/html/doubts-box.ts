import type { Report } from '../report';
import type { Markup } from './markup';
import { markup } from './markup';

/** So many stand on the first page; the record has the others. */
export const shownDoubts = 9;

/** What is doubtful about the answer, beside it; null where there is no answer. */
export function doubtsBox({ summary, problems }: Report): Markup | null {
  if (summary.scenario === null) return null;
  const further = summary.doubts.length - shownDoubts;
  const lines = [
    ...summary.doubts.slice(0, shownDoubts),
    ...(further > 0 ? [`${further} more under “Problems and warnings”.`] : []),
  ];
  if (lines.length > 0) {
    return markup`<div class="doubts warning"><h3>What is doubtful</h3>
<ul>${lines.map((line) => markup`<li>${line}</li>`)}</ul></div>`;
  }
  const warnings = problems.length === 0 ? '' : ' The warnings of the steps are on the next page.';
  return markup`<div class="doubts neutral"><h3>What is doubtful</h3>
<p>Nothing found: every level has a result and is steady, and the accuracy check passed.${warnings}</p></div>`;
}
