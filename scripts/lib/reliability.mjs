import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const head = [
  '# Injected faults and their results',
  '',
  'Written by `npm run test:faults`: one section per part, from the run that its first line names. The figures are as counted; a part without a section was not run. The same tests run with smaller numbers in `npm test`, except those of `containers`, `disk`, `matrix`, `space` and `window`.',
];

const cell = (text) => String(text).replaceAll('|', '/').replaceAll('\n', ' ');

/** One part's table; `facts` are the same for all of its rows. */
function section(part, rows, { seed, date, commit, verdict }) {
  return [
    `## ${part}`,
    '',
    `Seed ${seed}, ${date}, commit ${commit}: ${verdict}.`,
    '',
    '| what | how many | result |',
    '|---|---:|---|',
    ...rows.map(({ what, trials, result }) => `| ${cell(what)} | ${cell(trials)} | ${cell(result)} |`),
  ].join('\n');
}

/** Name -> text of the sections that a document has. */
function sectionsOf(text) {
  const found = new Map();
  for (const part of text.split(/^(?=## )/m).slice(1)) {
    found.set(/^## (.*)$/m.exec(part)[1], part.trimEnd());
  }
  return found;
}

/**
 * Writes the sections of the parts that ran and leaves those of the others as they are.
 * @param {{part: string, rows: {what: string, trials: number, result: string}[], facts: object}[]} ran
 */
export function writeReliability(file, ran) {
  const sections = existsSync(file) ? sectionsOf(readFileSync(file, 'utf8')) : new Map();
  for (const { part, rows, facts } of ran) sections.set(part, section(part, rows, facts));
  const sorted = [...sections].sort(([a], [b]) => a.localeCompare(b)).map(([, text]) => text);
  writeFileSync(file, `${[head.join('\n'), ...sorted].join('\n\n')}\n`);
}
