import { z as own } from 'zod/v4';

export { config } from 'zod/v4';

/** A schema that is not made yet, behind the proxy that stands for it. */
interface Pending {
  readonly make: () => object;
  made: object | null;
}

const pendings = new WeakMap<object, Pending>();

const schemaOf = (pending: Pending): object => (pending.made ??= pending.make());

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

/** The same with real schemas, so that parsing meets no proxy. Getters of recursive shapes stay. */
function real(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const pending = pendings.get(value);
  if (pending !== undefined) return schemaOf(pending);
  if (Array.isArray(value)) return value.map(real);
  if (!isPlain(value)) return value;
  const copy = {};
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    const { value: own } = descriptor as { readonly value?: unknown };
    Object.defineProperty(
      copy,
      key,
      'value' in descriptor ? { ...descriptor, value: real(own) } : descriptor,
    );
  }
  return copy;
}

type Method = (...given: readonly unknown[]) => object;

/** Methods that make another schema and do nothing else. */
const chained: ReadonlySet<PropertyKey> = new Set([
  ...['min', 'max', 'int', 'positive', 'nonnegative', 'negative', 'nonempty', 'length', 'regex', 'trim'],
  ...[
    'startsWith',
    'endsWith',
    'optional',
    'nullable',
    'nullish',
    'default',
    'prefault',
    'catch',
    'readonly',
  ],
  ...['transform', 'pipe', 'refine', 'superRefine', 'check', 'overwrite', 'brand', 'array', 'or', 'and'],
  ...['extend', 'safeExtend', 'omit', 'pick', 'partial', 'required', 'gt', 'gte', 'lt', 'lte', 'multipleOf'],
]);

const handler: ProxyHandler<Pending> = {
  get(pending, name) {
    const isChained = chained.has(name);
    if (pending.made === null && isChained) {
      return (...given: readonly unknown[]) =>
        lazy(() =>
          (Reflect.get(schemaOf(pending), name) as Method).apply(schemaOf(pending), given.map(real)),
        );
    }
    const schema = schemaOf(pending);
    const value: unknown = Reflect.get(schema, name);
    if (typeof value !== 'function') return value;
    // What is parsed is nobody's schema, and may be large.
    return (...given: readonly unknown[]) =>
      Reflect.apply(value, schema, isChained ? given.map(real) : given) as unknown;
  },
  has: (pending, name) => Reflect.has(schemaOf(pending), name),
  getPrototypeOf: (pending) => Reflect.getPrototypeOf(schemaOf(pending)),
};

function lazy(make: () => object): object {
  const pending: Pending = { make, made: null };
  const schema = new Proxy(pending, handler);
  pendings.set(schema, pending);
  return schema;
}

const maker =
  (make: unknown) =>
  (...given: readonly unknown[]): object =>
    lazy(() => (make as Method)(...given.map(real)));

/** What `z` has, with schemas that are made when something of them is first asked for. */
export const z = {
  string: maker(own.string),
  number: maker(own.number),
  int: maker(own.int),
  boolean: maker(own.boolean),
  enum: maker(own.enum),
  literal: maker(own.literal),
  array: maker(own.array),
  tuple: maker(own.tuple),
  object: maker(own.object),
  strictObject: maker(own.strictObject),
  looseObject: maker(own.looseObject),
  record: maker(own.record),
  partialRecord: maker(own.partialRecord),
  union: maker(own.union),
  discriminatedUnion: maker(own.discriminatedUnion),
  intersection: maker(own.intersection),
  unknown: maker(own.unknown),
  undefined: maker(own.undefined),
  null: maker(own.null),
  url: maker(own.url),
  ipv4: maker(own.ipv4),
  ipv6: maker(own.ipv6),
  base64: maker(own.base64),
  coerce: { number: maker(own.coerce.number) },
  iso: { date: maker(own.iso.date) },
  toJSONSchema: (schema: unknown, ...given: readonly unknown[]): unknown =>
    (own.toJSONSchema as Method)(real(schema), ...given),
  prettifyError: own.prettifyError,
  NEVER: own.NEVER,
  ZodArray: own.ZodArray,
  ZodBoolean: own.ZodBoolean,
  ZodDefault: own.ZodDefault,
  ZodDiscriminatedUnion: own.ZodDiscriminatedUnion,
  ZodEnum: own.ZodEnum,
  ZodError: own.ZodError,
  ZodLiteral: own.ZodLiteral,
  ZodNullable: own.ZodNullable,
  ZodNumber: own.ZodNumber,
  ZodObject: own.ZodObject,
  ZodOptional: own.ZodOptional,
  ZodPipe: own.ZodPipe,
  ZodRecord: own.ZodRecord,
  ZodString: own.ZodString,
  ZodUnion: own.ZodUnion,
  ZodUnknown: own.ZodUnknown,
};
