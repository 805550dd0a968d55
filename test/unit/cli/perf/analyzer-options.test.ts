import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyzerOptions } from '../../../../main/cli/perf/analyzer-options';
import { namesOf } from '../../../../main/cli/perf/read-analyzer-options';
import { analyzerReleases } from '../../../../main/setup/perf-analyzer';
import { analyzerTable, helpOf, optionsOfHelp } from '../../../support/analyzer-help';
import { parseOnly, programWith, shellWords } from '../../../support/cli-program';

const page = 'docs/guide/perf-analyzer.md';
const [perf] = programWith().commands.filter((command) => command.name() === 'perf');
const known = new Set(perf?.options.flatMap(({ short, long }) => [short, long]));
const listed = analyzerOptions.flatMap(namesOf);

describe('the options of perf_analyzer', () => {
  it.each(analyzerReleases.map(({ version }) => version))('of release %s are all listed', (version) => {
    const printed = optionsOfHelp(helpOf(version));
    expect(printed.length).toBeGreaterThan(60);
    expect(printed.filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('are listed once, and each is an option of perf', () => {
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(analyzerOptions.filter(({ is, here }) => is === 'mapped' && here !== undefined))(
    '$flags: $here is an option of perf',
    async ({ here = '' }) => {
      const [flag = '', ...values] = shellWords(here);
      expect(known).toContain(flag);
      if (values.length > 0) await parseOnly(['perf', '-m', 'a', flag, ...values]);
    },
  );

  it('stand in the guide as they are here', async () => {
    const text = readFileSync(page, 'utf8');
    const made = text.replace(/\| perf_analyzer \| here \| \|\n(?:\|.*\n)+/, `${analyzerTable()}\n`);
    await expect(made).toMatchFileSnapshot(`../../../../${page}`);
  });
});
