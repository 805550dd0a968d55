import MiniSearch from 'minisearch';
import type { Document } from '../../../main/contract/calls/application-calls';
import type { PagePlace } from '../../stores/help';
import { type Block, headingName, parseMarkdown, parseSpans } from './markdown';

interface Section {
  readonly id: number;
  readonly place: PagePlace;
  readonly title: string;
  /** '' above the first heading of an article. */
  readonly heading: string;
  readonly text: string;
}

/** A part of a text, and whether it is one of the words that were searched for. */
export type Excerpt = readonly { readonly text: string; readonly found: boolean }[];

export interface SearchResult {
  readonly place: PagePlace;
  readonly title: string;
  readonly heading: string;
  readonly excerpt: Excerpt;
}

const mostResults = 30;
const sectionsAtOnce = 25;
/** Characters around the first word that was found. */
const excerptBefore = 40;
const excerptLength = 160;

const plain = (text: string): string =>
  parseSpans(text)
    .map((span) => span.text)
    .join('');

function textOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return plain(block.text);
    case 'code':
      return block.text;
    case 'list':
      return block.items.map(plain).join(' ');
    case 'table':
      return [block.head, ...block.rows].map((cells) => cells.map(plain).join(' ')).join(' ');
  }
}

function sectionsOf({ id: page, title, text }: Document): readonly Omit<Section, 'id'>[] {
  const sections: { heading: string; name: string | null; texts: string[] }[] = [];
  for (const block of parseMarkdown(text)) {
    if (block.kind === 'heading' && block.level > 1) {
      sections.push({ heading: plain(block.text), name: headingName(block.text), texts: [] });
    } else if (block.kind !== 'heading') {
      if (sections.length === 0) sections.push({ heading: '', name: null, texts: [] });
      sections.at(-1)?.texts.push(textOf(block));
    }
  }
  return sections.map(({ heading, name, texts }) => ({
    place: { page, heading: name },
    title,
    heading,
    text: texts.join(' '),
  }));
}

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function excerptOf(text: string, terms: readonly string[]): Excerpt {
  const words =
    terms.length === 0 ? null : new RegExp(`(?<![\\p{L}\\p{N}])(${terms.map(escaped).join('|')})`, 'giu');
  const first = words === null ? -1 : text.search(words);
  const from = first <= excerptBefore ? 0 : text.indexOf(' ', first - excerptBefore) + 1;
  const long = from + excerptLength < text.length;
  const to = long ? text.lastIndexOf(' ', from + excerptLength) : text.length;
  const cut = text.slice(from, to);
  const parts = (words === null ? [cut] : cut.split(words)).map((part, index) => ({
    text: part,
    found: index % 2 === 1,
  }));
  return [
    ...(from > 0 ? [{ text: '… ', found: false }] : []),
    ...parts.filter((part) => part.text !== ''),
    ...(long ? [{ text: ' …', found: false }] : []),
  ];
}

/** The guide before what lists everything. */
function weight(page: string): number {
  if (page.startsWith('about/')) return 0.2;
  return page.startsWith('reference/') ? 0.6 : 1;
}

/** Finds the sections that have every word, or the beginning of it, the best first. */
export type Find = (text: string) => readonly SearchResult[];

/** Reads every article: a tenth of a second in all, in parts between which the window is drawn. */
export async function searchOf(documents: readonly Document[]): Promise<Find> {
  const sections = documents.flatMap(sectionsOf).map((section, id): Section => ({ ...section, id }));
  const index = new MiniSearch<Section>({
    fields: ['title', 'heading', 'text'],
    searchOptions: {
      boost: { title: 3, heading: 4 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
      boostDocument: (id) => weight(sections[Number(id)]?.place.page ?? ''),
    },
  });
  await index.addAllAsync(sections, { chunkSize: sectionsAtOnce });
  return (text) =>
    index
      .search(text)
      .slice(0, mostResults)
      .flatMap(({ id, terms }) => {
        const section = sections[Number(id)];
        if (section === undefined) return [];
        const { place, title, heading } = section;
        return [{ place, title, heading, excerpt: excerptOf(section.text, terms) }];
      });
}
