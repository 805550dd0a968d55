import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunState } from '../../../main/contract/run/run-state';
import { createElectronPrinter } from '../../../main/platform/electron-printer';
import { defaultHome, homeLayout } from '../../../main/platform/layout';
import { writeReports } from '../../../main/reports/write-reports';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../test/support/run-state';
import { exitCodeOf, factTable, type Judged, judgedTable, option, rangeText, say } from '../bench-facts';
import { median } from '../pairs';

const levels = Number(option('levels', '10000'));
const repeats = Number(option('repeats', '3'));
const outFile = option('out', '');
const mostSeconds = 3;
/** What a reader waits for a document of that many pages, and the printer's deadline is 90 s. */
const mostPdfSeconds = 60;

const seconds = (sinceMs: number): number => (performance.now() - sinceMs) / 1000;

/** A finished run of so many levels of the online sweep, a tenth of them not steady. */
function runOf(count: number): RunState {
  const concurrency = Array.from({ length: count }, (_unused, index) => index + 1);
  const spec = specFixture((value) => {
    value.performance.concurrency = concurrency;
  });
  return stateOf([
    ...createdBodies(spec),
    ...concurrency.map((load) =>
      measurementBody(
        'online',
        pointFixture({
          concurrency: load,
          inferencesPerSecond: 2000 * (1 - Math.exp(-load / 300)),
          p99Us: 4000 + load * 3,
          ...(load % 10 === 0 ? { stable: false, flags: ['unstable' as const] } : {}),
        }),
      ),
    ),
    { type: 'run-finished', outcome: 'done' },
  ]);
}

const dir = await mkdtemp(join(tmpdir(), 'workbench-report-bench-'));
try {
  const state = runOf(levels);
  const { electron } = homeLayout(defaultHome(process.env));
  const print = createElectronPrinter({ electron, app: option('app', '.'), env: process.env });
  const files: number[] = [];
  const cpu: number[] = [];
  const pdfs: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const startMs = performance.now();
    const startCpu = process.cpuUsage();
    let printMs = startMs;
    await writeReports({
      state,
      context: { generatedAt: new Date().toISOString() },
      dir,
      signal: new AbortController().signal,
      printPdf: async (...args) => {
        files.push(seconds(startMs));
        const { user, system } = process.cpuUsage(startCpu);
        cpu.push((user + system) / 1e6);
        printMs = performance.now();
        await print(...args);
      },
    });
    pdfs.push(seconds(printMs));
    say(`${repeat + 1} of ${repeats}: files ${files.at(-1)?.toFixed(2)} s, PDF ${pdfs.at(-1)?.toFixed(2)} s`);
  }
  const html = (await stat(join(dir, 'report.html'))).size / 2 ** 20;
  const rows: readonly Judged[] = [
    {
      name: 'HTML, CSV, JSON and Markdown',
      value: `${rangeText(files, 2)} s`,
      limit: `at most ${mostSeconds} s`,
      kept: median(files) <= mostSeconds,
    },
    {
      name: 'PDF from the HTML',
      value: `${rangeText(pdfs, 2)} s`,
      limit: `at most ${mostPdfSeconds} s`,
      kept: median(pdfs) <= mostPdfSeconds,
    },
    { name: 'Processor time of the files', value: `${rangeText(cpu, 2)} s`, limit: '', kept: true },
    { name: 'HTML', value: `${html.toFixed(1)} MiB`, limit: '', kept: true },
  ];
  const document = [
    '# The report of a long sweep',
    '',
    `Written by \`npm run bench -- report\`. A run of ${levels} levels, a tenth of them not steady, is written in every format by the`,
    'code of the pipeline: first the files, then the PDF, which Electron prints from the HTML. Median [lowest–highest].',
    '',
    ...factTable('not used', [['Repeats', String(repeats)]]),
    '',
    ...judgedTable(rows),
    '',
  ].join('\n');
  say(`\n${document}`);
  if (outFile !== '') await writeFile(outFile, document);
  process.exitCode = exitCodeOf(rows);
} finally {
  await rm(dir, { recursive: true, force: true });
}
