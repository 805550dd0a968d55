import { expect, it } from 'vitest';
import { noPdfLine, reportLines } from '../../../../main/cli/print/report-lines';
import type { ReportFile } from '../../../../main/contract/run/run-events';

const file = (kind: ReportFile['kind'], path: string): ReportFile => ({ kind, path });

it('names the PDF with its path first, and what lies beside it by name', () => {
  expect(
    reportLines([
      file('html', '/runs/a/results/report.html'),
      file('csv-online', '/runs/a/results/online.csv'),
      file('pdf', '/runs/a/results/report.pdf'),
      file('json', '/elsewhere/report.json'),
    ]),
  ).toEqual([
    'Report: /runs/a/results/report.pdf',
    '  also there: report.html, online.csv, /elsewhere/report.json',
  ]);
});

it('names the page, or what there is, where nothing was printed as PDF', () => {
  const [csv, html] = [file('csv-online', '/r/online.csv'), file('html', '/r/report.html')];
  expect(reportLines([csv, html])).toEqual(['Report: /r/report.html', '  also there: online.csv']);
  expect(reportLines([csv])).toEqual(['Report: /r/online.csv']);
  expect(reportLines([])).toEqual([]);
});

it('says what keeps the PDF from being printed in one line', () => {
  expect(
    noPdfLine({
      code: 'toolchain-missing',
      message: 'Xvfb is not installed',
      remedy: 'Install it: apt-get install xvfb',
    }),
  ).toBe('  No PDF: Xvfb is not installed. Install it: apt-get install xvfb');
  expect(noPdfLine({ code: 'report-failed', message: 'Electron ended with exit code 1.' })).toBe(
    '  No PDF: Electron ended with exit code 1.',
  );
});
