import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { dockerEngineSchema } from '../../../main/contract/run/run-spec';
import { reportParts, reportSections } from '../../../main/contract/settings/report-settings';
import type { MatrixResult } from '../../../main/domain/measured/matrix-result';
import { writeMatrixReport } from '../../../main/reports/matrix-report';
import { defaultReportSettings as settings } from '../../../main/reports/report-settings';
import { hostileStrings } from '../../support/hostile-strings';
import { parseCsv } from '../../support/parse-csv';
import { completeState, sourceFixture, specFixture } from '../../support/run-state';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'matrix-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

const shared = { axes: [], spec: specFixture(), state: null, leftOut: null, error: null };
const results: readonly MatrixResult[] = [
  { ...shared, number: 1, state: completeState() },
  { ...shared, number: 2, leftOut: '=HYPERLINK("x")' },
];
const input = () => ({
  name: 'night',
  generatedAt: '2025-11-21T08:30:00.000Z',
  dir: join(dir, 'night'),
  results,
  settings,
});
const print = async (html: string, pdf: string) => {
  await writeFile(pdf, await readFile(html));
};
const content = (name: string): Promise<string> => readFile(join(dir, 'night', name), 'utf8');

describe('the report of a matrix', () => {
  it('is written in every format, a row per run', async () => {
    const { files, problem } = await writeMatrixReport({ ...input(), printPdf: print });
    expect(problem).toBeNull();
    expect(files.map(({ kind }) => kind)).toEqual(['html', 'csv', 'json', 'pdf']);
    expect((await readdir(join(dir, 'night'))).sort()).toEqual(
      ['matrix.csv', 'matrix.html', 'matrix.json', 'matrix.pdf'].sort(),
    );
    const [header = [], ...rows] = parseCsv(await content('matrix.csv'));
    expect(header).toContain('Offline Inferences/Second');
    expect(rows.map((row) => row[header.indexOf('State')])).toEqual(['Complete', 'Left out']);
    // What is missing is an empty cell, and no cell is a formula.
    expect(rows[1]?.[header.indexOf('Offline p99 latency (ms)')]).toBe('');
    expect(rows[1]?.[header.indexOf('Reason')]).toBe(`'=HYPERLINK("x")`);
    const json = JSON.parse(await content('matrix.json')) as {
      name: string;
      runs: { runId: string | null }[];
    };
    expect([json.name, json.runs.map(({ runId }) => runId)]).toEqual([
      'night',
      [completeState().runId, null],
    ]);
  });

  it('lists levels by the lengths of their texts in a section and a file of its own', async () => {
    const of = (number: number, value: string): MatrixResult => ({
      ...{ ...shared, number, state: completeState() },
      axes: [{ field: 'performance.lengthDistribution', value }],
    });
    const { files } = await writeMatrixReport({
      ...input(),
      results: [of(1, '32'), of(2, '64')],
      printPdf: print,
    });
    expect(files.map(({ path }) => basename(path))).toContain('matrix-by-length.csv');
    expect(await content('matrix.html')).toContain('<h2>By length</h2>');
    const [header = [], ...rows] = parseCsv(await content('matrix-by-length.csv'));
    const lengths = header.indexOf('Lengths of texts');
    expect(rows.slice(0, 4).map((row) => [row[header.indexOf('Batch')], row[lengths]])).toEqual([
      ['1', '32'],
      ['1', '64'],
      ['2', '32'],
      ['2', '64'],
    ]);
    // A later report without lengths leaves none behind.
    await writeMatrixReport({ ...input(), printPdf: print });
    expect(await readdir(join(dir, 'night'))).not.toContain('matrix-by-length.csv');
  });

  it('compares by GPU in a section, charts and a file of its own where several measured', async () => {
    const on = (host: string): MatrixResult['state'] => {
      const state = completeState();
      const engine = dockerEngineSchema.parse({ kind: 'docker', host });
      return { ...state, source: sourceFixture({ ...state.source.spec, engine }) };
    };
    const of = (number: number, host: string): MatrixResult => ({
      ...{ ...shared, number, state: on(host) },
      axes: [{ field: 'engine.host', value: host }],
    });
    const two = [of(1, 'a'), of(2, 'b')];
    const { files } = await writeMatrixReport({ ...input(), results: two, printPdf: print });
    expect(files.map(({ path }) => basename(path))).toEqual([
      'matrix.html',
      'matrix.csv',
      'matrix-by-gpu.csv',
      'matrix.json',
      'matrix.pdf',
    ]);
    const html = await content('matrix.html');
    expect(html).toContain('<h2>By GPU</h2>');
    expect(html.match(/<svg/g)).toHaveLength(2);
    expect(html).toContain('scope="rowgroup">CPU of b</th>');
    const [header = [], ...rows] = parseCsv(await content('matrix-by-gpu.csv'));
    const cells = (name: string) => rows.map((row) => row[header.indexOf(name)]);
    expect(cells('Measured on')).toEqual(['CPU of a', 'CPU of b']);
    expect(cells('Offline throughput, relative')).toEqual(['', '1']);
    const [, second = ''] = cells('Offline Inferences/Second');
    const [all = [], ...runs] = parseCsv(await content('matrix.csv'));
    expect(runs[1]?.[all.indexOf('Offline Inferences/Second')]).toBe(second);
    // One GPU measured all: nothing to compare, and no file of an earlier report is left.
    const one = await writeMatrixReport({ ...input(), results: two.slice(1), printPdf: print });
    expect(one.files.map(({ kind }) => kind)).toEqual(['html', 'csv', 'json', 'pdf']);
    expect(await content('matrix.html')).not.toContain('By GPU');
    expect(await readdir(join(dir, 'night'))).not.toContain('matrix-by-gpu.csv');
  });

  it('has for whom it is, and the contents chosen; why a run is left out is always there', async () => {
    const chosen = { ...settings, customer: 'ACME', without: [...reportSections] };
    await writeMatrixReport({ ...input(), settings: chosen, printPdf: print });
    const some = await content('matrix.html');
    expect(some).toContain('Prepared for ACME');
    expect(some).not.toContain('<table class="matrix">');
    expect(some).toContain('=HYPERLINK(&quot;x&quot;)');
    await writeMatrixReport({
      ...input(),
      results: results.slice(0, 1),
      settings: { ...chosen, without: [...reportParts.record] },
      printPdf: print,
    });
    const other = await content('matrix.html');
    expect(other).toContain('<table class="matrix">');
    expect(other).not.toContain('<h2>Runs</h2>');
  });

  it('keeps the other files where there is nothing to print with, and says why', async () => {
    const printPdf = () => Promise.reject(new WorkbenchError('toolchain-missing', 'No Electron'));
    const { files, problem } = await writeMatrixReport({ ...input(), printPdf });
    expect(problem).toMatchObject({ code: 'toolchain-missing', message: 'No Electron' });
    expect(files.map(({ kind }) => kind)).toEqual(['html', 'csv', 'json']);
  });

  it.each(hostileStrings)('shows %j and obeys it nowhere', async (text) => {
    const hostile = [{ ...shared, number: 1, axes: [{ field: text, value: text }], leftOut: text }];
    await writeMatrixReport({ ...input(), results: hostile, printPdf: print });
    const html = await content('matrix.html');
    expect(html.match(/<script|<img|<svg/g)).toBeNull();
    expect(html.match(/<tr>/g)).toHaveLength(4);
  });
});
