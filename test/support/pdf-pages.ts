import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** One printed page as a reader sees it; `text` without the head and foot of each page. */
export interface PdfPage {
  /** Title and customer. */
  readonly head: string;
  /** Author and page number. */
  readonly foot: string;
  /** In reading order, one space between words. */
  readonly text: string;
  readonly lastLine: string;
  /** How far down the last line is, as a share of the page's height. */
  readonly filled: number;
  /** Words that reach into the margin at a side. */
  readonly outside: readonly string[];
  /** Points from the left; more than the margin where the printing shrank pages that something runs out of. */
  readonly leftmost: number;
}

interface Word {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The margins that hold head and foot; points. */
const headPt = 42;
const footPt = 42;
/** 14 mm, less what a glyph may reach over. */
const sidePt = 37;

const joined = (words: readonly { readonly text: string }[]): string =>
  words.map(({ text }) => text).join(' ');

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => entities[name] ?? '');

function wordsOf(page: string): readonly Word[] {
  const words = page.matchAll(
    /<word xMin="(-?[\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]*)<\/word>/g,
  );
  return [...words].map(([, left, top, right, bottom, text]) => ({
    text: decoded(text ?? ''),
    left: Number(left),
    right: Number(right),
    top: Number(top),
    bottom: Number(bottom),
  }));
}

/** Reads a PDF by poppler's pdftotext, which the tests install. */
export async function pdfPages(path: string): Promise<readonly PdfPage[]> {
  const options = { maxBuffer: 256 * 1024 ** 2 };
  const { stdout } = await promisify(execFile)('pdftotext', ['-bbox', path, '-'], options);
  return [...stdout.matchAll(/<page width="([\d.]+)" height="([\d.]+)">([\s\S]*?)<\/page>/g)].map(
    ([, widthText, heightText, body]) => {
      const [width, height] = [Number(widthText), Number(heightText)];
      const all = wordsOf(body ?? '');
      const isHead = ({ bottom }: Word) => bottom < headPt;
      const isFoot = ({ top }: Word) => top > height - footPt;
      const words = all.filter((word) => !isHead(word) && !isFoot(word));
      const lowest = Math.max(0, ...words.map(({ bottom }) => bottom));
      // Words of one line differ a little in height where their fonts do.
      const last = words.filter(({ top, bottom }) => top < lowest && bottom > lowest - 3);
      return {
        head: joined(all.filter(isHead)),
        foot: joined(all.filter(isFoot)),
        text: joined(words),
        lastLine: joined(last),
        filled: lowest / height,
        outside: words
          .filter(({ left, right }) => left < sidePt || right > width - sidePt)
          .map(({ text }) => text),
        leftmost: words.reduce((least, { left }) => Math.min(least, left), width),
      };
    },
  );
}
