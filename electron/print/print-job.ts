import { resolve } from 'node:path';

export interface PrintJob {
  readonly htmlPath: string;
  readonly pdfPath: string;
}

/** `--print-pdf IN.html OUT.pdf` on the command line; null for the ordinary window. */
export function readPrintJob(argv: readonly string[]): PrintJob | 'incomplete' | null {
  const at = argv.indexOf('--print-pdf');
  if (at === -1) return null;
  const [htmlPath, pdfPath] = argv.slice(at + 1);
  return htmlPath === undefined || pdfPath === undefined
    ? 'incomplete'
    : { htmlPath: resolve(htmlPath), pdfPath: resolve(pdfPath) };
}
