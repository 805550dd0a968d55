import { describe, expect, it } from 'vitest';
import { fieldAt, fields, rowOf, schemaLeaves, valuesOf } from '../../../../main/contract/fields/fields';

describe('contract/fields', () => {
  it('has exactly one row for every leaf of the run specification', () => {
    const paths = fields.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect([...paths].sort()).toEqual([...schemaLeaves().keys()].sort());
  });

  it('reads a leaf as its JSON schema has it', () => {
    expect(valuesOf(fieldAt('performance.batchSizes'))).toEqual({ type: 'integers', mayBeEmpty: false });
    expect(valuesOf(fieldAt('performance.requestRates'))).toEqual({
      ...{ type: 'numbers', default: [], mayBeEmpty: true },
    });
    expect(valuesOf(fieldAt('performance.errorPercentage'))).toEqual({
      ...{ type: 'number', minimum: 0, maximum: 100, default: 1, mayBeEmpty: true },
    });
    expect(valuesOf(fieldAt('model.profile'))).toEqual({
      ...{ type: 'text', values: ['quick', 'full'], mayBeEmpty: true },
    });
    expect(valuesOf(fieldAt('model.args.*')).type).toBe('text');
    expect(valuesOf(fieldAt('configure.configPatch')).type).toBe('other');
  });

  it.each(fields.map((row) => [row.path, row] as const))('%s says each thing once', (_path, row) => {
    const { values, default: own } = valuesOf(row);
    expect([row.default, own].filter((value) => value !== undefined).length).toBeLessThan(2);
    const { choices = {}, unlisted = [] } = row;
    const offered = Object.keys(choices).filter((value) => !unlisted.includes(value));
    if (row.choices !== undefined) expect(offered).toEqual(values ?? offered);
    for (const value of unlisted) expect(Object.keys(choices)).toContain(value);
    expect(row.help).toMatch(/[^.]\.$/);
  });

  it('says of every field of the load where the form has it', () => {
    const load = fields.filter(({ path }) => path.startsWith('performance.'));
    expect(load.filter(({ group }) => group === undefined)).toEqual([]);
  });

  it('finds the row of a name that the model decides', () => {
    expect(rowOf('accuracy.atol.OUTPUT__0')?.path).toBe('accuracy.atol.*');
    expect(rowOf('accuracy.nothing')).toBeUndefined();
  });

  it('has each option and each published variable once', () => {
    for (const names of [
      fields.flatMap(({ option }) => option?.split(' ')[0] ?? []),
      fields.flatMap(({ variables = [] }) => variables),
    ]) {
      expect(new Set(names).size).toBe(names.length);
    }
  });
});
