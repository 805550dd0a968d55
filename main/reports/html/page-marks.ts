import { clipped } from '../../contract/words';
import { type Markup, markup } from './markup';

/** Head and foot of each page, which fit one line. */
export const longestMarks = { title: 90, name: 48 } as const;

/** What a page says of itself: on paper in the head and foot of each, in the file as its properties. */
export interface PageMarks {
  readonly title: string;
  readonly customer: string;
  readonly author: string;
  readonly landscape: boolean;
}

/** "Prepared for ACME by Jane Doe"; null without either. */
export function preparedText({ customer, author }: Pick<PageMarks, 'customer' | 'author'>): string | null {
  const words = [customer === '' ? '' : `for ${customer}`, author === '' ? '' : `by ${author}`].filter(
    Boolean,
  );
  return words.length === 0 ? null : `Prepared ${words.join(' ')}`;
}

export const footOf = ({ author }: Pick<PageMarks, 'author'>): string =>
  author === '' ? 'Triton Workbench' : `${clipped(author, longestMarks.name)} · Triton Workbench`;

/** Head and foot as the printing of Chromium before 131 takes them, which enlarges templates by a third. */
export function marginTemplates({ title, customer, author }: PageMarks): {
  readonly header: string;
  readonly footer: string;
} {
  const line = (left: Markup, right: Markup) =>
    markup`<div style="width:100%;margin:0 10.5mm;display:flex;justify-content:space-between;font:5.25pt sans-serif;color:#52606d"><span>${left}</span><span>${right}</span></div>`
      .text;
  const page = markup`Page <span class="pageNumber"></span> of <span class="totalPages"></span>`;
  return {
    header: line(
      markup`${clipped(title, longestMarks.title)}`,
      markup`${clipped(customer, longestMarks.name)}`,
    ),
    footer: line(markup`${footOf({ author })}`, page),
  };
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#96': '`',
};

const decoded = (text: string): string =>
  text.replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole);

/** Those of a page that `htmlPage` made; empty for others. */
export function pageMarks(html: string): PageMarks {
  const head = html.slice(0, Math.max(0, html.indexOf('<style>')));
  const meta = (name: string): string =>
    decoded(new RegExp(`<meta name="${name}" content="([^"]*)">`).exec(head)?.[1] ?? '');
  return {
    title: decoded(/<title>([^<]*)<\/title>/.exec(head)?.[1] ?? ''),
    customer: meta('customer'),
    author: meta('author'),
    landscape: meta('paper') === 'landscape',
  };
}
