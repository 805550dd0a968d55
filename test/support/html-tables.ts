/** A cell of a table; `first`: the text of its first node, without what stands below or behind it. */
export interface HtmlCell {
  readonly tag: string;
  readonly classes: readonly string[];
  readonly title: string | null;
  readonly text: string;
  readonly first: string;
}

interface HtmlRow {
  readonly classes: readonly string[];
  readonly cells: readonly HtmlCell[];
}

export interface HtmlTable {
  readonly classes: readonly string[];
  readonly head: readonly HtmlRow[];
  readonly body: readonly HtmlRow[];
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#x27': "'",
  '#39': "'",
};

const decoded = (text: string): string =>
  text.replaceAll(/&([a-z]+|#\w+);/g, (entity, name: string) => {
    const character = entities[name];
    if (character === undefined) throw new Error(`The entity ${entity} is not known here`);
    return character;
  });
const textOf = (inner: string): string => decoded(inner.replaceAll(/<[^>]*>/g, ''));

/** The whole of the element that a text begins with. */
function firstElement(inner: string): string {
  let depth = 0;
  for (const { 0: tag, 1: closes, 2: closed, index } of inner.matchAll(/<(\/?)[a-z][^>]*?(\/?)>/g)) {
    if (closed === '') depth += closes === '' ? 1 : -1;
    if (depth === 0) return inner.slice(0, index + tag.length);
  }
  throw new Error(`An element is open: ${inner}`);
}

const attribute = (attributes: string, name: string): string | null => {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1];
  return value === undefined ? null : decoded(value);
};
const classesOf = (attributes: string): readonly string[] =>
  (attribute(attributes, 'class') ?? '').split(' ');

const rowsOf = (part: string): readonly HtmlRow[] =>
  [...part.matchAll(/<tr\b([^>]*)>(.*?)<\/tr>/gs)].map(([, attributes = '', row = '']) => ({
    classes: classesOf(attributes),
    cells: [...row.matchAll(/<(t[dh])\b([^>]*)>(.*?)<\/\1>/gs)].map(([, tag = '', of = '', inner = '']) => ({
      tag,
      classes: classesOf(of),
      title: attribute(of, 'title'),
      text: textOf(inner),
      first: textOf(inner.startsWith('<') ? firstElement(inner) : (/^[^<]*/.exec(inner)?.[0] ?? '')),
    })),
  }));

const partsOf = (table: string, name: 'thead' | 'tbody'): string =>
  [...table.matchAll(new RegExp(`<${name}\\b[^>]*>(.*?)</${name}>`, 'gs'))].map(([, part]) => part).join('');

/**
 * The tables of a page as our own renderers write it: every element is closed, and no table lies in another. A DOM takes
 * a hundred times as long for the thousands of cells of a report.
 */
export const tablesOf = (page: string): readonly HtmlTable[] =>
  [...page.matchAll(/<table\b([^>]*)>(.*?)<\/table>/gs)].map(([, attributes = '', table = '']) => ({
    classes: classesOf(attributes),
    head: rowsOf(partsOf(table, 'thead')),
    body: rowsOf(partsOf(table, 'tbody')),
  }));
