/**
 * A character that would change how its neighbours are read, or that cannot stand in a document, is shown instead of
 * obeyed: control characters as their pictures, direction overrides and the like by their number.
 */
function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  if ((code >= 0xd800 && code <= 0xdfff) || code >= 0xfffe) return '\ufffd';
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

/** All but tab, newline and the joiners inside emoji and some scripts. */
const unsafe = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffe\uffff]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Text for an element or a quoted attribute: inert, and nothing of it invisible. */
function escapeText(text: string): string {
  return text.replace(unsafe, visible).replace(/[&<>"'`]/g, (character) => entities[character] ?? '');
}

/** Markup made by {@link markup} or by the workbench itself; a plain string can never be taken for it. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = string | number | Markup | null | readonly (string | number | Markup | null)[];

function render(part: Part): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string') return escapeText(part);
  if (typeof part === 'number') return String(part);
  return part.map(render).join('');
}

/** Template tag: every value is escaped unless it is markup itself; lists are joined. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, index) => text + render(parts[index] ?? null)).join(''));
}
