import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z as plain } from 'zod';
import { z as made } from '../../../main/platform/lazy-zod';

// The build puts it in the place of zod, whose types it therefore has.
const z = made as unknown as typeof plain;

describe('a schema that is made when it is asked for', () => {
  it('parses as one of zod, with its defaults, and with its errors', () => {
    const schemaOf = (kind: typeof plain) => {
      const level = kind.strictObject({ batch: kind.int().min(1), name: kind.string().optional() });
      return kind.object({
        levels: kind.array(level).nonempty(),
        engine: kind.discriminatedUnion('kind', [
          kind.strictObject({ kind: kind.literal('local') }),
          kind.strictObject({
            kind: kind.literal('docker'),
            gpus: kind.array(kind.string()).default(['all']),
          }),
        ]),
        note: kind
          .string()
          .default('none')
          .transform((text) => text.toUpperCase()),
        sizes: kind.record(kind.string(), kind.number()).nullable().optional(),
      });
    };
    const values = [
      { levels: [{ batch: 1 }], engine: { kind: 'docker' } },
      { levels: [{ batch: 0, other: 1 }], engine: { kind: 'remote' }, sizes: { a: 'b' } },
      { levels: [], engine: null },
    ];
    for (const value of values) {
      const [one, other] = [schemaOf(z).safeParse(value), schemaOf(plain).safeParse(value)];
      expect(one.data).toEqual(other.data);
      expect(one.error?.issues).toEqual(other.error?.issues);
    }
    expect(z.toJSONSchema(schemaOf(z), { io: 'input' })).toEqual(
      plain.toJSONSchema(schemaOf(plain), { io: 'input' }),
    );
  });

  it('is not made before, and only once', () => {
    const seen: string[] = [];
    const inner = z.object({
      get value() {
        seen.push('made');
        return z.string();
      },
    });
    const outer = z.array(inner.extend({ more: z.int() })).readonly();
    expect(seen).toEqual([]);
    expect(outer.parse([{ value: 'a', more: 1 }])).toEqual([{ value: 'a', more: 1 }]);
    outer.parse([]);
    expect(seen.length).toBe(seen.filter((one) => one === 'made').length);
    expect(inner.shape.value).toBe(inner.shape.value);
  });

  it('is an instance of its class, and has its parts', () => {
    const kind = z.enum(['a', 'b']);
    const row = z.strictObject({ kind, at: z.string().nullable() });
    expect(kind).toBeInstanceOf(z.ZodEnum);
    expect(row).toBeInstanceOf(z.ZodObject);
    expect(row).not.toBeInstanceOf(z.ZodEnum);
    expect(kind.options).toEqual(['a', 'b']);
    expect(Object.keys(row.shape)).toEqual(['kind', 'at']);
    expect('shape' in row).toBe(true);
    expect(row.omit({ at: true }).parse({ kind: 'a' })).toEqual({ kind: 'a' });
    expect(z.strictObject({ ...row.shape, more: z.int() }).parse({ kind: 'b', at: null, more: 1 })).toEqual({
      ...{ kind: 'b', at: null, more: 1 },
    });
  });

  it('takes what it parses as it is, and schemas as parts once it is made', () => {
    const given = { tree: { leaves: [1, 2] } };
    const row = z.object({ tree: z.unknown() });
    expect(row.parse(given).tree).toBe(given.tree);
    expect(row.extend({ more: z.int() }).safeParse(given).success).toBe(false);
    expect(row.shape.tree.or(z.string()).parse('a')).toBe('a');
  });

  it('may refer to itself', () => {
    interface Tree {
      readonly children: readonly Tree[];
    }
    const tree: plain.ZodType<Tree> = z.object({
      get children() {
        return z.array(tree);
      },
    });
    const value = { children: [{ children: [] }] };
    expect(tree.parse(value)).toEqual(value);
    expect(tree.safeParse({ children: [1] }).success).toBe(false);
  });
});

/** The folders that the build bundles. */
const sources = ['main', 'electron'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

it('has everything of zod that the program uses', () => {
  const types = ['ZodType', 'infer', 'input', 'output', 'core', 'ZodRawShape'];
  const used = new Set(
    sources
      .filter((path) => !path.endsWith('lazy-zod.ts'))
      .map((path) => readFileSync(path, 'utf8'))
      .filter((text) => text.includes("from 'zod'"))
      .flatMap((text) => [...text.matchAll(/\bz\.([a-zA-Z0-9]+)/g)].map(([, name = '']) => name)),
  );
  expect([...used].filter((name) => !types.includes(name) && !Object.hasOwn(made, name))).toEqual([]);
});
