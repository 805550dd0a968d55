import { sweepTitle } from '../../contract/run/sweep';
import { type Criterion, type JudgedLevel, outcomeText, ratioText } from '../measured/comparison-gate';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML has no control characters but these three. */
const xml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] ?? '');

const element = (name: string, message: string): string => `<${name} message="${xml(message)}"/>`;

/** What cannot be judged is an error: it is not passed. */
function inside(judged: JudgedLevel): string {
  const { outcome } = judged;
  if (outcome === 'within') return '';
  const message = `${ratioText(judged)}, ${outcomeText(judged)}`;
  return element(outcome === 'outside' ? 'failure' : 'error', message);
}

/**
 * The criteria of a comparison as JUnit XML, a test case per criterion and level, as CI systems show it.
 * @param names of the runs that are compared
 */
export function comparisonJUnit(
  names: { readonly a: string; readonly b: string },
  criteria: readonly Criterion[],
  judged: readonly JudgedLevel[],
): string {
  const suites = criteria.map((criterion) => {
    const own = judged.filter((one) => one.criterion === criterion);
    const cases =
      own.length === 0
        ? [['', element('error', 'The runs have no level in common')] as const]
        : own.map(
            (one) =>
              [
                `${sweepTitle[one.sweep].toLowerCase()} ${one.level}${one.sweep === 'batchSize' ? '' : `, batch size ${one.batchSize}`}`,
                inside(one),
              ] as const,
          );
    const count = (kind: string) => cases.filter(([, body]) => body.startsWith(`<${kind}`)).length;
    const lines = cases.map(([level, body]) => {
      const name = [criterion.text, level].filter(Boolean).join(': ');
      const start = `    <testcase classname="${xml(`${names.b} compared with ${names.a}`)}" name="${xml(name)}"`;
      return body === '' ? `${start}/>` : `${start}>${body}</testcase>`;
    });
    return [
      `  <testsuite name="${xml(criterion.text)}" tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}">`,
      ...lines,
      '  </testsuite>',
    ].join('\n');
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="compare">\n${suites.join('\n')}\n</testsuites>\n`;
}
