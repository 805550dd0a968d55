/** Smaller ones are as readable where they are. */
const leastLetters = 300;

const isNode = (value) => typeof value === 'object' && value !== null;
const isShareable = (node) => !Array.isArray(node) && ('properties' in node || 'anyOf' in node);

/** Without what belongs to its place. */
const bare = (node) =>
  Object.fromEntries(Object.entries(node).filter(([name]) => name !== 'description' && name !== 'title'));
const textOf = (node) => JSON.stringify(bare(node));

function count(node, counts) {
  if (!isNode(node)) return;
  if (isShareable(node)) {
    const text = textOf(node);
    if (text.length >= leastLetters) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  for (const inner of Object.values(node)) count(inner, counts);
}

const nameOf = (key) => `${key.charAt(0).toUpperCase()}${key.slice(1)}`.replace(/\W/g, '');

/**
 * Schemas that are there more than once become definitions, named after the property that has them first.
 * @param {Readonly<Record<string, object>>} defs
 */
export function withShared(defs) {
  const counts = new Map();
  for (const schema of Object.values(defs)) count(schema, counts);
  const names = new Map();
  const added = {};
  const replaced = (node, key, isTop) => {
    if (!isNode(node)) return node;
    const within = () =>
      Array.isArray(node)
        ? node.map((inner) => replaced(inner, key, false))
        : Object.fromEntries(
            Object.entries(node).map(([name, inner]) => [
              name,
              // The names of properties and definitions, not of keywords.
              replaced(
                inner,
                ['items', 'anyOf', 'additionalProperties', 'properties'].includes(name) ? key : name,
                false,
              ),
            ]),
          );
    const text = !isTop && isShareable(node) ? textOf(node) : null;
    if (text === null || (counts.get(text) ?? 0) < 2) return within();
    const { description } = node;
    if (!names.has(text)) {
      let name = nameOf(key);
      for (let more = 2; name in defs || name in added; more += 1) name = `${nameOf(key)}${more}`;
      names.set(text, name);
      added[name] = {};
      added[name] = bare(within());
    }
    return { ...(description === undefined ? {} : { description }), $ref: `#/$defs/${names.get(text)}` };
  };
  const own = Object.fromEntries(
    Object.entries(defs).map(([name, schema]) => [name, replaced(schema, name, true)]),
  );
  return { ...own, ...added };
}
