import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { schemaNames, schemaText } from '../../../../main/cli/help/reference-tables';
import { strictSchema } from '../../../../main/cli/help/strict-schema';
import { repository } from '../../../support/home';

const strictly = (): Ajv2020 => {
  const ajv = new Ajv2020({ strict: true });
  addFormats(ajv);
  return ajv;
};

it.each(schemaNames)('the schema of %s is one that a strict validator takes', (name) => {
  const validate = strictly().compile(JSON.parse(schemaText(name)) as object);
  expect(validate('text')).toBe(false);
});

it('every schema of what is printed with --json is one, too', () => {
  const file = join(repository, 'docs', 'reference', 'schemas', 'json.schema.json');
  const bundle = JSON.parse(readFileSync(file, 'utf8')) as { readonly $defs: object };
  const ajv = strictly().addSchema(bundle, 'json');
  const names = Object.keys(bundle.$defs);
  expect(names).toContain('run');
  for (const name of names) expect(ajv.getSchema(`json#/$defs/${name}`), name).toBeTypeOf('function');
});

it('means the same as before', () => {
  const schema = {
    $defs: { whole: { type: 'integer', minimum: 1 }, again: { $ref: '#/$defs/whole' } },
    type: 'object',
    properties: {
      count: { $ref: '#/$defs/again', maximum: 9 },
      either: { type: ['string', 'number'], description: 'one of two' },
      maybe: { type: ['string', 'null'] },
      list: { type: 'array', prefixItems: [{ enum: ['a'] }], items: { enum: ['a'] }, minItems: 1 },
      pair: {
        ...{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
        ...{ items: false, minItems: 2 },
      },
      type: { type: 'string', const: 'a property of this name' },
    },
  };
  expect(() => strictly().compile(schema)).toThrow(/strict mode/);
  const strict = strictSchema(schema);
  expect(strict).toMatchObject({
    properties: {
      count: { type: 'integer', $ref: '#/$defs/again', maximum: 9 },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }], description: 'one of two' },
      maybe: { type: ['string', 'null'] },
      pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
      type: { type: 'string', const: 'a property of this name' },
    },
  });
  const [loose, tight] = [new Ajv2020({ strict: false }).compile(schema), strictly().compile(strict)];
  for (const [value, isValid] of [
    [{ count: 3, either: 'x', list: ['a', 'a'], pair: ['x', 1] }, true],
    [{ count: 10 }, false],
    [{ count: 1.5 }, false],
    [{ either: true }, false],
    [{ list: [] }, false],
    [{ list: ['a', 'b'] }, false],
    [{ pair: [1, 'x'] }, false],
    [{ pair: ['x', 1, 2] }, false],
  ] as const) {
    expect([loose(value), tight(value)], JSON.stringify(value)).toEqual([isValid, isValid]);
  }
});
