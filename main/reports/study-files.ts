import { join } from 'node:path';
import { toWire, type WireError } from '../contract/errors';
import { writeFileAtomic } from '../platform/files';

/** A file of a study's report. */
export interface StudyFile {
  readonly kind: string;
  readonly fileName: string;
  readonly content: string;
}

/** All formats but PDF of a report that is called `base`. */
export const reportFiles = (
  base: string,
  {
    page,
    csv,
    markdown,
    document,
  }: Readonly<Record<'page' | 'csv' | 'markdown', string>> & {
    readonly document: unknown;
  },
): readonly StudyFile[] => [
  { kind: 'html', fileName: `${base}.html`, content: page },
  { kind: 'csv', fileName: `${base}.csv`, content: csv },
  { kind: 'markdown', fileName: `${base}.md`, content: markdown },
  { kind: 'json', fileName: `${base}.json`, content: `${JSON.stringify(document, null, 2)}\n` },
];

export type PrintPdf = (htmlPath: string, pdfPath: string, signal: AbortSignal) => Promise<void>;

export interface WrittenStudy {
  readonly files: readonly { readonly kind: string; readonly path: string }[];
  /** Why there is no PDF, or null. */
  readonly problem: WireError | null;
}

/**
 * Writes the files, and prints the page last; each is replaced as a whole. Throws if a file cannot be written.
 * @param dir created if missing
 */
export async function writeStudyFiles(
  dir: string,
  files: readonly StudyFile[],
  printPdf: PrintPdf,
): Promise<WrittenStudy> {
  const written: { readonly kind: string; readonly path: string }[] = [];
  for (const { kind, fileName, content } of files) {
    const path = join(dir, fileName);
    await writeFileAtomic(path, content);
    written.push({ kind, path });
  }
  const page = written.find(({ kind }) => kind === 'html');
  if (page === undefined) return { files: written, problem: null };
  const pdf = page.path.replace(/\.html$/, '.pdf');
  try {
    await printPdf(page.path, pdf, new AbortController().signal);
    return { files: [...written, { kind: 'pdf', path: pdf }], problem: null };
  } catch (error) {
    return { files: written, problem: toWire(error) };
  }
}
