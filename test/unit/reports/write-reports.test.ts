import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { reportFileSchema } from '../../../main/contract/run/run-events';
import { checkExporters, exporters } from '../../../main/reports/exporters';
import { toReport } from '../../../main/reports/to-report';
import { writeReports } from '../../../main/reports/write-reports';
import { coldFixture } from '../../support/cold-state';
import { completeState, runCreated } from '../../support/run-state';
import { slicedState } from '../../support/sliced-state';

const context = { generatedAt: '2025-11-21T08:30:00.000Z' };

/** Stands in for the browser: notes what it was asked to print. */
const copyPrinter = async (htmlPath: string, pdfPath: string): Promise<void> => {
  await writeFile(pdfPath, `printed from ${(await readFile(htmlPath, 'utf8')).length} characters`);
};

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'reports-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

describe('the registry of report formats', () => {
  it('refuses an id that stands twice', () => {
    const [first] = exporters;
    if (first === undefined) throw new Error('There is a report format');
    expect(() => checkExporters([first, first])).toThrow(/registered twice/);
  });

  it('has one for every kind of report file but the PDF', () => {
    const kinds = reportFileSchema.shape.kind.options.filter((kind) => kind !== 'pdf');
    expect(exporters.map(({ id }) => id).sort()).toEqual([...kinds].sort());
  });

  it.each(exporters.map((exporter) => [exporter.id, exporter] as const))(
    '%s renders a complete run and an empty one under the same name',
    (_id, exporter) => {
      const complete = { ...slicedState(), coldStart: coldFixture };
      const files = [complete, runCreated()].map((state) =>
        exporter.render({ state, report: toReport(state, context) }),
      );
      expect(files[0]?.content.length).toBeGreaterThan(100);
      expect(files[1]?.content.length).toBeGreaterThan(0);
      expect(files[0]?.fileName).toMatch(/^[a-z-]+\.(html|csv|json|md)$/);
      expect(files[1]?.fileName).toBe(files[0]?.fileName);
    },
  );

  it('gives the JSON the points as they stand in the journal', () => {
    const state = completeState();
    const json = exporters.find(({ id }) => id === 'json');
    const content = JSON.parse(json?.render({ state, report: toReport(state, context) }).content ?? '') as {
      offline: { points: unknown[] };
      online: { points: unknown[]; missing: unknown[] };
      status: string;
    };
    expect(content.offline.points).toEqual(state.scenarios.offline.points.map(({ point }) => point));
    expect(content.online.missing).toMatchObject([{ batchSize: 1, concurrency: 32 }]);
    expect(content.status).toBe('done');
  });
});

describe('writeReports', () => {
  const input = () => ({ state: completeState(), context, dir, signal: new AbortController().signal });

  it('writes no file of time slices or traced requests where no level has any', async () => {
    const files = await writeReports({ ...input(), printPdf: copyPrinter });
    expect(files.map(({ kind }) => kind)).not.toContain('csv-slices');
    expect(files.map(({ kind }) => kind)).not.toContain('csv-traces');
  });

  it('writes every file and says where', async () => {
    const sliced = slicedState();
    const key = sliced.scenarios.online.points[0]?.key ?? '';
    const levels = [{ key, slow: [], problem: 'Triton wrote no trace' }];
    const state = { ...sliced, coldStart: coldFixture, traces: { pending: null, levels } };
    const files = await writeReports({ ...input(), state, printPdf: copyPrinter });
    expect(files.map(({ kind }) => kind).sort()).toEqual([...reportFileSchema.shape.kind.options].sort());
    for (const { path } of files) expect((await readFile(path)).length).toBeGreaterThan(0);
    expect((await readdir(dir)).sort()).toEqual(
      [
        'accuracy.csv',
        'cold-start.csv',
        'offline.csv',
        'online.csv',
        'report.html',
        'report.json',
        'report.md',
        'report.pdf',
        'slow-requests.csv',
        'time-slices.csv',
      ].sort(),
    );
  });

  it('leaves the other files when printing fails, and passes the reason on', async () => {
    const printPdf = () => Promise.reject(new WorkbenchError('toolchain-missing', 'No Electron'));
    await expect(writeReports({ ...input(), printPdf })).rejects.toMatchObject({ code: 'toolchain-missing' });
    expect(await readdir(dir)).toContain('report.html');
    expect(await readdir(dir)).toContain('offline.csv');
  });

  it('writes all but the PDF where a machine has no printer, and leaves no former one', async () => {
    await writeReports({ ...input(), printPdf: copyPrinter });
    const said: string[] = [];
    const onNoPrinter = ({ message }: { readonly message: string }) => void said.push(message);
    const failing = (code: 'toolchain-missing' | 'report-failed') => ({
      ...input(),
      onNoPrinter,
      printPdf: () => Promise.reject(new WorkbenchError(code, 'No Electron')),
    });
    const files = await writeReports(failing('toolchain-missing'));
    expect(files.map(({ kind }) => kind)).not.toContain('pdf');
    expect(files).toHaveLength(6);
    expect(await readdir(dir)).not.toContain('report.pdf');
    expect(said).toEqual(['No Electron']);
    await expect(writeReports(failing('report-failed'))).rejects.toMatchObject({ code: 'report-failed' });
  });

  it('stops when it is asked to', async () => {
    const signal = AbortSignal.abort();
    await expect(writeReports({ ...input(), signal, printPdf: copyPrinter })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(await readdir(dir)).toEqual([]);
  });
});
