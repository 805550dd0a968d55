import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** One printed page as a reader sees it, without the page number at its foot. */
export interface PdfPage {
  /** In reading order, one space between words. */
  readonly text: string;
  readonly lastLine: string;
  /** How far down the last line is, as a share of the page's height. */
  readonly filled: number;
}

interface Word {
  readonly text: string;
  readonly top: number;
  readonly bottom: number;
}

/** The margin that holds the page number; points. */
const footPt = 44;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => entities[name] ?? '');

function wordsOf(page: string): readonly Word[] {
  const words = page.matchAll(
    /<word xMin="[\d.]+" yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">([^<]*)<\/word>/g,
  );
  return [...words].map(([, top, bottom, text]) => ({
    text: decoded(text ?? ''),
    top: Number(top),
    bottom: Number(bottom),
  }));
}

/** Reads a PDF by poppler's pdftotext, which the tests install. */
export async function pdfPages(path: string): Promise<readonly PdfPage[]> {
  const options = { maxBuffer: 256 * 1024 ** 2 };
  const { stdout } = await promisify(execFile)('pdftotext', ['-bbox', path, '-'], options);
  return [...stdout.matchAll(/<page width="[\d.]+" height="([\d.]+)">([\s\S]*?)<\/page>/g)].map(
    ([, heightText, body]) => {
      const height = Number(heightText);
      const words = wordsOf(body ?? '').filter(({ bottom }) => bottom < height - footPt);
      const lowest = Math.max(0, ...words.map(({ bottom }) => bottom));
      // Words of one line differ a little in height where their fonts do.
      const last = words.filter(({ top, bottom }) => top < lowest && bottom > lowest - 3);
      return {
        text: words.map(({ text }) => text).join(' '),
        lastLine: last.map(({ text }) => text).join(' '),
        filled: lowest / height,
      };
    },
  );
}
