import { describe, expect, it } from 'vitest';
import { readPrintJob } from '../../../../electron/print/print-job';

describe('the command line of the app', () => {
  it('opens the window without --print-pdf', () => {
    expect(readPrintJob(['electron', '--no-sandbox', '.'])).toBeNull();
  });

  it('names both files of a print, as absolute paths', () => {
    expect(readPrintJob(['electron', '.', '--print-pdf', '/in.html', '/out/report.pdf'])).toEqual({
      htmlPath: '/in.html',
      pdfPath: '/out/report.pdf',
    });
    expect(readPrintJob(['electron', '.', '--print-pdf', 'in.html', 'out.pdf'])).toEqual({
      htmlPath: `${process.cwd()}/in.html`,
      pdfPath: `${process.cwd()}/out.pdf`,
    });
  });

  it('is incomplete with one file', () => {
    expect(readPrintJob(['electron', '.', '--print-pdf', 'in.html'])).toBe('incomplete');
  });
});
