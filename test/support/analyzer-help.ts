import { readFileSync } from 'node:fs';
import { type AnalyzerOption, analyzerOptions } from '../../main/cli/perf/analyzer-options';
import { namesOf } from '../../main/cli/perf/read-analyzer-options';

/** Names of the options in what perf_analyzer prints as its help. */
export function optionsOfHelp(help: string): readonly string[] {
  const names = help.split('\n').flatMap((line) => {
    const [start = ''] = /^\s*--?[a-z][\w-]*(?: \(--?[a-z]+\))?/i.exec(line) ?? [];
    return start.match(/--?[a-z][\w-]*/gi) ?? [];
  });
  return [...new Set(names)].sort();
}

export const helpOf = (version: string): string =>
  readFileSync(`test/fixtures/perf-analyzer/help-${version}.txt`, 'utf8');

const code = (text: string): string => `\`${text}\``;

function cells(row: AnalyzerOption): readonly string[] {
  const { is, here, note } = row;
  const names = namesOf(row);
  const [first = ''] = names;
  const theirs = names.map(code).join(', ');
  const more = note === undefined ? '' : `: ${note}`;
  switch (is) {
    case 'same':
      return [theirs, code(first), `same${note === undefined ? '' : `; ${note}`}`];
    case 'mapped':
      return [theirs, code(here ?? ''), note ?? ''];
    case 'idle':
      return [theirs, '–', `no effect${more}`];
    case 'analyzer':
      return [theirs, code('--load-tool perf_analyzer'), `not with the built-in load generator${more}`];
    case 'refused':
      return [theirs, '–', `not supported${more}`];
  }
}

/** The table of the guide. */
export const analyzerTable = (): string =>
  [
    '| perf_analyzer | here | |',
    '|---|---|---|',
    ...analyzerOptions.map((row) => `| ${cells(row).join(' | ')} |`),
  ].join('\n');
