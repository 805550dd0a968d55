import type { PagePlace } from '../../stores/help';

/** The Markdown that this program's documentation uses. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly string[] }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

export type Span =
  | { readonly kind: 'text' | 'code' | 'strong'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly to: string };

const item = /^\s*(?:[-*]|(\d+)\.)\s+(.*)$/;
const cellsOf = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

function takeCode(lines: readonly string[], from: number): [Block, number] {
  const end = lines.findIndex((line, index) => index > from && line.trimStart().startsWith('```'));
  const to = end === -1 ? lines.length : end;
  return [{ kind: 'code', text: lines.slice(from + 1, to).join('\n') }, to + 1];
}

function takeTable(lines: readonly string[], from: number): [Block, number] {
  let to = from + 2;
  while (lines[to]?.trim().startsWith('|') === true) to += 1;
  const rows = lines.slice(from + 2, to).map(cellsOf);
  return [{ kind: 'table', head: cellsOf(lines[from] ?? ''), rows }, to];
}

function takeList(lines: readonly string[], from: number): [Block, number] {
  const items: string[] = [];
  const ordered = item.exec(lines[from] ?? '')?.[1] !== undefined;
  let to = from;
  for (; (lines[to] ?? '').trim() !== ''; to += 1) {
    const begun = item.exec(lines[to] ?? '');
    if (begun !== null) items.push(begun[2] ?? '');
    else items.push(`${items.pop() ?? ''} ${(lines[to] ?? '').trim()}`);
  }
  return [{ kind: 'list', ordered, items }, to];
}

function takeParagraph(lines: readonly string[], from: number): [Block, number] {
  let to = from;
  const starts = /^(?:#{1,6} |```|\|)/;
  do to += 1;
  while (to < lines.length && (lines[to] ?? '').trim() !== '' && !starts.test(lines[to] ?? ''));
  return [{ kind: 'paragraph', text: lines.slice(from, to).join(' ') }, to];
}

/** Pictures are left out: they are not in the package. */
export function parseMarkdown(text: string): readonly Block[] {
  const lines = text.split('\n').filter((line) => !/^!\[[^\]]*\]\([^)]*\)\s*$/.test(line));
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    const heading = /^(#{1,6}) +(.+)$/.exec(line);
    let taken: [Block | null, number] = [null, at + 1];
    if (heading !== null) {
      taken = [{ kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' }, at + 1];
    } else if (line.trimStart().startsWith('```')) taken = takeCode(lines, at);
    else if (line.startsWith('|') && /^\|[\s:|-]+\|?$/.test(lines[at + 1] ?? ''))
      taken = takeTable(lines, at);
    else if (item.test(line)) taken = takeList(lines, at);
    else if (line.trim() !== '') taken = takeParagraph(lines, at);
    if (taken[0] !== null) blocks.push(taken[0]);
    at = taken[1];
  }
  return blocks;
}

export function parseSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  const marked = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;
  let from = 0;
  for (const found of text.matchAll(marked)) {
    if (found.index > from) spans.push({ kind: 'text', text: text.slice(from, found.index) });
    const [whole, code, strong, label, to] = found;
    if (code !== undefined) spans.push({ kind: 'code', text: code });
    else if (strong !== undefined) spans.push({ kind: 'strong', text: strong });
    else spans.push({ kind: 'link', text: (label ?? '').replaceAll('`', ''), to: to ?? '' });
    from = found.index + whole.length;
  }
  return from < text.length ? [...spans, { kind: 'text', text: text.slice(from) }] : spans;
}

/** null: not a page of the documentation. */
export function linkedPage(from: string, to: string): PagePlace | null {
  const [path = '', heading = null] = to.split('#');
  if (path === '') return { page: from, heading };
  if (/^[a-z]+:/i.test(path) || !path.endsWith('.md')) return null;
  const parts = from.split('/').slice(0, -1);
  for (const part of path.slice(0, -'.md'.length).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.length === 2 ? { page: parts.join('/'), heading } : null;
}

/** As GitHub names anchors: "Ports and addresses" is "ports-and-addresses". */
export const headingName = (text: string): string =>
  text
    .replace(/\[([^\]]+)\]\([^)\s]+\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
