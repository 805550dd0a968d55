import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { parseOnly, programWith, shellWords } from '../../../support/cli-program';

const spansOf = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text ?? '');

const [, table = ''] = readFileSync('docs/guide/perf-analyzer.md', 'utf8').split('## Flag by flag');
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [theirs = '', ours = '', note = ''] = line.slice(2).replace(/ \|$/, '').split(' | ');
    return { theirs: spansOf(theirs), ours: spansOf(ours), note };
  });
const program = programWith();
const perf = program.commands.find((command) => command.name() === 'perf');
const namesOf = (command: Command | undefined): readonly string[] =>
  command?.options.flatMap(({ short, long }) => [short, long].filter((name) => typeof name === 'string')) ??
  [];
const known = [...namesOf(perf), '--version'];

describe('the page of perf_analyzer’s options', () => {
  it('has each of them once', () => {
    const listed = readFileSync('test/fixtures/perf-analyzer/options.txt', 'utf8').trim().split('\n');
    expect(rows.flatMap(({ theirs }) => theirs).sort()).toEqual([...listed].sort());
  });

  it.each(rows.filter(({ ours }) => ours.length > 0))(
    '$theirs: $ours is an option of perf',
    async ({ ours, note }) => {
      for (const text of ours) {
        const [flag = '', ...values] = shellWords(text);
        expect(known).toContain(flag);
        const required = flag === '-u' ? ['-m', 'a'] : ['-m', 'a', '-u', 'b'];
        if (values.length > 0) await parseOnly(['perf', ...required, flag, ...values]);
      }
      if (note.startsWith('same')) expect(ours).toHaveLength(1);
    },
  );

  it.each(rows.filter(({ note }) => note.startsWith('same')))('$theirs is the same', ({ theirs, ours }) => {
    for (const name of theirs) expect(known).toContain(name);
    expect(theirs).toContain(ours[0]);
  });

  it.each(rows.filter(({ note }) => note.includes('work too')))('$theirs works too', ({ theirs }) => {
    for (const name of theirs) expect(known).toContain(name);
  });

  it.each(rows.filter(({ ours }) => ours.length === 0))(
    '$theirs has a reason not to be there',
    ({ note }) => {
      expect(note).toMatch(/^not (?:needed|supported)/);
    },
  );
});
