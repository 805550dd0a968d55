import ts from 'typescript';

/** Kinds of types by flag, each with its schema; null: it has no value in JSON. */
const scalars = [
  [ts.TypeFlags.Any | ts.TypeFlags.Unknown, () => ({})],
  [ts.TypeFlags.StringLiteral | ts.TypeFlags.NumberLiteral, (type) => ({ const: type.value })],
  [ts.TypeFlags.BooleanLiteral, (type) => ({ const: type.intrinsicName === 'true' })],
  [ts.TypeFlags.StringLike, () => ({ type: 'string' })],
  [ts.TypeFlags.NumberLike, () => ({ type: 'number' })],
  [ts.TypeFlags.BooleanLike, () => ({ type: 'boolean' })],
  [ts.TypeFlags.Null, () => ({ type: 'null' })],
];

const isAbsent = (type) => (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) !== 0;
const isConst = (schema) => 'const' in schema && Object.keys(schema).length === 1;
const constType = (value) =>
  typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'boolean';

const byText = (one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

/** A union; constants of one kind become an enum. Sorted: the compiler's order is that in which it met the types. */
function unionOf(schemas) {
  const constants = schemas.filter(isConst).map((schema) => schema.const);
  const others = schemas.filter((schema) => !isConst(schema));
  const booleans = constants.filter((value) => typeof value === 'boolean');
  const texts = constants.filter((value) => typeof value !== 'boolean').sort(byText);
  const parts = [
    ...(booleans.length === 2 ? [{ type: 'boolean' }] : booleans.map((value) => ({ const: value }))),
    ...(texts.length > 1
      ? [{ ...(new Set(texts.map(constType)).size === 1 ? { type: constType(texts[0]) } : {}), enum: texts }]
      : texts.map((value) => ({ const: value }))),
    ...others,
  ];
  const distinct = [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()].sort(byText);
  return distinct.length === 1 ? distinct[0] : { anyOf: distinct };
}

/**
 * Writes JSON Schemas of TypeScript types, those with a name as `$defs`. Properties are open: a document may get more.
 * @param {ts.TypeChecker} checker
 */
export class TypeSchemas {
  constructor(checker) {
    this.checker = checker;
    this.defs = {};
    this.names = new Map();
  }

  /** The name of an object type that is declared by one; null for what is written out. */
  nameOf(type) {
    const symbol = type.aliasSymbol ?? type.symbol;
    const isGeneric = (type.aliasTypeArguments ?? type.typeArguments ?? []).length > 0;
    const [declaration] = symbol?.declarations ?? [];
    if (symbol === undefined || isGeneric || declaration === undefined) return null;
    const isNamed = ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration);
    return isNamed && !declaration.getSourceFile().fileName.includes('node_modules') ? symbol.name : null;
  }

  schemaOf(type) {
    const scalar = scalars.find(([flags]) => (type.flags & flags) !== 0 && !type.isUnion());
    if (scalar !== undefined) return scalar[1](type);
    const name = this.nameOf(type);
    if (name === null) return this.written(type);
    const known = this.names.get(type);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    let own = name;
    for (let count = 2; own in this.defs; count += 1) own = `${name}${count}`;
    this.names.set(type, own);
    // Held while it is written, for types that contain themselves.
    this.defs[own] = {};
    this.defs[own] = this.written(type);
    return { $ref: `#/$defs/${own}` };
  }

  written(type) {
    if (type.isUnion()) {
      return unionOf(type.types.filter((part) => !isAbsent(part)).map((part) => this.schemaOf(part)));
    }
    if (this.checker.isTupleType(type)) return this.tuple(type);
    if (this.checker.isArrayType(type)) {
      return { type: 'array', items: this.schemaOf(this.checker.getTypeArguments(type)[0]) };
    }
    // A text with a brand.
    if (type.isIntersection() && type.types.some((part) => part.flags & ts.TypeFlags.StringLike)) {
      return { type: 'string' };
    }
    return this.object(type);
  }

  tuple(type) {
    const parts = this.checker.getTypeArguments(type);
    const rest = type.target.combinedFlags & ts.ElementFlags.Rest;
    if (rest) return { type: 'array', items: unionOf(parts.map((part) => this.schemaOf(part))) };
    return {
      type: 'array',
      prefixItems: parts.map((part) => this.schemaOf(part)),
      minItems: type.target.minLength,
      maxItems: parts.length,
    };
  }

  object(type) {
    const properties = {};
    const required = [];
    for (const symbol of this.checker.getPropertiesOfType(type)) {
      const own = this.checker.getTypeOfSymbol(symbol);
      if (own.getCallSignatures().length > 0) continue;
      const what = ts
        .displayPartsToString(symbol.getDocumentationComment(this.checker))
        .replace(/\s+/g, ' ')
        .trim();
      const schema = this.schemaOf(own);
      properties[symbol.name] = what === '' ? schema : { description: what, ...schema };
      const parts = own.isUnion() ? own.types : [own];
      const mayBeAbsent =
        parts.some(isAbsent) || (own.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0;
      if ((symbol.flags & ts.SymbolFlags.Optional) === 0 && !mayBeAbsent) required.push(symbol.name);
    }
    const index = this.checker.getIndexInfoOfType(type, ts.IndexKind.String);
    return {
      type: 'object',
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(index === undefined ? {} : { additionalProperties: this.schemaOf(index.type) }),
    };
  }
}
