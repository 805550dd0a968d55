import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatError } from '../../../main/cli/print/format-error';
import { toWire } from '../../../main/contract/errors';
import { openModel } from '../../../main/own/open-model';
import { dataRows } from '../../support/data-rows';
import { expectRow, inputRows, pageRows, rowsOfCommand } from '../../support/input-rows';
import { useModelBench } from '../../support/model-bench';

const rows = pageRows(readFileSync('docs/guide/inputs.md', 'utf8'));
const bench = useModelBench();

describe('docs/guide/inputs.md', () => {
  it('has a row for each input that is tried, and no other', () => {
    const tried = [...Object.keys(inputRows), ...Object.keys(dataRows)];
    expect(rows.map(({ name }) => name).sort()).toEqual(tried.sort());
    for (const name of rowsOfCommand) expect(Object.keys(inputRows)).toContain(name);
  });

  const opened = rows.filter(({ name }) => name in inputRows && !rowsOfCommand.has(name));
  it.each(opened)('$name: says what is printed', async (row) => {
    const [, path = ''] = (await inputRows[row.name]?.(bench().dir)) ?? [];
    const found = await openModel({ path }, bench().tools()).catch((error: unknown) => toWire(error));
    if ('message' in found) expectRow(row, formatError(found), false);
    else expectRow(row, found.notes.join('\n'), found.choice !== null);
  });
});
