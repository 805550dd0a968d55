import { appendFile, cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { ReportFile } from '../../../../main/contract/run/run-events';
import { type Core, createCore } from '../../../../main/core';
import { formatJournalLine, readJournal } from '../../../../main/store/journal';
import { readerBundle } from '../../../support/reader-bundle';
import { completeBodies, journalFixture } from '../../../support/run-state';

let root: string;
let home: string;
const cores: Core[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-report-calls-'));
  home = join(root, 'home');
});
afterEach(async () => {
  for (const core of cores.splice(0)) await core.close();
  await rm(root, { recursive: true, force: true });
});

async function coreAt(at: string, printPdf: typeof cp = cp): Promise<Core> {
  const core = await createCore({
    home: at,
    resources: 'resources',
    version: 'test',
    env: { PATH: process.env['PATH'], DOCKER_HOST: `unix://${at}/none.sock` },
    workerFile: '/nowhere/load-worker.cjs',
    readerFile: await readerBundle(),
    // Copied, not printed: what matters here is where the file is.
    printPdf: (html, pdf) => printPdf(html, pdf),
    electron: null,
  });
  cores.push(core);
  return core;
}

const created = journalFixture(completeBodies())[0];
const runId = created?.type === 'run-created' ? created.runId : '';
const results = (at = home) => join(at, 'runs', runId, 'results');

/** A finished run whose journal names these reports, and a file of each name in its results. */
async function placeRun(files: readonly ReportFile[]): Promise<void> {
  const entries = journalFixture([
    ...completeBodies().filter(({ type }) => type !== 'report'),
    { type: 'report', files: [...files] },
    { type: 'run-finished', outcome: 'done' },
  ]);
  await mkdir(results(), { recursive: true });
  for (const entry of entries) {
    await appendFile(join(results(), '..', 'journal.jsonl'), `${formatJournalLine(entry)}\n`);
  }
  for (const name of ['report.pdf', 'report.html', 'evil.desktop'])
    await writeFile(join(results(), name), name);
}

describe('the path of a report', () => {
  it.each([
    '/etc/passwd',
    '/etc/report.pdf',
    '../../../../report.pdf',
    'deep/report.pdf',
    '..',
    '.',
    '',
    'evil.desktop',
    '/anywhere/results/evil.desktop',
    '/anywhere/results/../report.pdf',
    '/anywhere/results/../../results/report.pdf',
    'report.html',
  ])('is refused where the journal names %j', async (path) => {
    await placeRun([{ kind: 'pdf', path }]);
    const core = await coreAt(home);
    await expect(core.handlers['runs.reportPath']({ runId, kind: 'pdf' })).rejects.toMatchObject({
      code: 'report-failed',
      where: join(home, 'runs', runId, 'journal.jsonl'),
    });
    expect((await core.handlers['runs.show']({ runId })).state.reports).toEqual([]);
  });

  it.each(['report.pdf', '/old/home/runs/any/results/report.pdf'])(
    'is in the folder of the run where the journal names %j',
    async (path) => {
      await placeRun([{ kind: 'pdf', path }]);
      const core = await coreAt(home);
      const own = join(results(), 'report.pdf');
      expect(await core.handlers['runs.reportPath']({ runId, kind: 'pdf' })).toBe(own);
      expect((await core.handlers['runs.show']({ runId })).state.reports).toEqual([
        { kind: 'pdf', path: own },
      ]);
    },
  );

  it('is refused where the report is a link, or its folder', async () => {
    await placeRun([{ kind: 'pdf', path: 'report.pdf' }]);
    const core = await coreAt(home);
    const report = join(results(), 'report.pdf');
    await writeFile(join(root, 'secret'), '');
    await rm(report);
    await symlink(join(root, 'secret'), report);
    await expect(core.handlers['runs.reportPath']({ runId, kind: 'pdf' })).rejects.toMatchObject({
      code: 'report-failed',
      where: report,
    });
    await rm(report);
    await expect(core.handlers['runs.reportPath']({ runId, kind: 'pdf' })).rejects.toMatchObject({
      code: 'report-failed',
      where: report,
    });
    await writeFile(report, '');
    await rename(results(), join(root, 'elsewhere'));
    await symlink(join(root, 'elsewhere'), results());
    await expect(core.handlers['runs.reportPath']({ runId, kind: 'pdf' })).rejects.toMatchObject({
      code: 'report-failed',
      where: report,
    });
  });
});

it('writes names into the journal, so that a moved or copied home opens its own report', async () => {
  await placeRun([]);
  const core = await coreAt(home);
  const files = await core.handlers['runs.writeReports']({ runId });
  expect(files.find(({ kind }) => kind === 'pdf')?.path).toBe(join(results(), 'report.pdf'));
  const { entries } = await readJournal(join(results(), '..', 'journal.jsonl'));
  const last = entries.filter(({ type }) => type === 'report').at(-1);
  expect(last).toMatchObject({
    files: expect.arrayContaining([{ kind: 'pdf', path: 'report.pdf' }]) as unknown,
  });
  expect(JSON.stringify(last)).not.toContain(root);

  const copy = join(root, 'copy');
  await cp(home, copy, { recursive: true });
  await writeFile(join(results(copy), 'report.html'), 'of the copy');
  const path = await (await coreAt(copy)).handlers['runs.reportPath']({ runId, kind: 'html' });
  expect(path).toBe(join(results(copy), 'report.html'));
  expect(await readFile(path, 'utf8')).toBe('of the copy');
});

it('a file is imported with its report where no PDF can be printed, and a note says so', async () => {
  const message = 'The Electron runtime that prints the PDF is not installed';
  const core = await coreAt(home, () => Promise.reject(new WorkbenchError('toolchain-missing', message)));
  const path = join(root, 'levels.csv');
  const times = ['p50', 'p90', 'p95', 'p99'].map((name) => `${name} latency`);
  const head = ['Concurrency', 'Inferences/Second', ...times];
  await writeFile(path, `${head.join()}\n1,100.5,5200,6000,6200,7000\n`);
  const imported = await core.handlers['runs.import']({ path });
  expect(imported.notes).toContain(`The report has no PDF: ${message}`);
  const kinds = (await core.handlers['runs.show']({ runId: imported.runId })).state.reports.map(
    ({ kind }) => kind,
  );
  expect(kinds).toContain('html');
  expect(kinds).not.toContain('pdf');
});
