import { cellText, type Column, titleWithUnit } from '../../contract/measured/column';
import { batchSize } from '../../contract/measured/columns';
import type { LoadPoint } from '../../contract/measured/results';
import type { ReportLevel } from '../report';

/** Makes harmful characters visible: control characters as pictures, direction overrides and the like as code points. */
function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  if ((code >= 0xd800 && code <= 0xdfff) || code >= 0xfffe) return '\ufffd';
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

/** Except tab, newline and joiners, which emoji and some scripts need. */
const unsafe = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffe\uffff]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Harmful characters made visible. */
export const plainText = (text: string): string => text.replace(unsafe, visible);

/** For elements and quoted attributes. */
function escapeText(text: string): string {
  return plainText(text).replace(/[&<>"'`]/g, (character) => entities[character] ?? '');
}

/** Created only by {@link markup} or from literals; strings never count as markup. */
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

/** Escapes all values except markup; joins lists. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, index) => text + render(parts[index] ?? null)).join(''));
}

const isAmount = ({ kind }: Pick<Column, 'kind'>): boolean => kind !== 'text';

/** Head of a table with these columns. */
export const tableHead = <Of>(columns: readonly Column<Of>[]): Markup =>
  markup`<thead><tr>${columns.map((column) =>
    isAmount(column)
      ? markup`<th class="n" title="${column.help}">${titleWithUnit(column)}</th>`
      : markup`<th title="${column.help}">${titleWithUnit(column)}</th>`,
  )}</tr></thead>`;

export const tableRow = <Of>(columns: readonly Column<Of>[], of: Of): Markup =>
  markup`
<tr>${columns.map((column) =>
    isAmount(column)
      ? markup`<td class="n">${cellText(column, of)}</td>`
      : markup`<td>${cellText(column, of)}</td>`,
  )}</tr>`;

/** Of a study: a row for each of what it measured. */
export const columnTable = <Of>(columns: readonly Column<Of>[], rows: readonly Of[]): Markup =>
  markup`<table class="matrix">${tableHead(columns)}<tbody>${rows.map((row) => tableRow(columns, row))}
</tbody></table>`;

export const headings = <Of>(columns: readonly Column<Of>[]): readonly Markup[] =>
  columns.map((column) => markup`<th class="n" title="${column.help}">${titleWithUnit(column)}</th>`);

export const cells = <Of>(columns: readonly Column<Of>[], of: Of): readonly Markup[] =>
  columns.map((column) => markup`<td class="n">${cellText(column, of)}</td>`);

/** Batch size, load, and cells of `rowsOf`; null without rows. @param load heading of the second column */
export function detailTable(
  rows: readonly ReportLevel[],
  title: string,
  head: readonly Markup[],
  rowsOf: (point: LoadPoint, level: ReportLevel) => readonly (readonly Markup[])[],
  { className = 'detail', load = 'Load' } = {},
): Markup | null {
  const found = rows.flatMap((row) =>
    row.point === null
      ? []
      : rowsOf(row.point, row).map(
          (cellsOfRow) => markup`
<tr><td class="n">${row.batchSize}</td><td class="n">${row.loadText}</td>${cellsOfRow}</tr>`,
        ),
  );
  if (found.length === 0) return null;
  return markup`<h3>${title}</h3>
<table class="${className}"><thead><tr><th class="n">${batchSize.title}</th><th class="n">${load}</th>${head}</tr></thead><tbody>${found}
</tbody></table>`;
}
