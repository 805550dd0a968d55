import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunState } from '../../main/contract/run/run-state';
import { createElectronPrinter } from '../../main/platform/electron-printer';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { html } from '../../main/reports/html.exporter';
import type { Report } from '../../main/reports/report';
import type { StoredReportSettings } from '../../main/reports/report-settings';
import { toReport } from '../../main/reports/to-report';
import { repository } from '../support/home';
import { type PdfPage, pdfPages } from '../support/pdf-pages';
import { reportKinds } from '../support/report-kinds';
import { completeState, specFixture } from '../support/run-state';
import { studyKinds } from '../support/study-kinds';

/** A page whose last line is above this share of its height is nearly empty. */
const leastFilled = 0.4;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workbench-pages-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const settings: StoredReportSettings = {
  title: 'Recommendation for the line in hall 4',
  customer: 'ACME Works',
  author: 'Jane Doe',
  notes: 'Measured on the engineer’s machine; the rack in hall 4 has the same GPU and twice the memory.',
  without: [],
  logo: {
    ...{ name: 'logo.svg', kind: 'svg' },
    base64: Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="100"><rect width="300" height="100"/></svg>',
    ).toString('base64'),
  },
};

interface Printed {
  readonly report: Report;
  readonly pdfPath: string;
  readonly pages: readonly PdfPage[];
  readonly headings: ReadonlySet<string>;
}

const plain = (markup: string): string =>
  markup
    .replace(/<[^>]+>/g, '')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();

/** By the app's own printing, as a run does it. */
async function printedPath(name: string, content: string): Promise<string> {
  const [htmlPath, pdfPath] = [join(folder, `${name}.html`), join(folder, `${name}.pdf`)];
  await writeFile(htmlPath, content);
  const { electron } = homeLayout(defaultHome(process.env));
  const print = createElectronPrinter({ electron, app: repository, env: process.env });
  await print(htmlPath, pdfPath, new AbortController().signal);
  return pdfPath;
}

async function printed(name: string, made: RunState): Promise<Printed> {
  // With a budget and a look of its own, which take room on the first page.
  const state: RunState = { ...made, p99BudgetMs: 20 };
  const defaults = state.source.kind === 'deployed' ? specFixture() : null;
  const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z', defaults, settings });
  const { content } = html.render({ state, report });
  const pdfPath = await printedPath(name, content);
  const headings = [...content.matchAll(/<h[23]>([\s\S]*?)<\/h[23]>/g)].map(([, text]) => plain(text ?? ''));
  return { report, pdfPath, pages: await pdfPages(pdfPath), headings: new Set(headings) };
}

const nearlyEmpty = (pages: readonly PdfPage[]) =>
  pages
    .map(({ filled }, index) => ({ page: index + 1, filled }))
    .filter(({ filled }) => filled < leastFilled);

/** 14 mm in points, and what a glyph may stand off. */
const margin = 40.5;

/** Words in a margin, and by how far the first page was shrunk for something that runs out of one. */
const runOut = (pages: readonly PdfPage[]): readonly (string | number)[] => [
  ...pages.flatMap(({ outside }) => outside),
  ...pages.slice(0, 1).flatMap(({ leftmost }) => (leftmost > margin ? [leftmost] : [])),
];

const squeezed = (text: string): string => text.replace(/\s+/g, '');

describe.each(Object.entries(reportKinds))('the PDF of a run: %s', (name, make) => {
  let result: Printed;
  beforeAll(async () => {
    result = await printed(name, make());
  });

  it('has the answer, what is doubtful and what it was measured on on its first page', () => {
    const { report, pages } = result;
    const first = squeezed(pages[0]?.text ?? '');
    const { badges, doubts, model, machine, accuracy } = report.summary;
    const wanted = [
      report.verdict,
      report.remarks,
      accuracy,
      ...badges.map(({ label }) => label),
      ...doubts,
      ...[...model, ...machine].map(({ value }) => value),
    ];
    for (const text of wanted) expect(first).toContain(squeezed(text));
  });

  it('begins the details on its second page, and ends with the commands', () => {
    const [first, second] = result.pages;
    expect(first?.text).not.toMatch(/appendix|record of this run/i);
    expect(second?.text).toMatch(/^(?:problems and warnings|results)/i);
    if (result.report.commands.length > 0)
      expect(result.pages.map(({ text }) => text).join(' ')).toMatch(
        /record of this run.*appendix commands/i,
      );
  });

  it('has title and customer at the head of each page, and author and page number at its foot', () => {
    const { pages } = result;
    for (const [index, { head, foot }] of pages.entries()) {
      expect(head).toBe(`${settings.title} ${settings.customer}`);
      expect(foot).toBe(`${settings.author} · Triton Workbench Page ${index + 1} of ${pages.length}`);
    }
  });

  it('has a title and an author, and is small enough for a mail', async () => {
    const { stdout } = await promisify(execFile)('pdfinfo', [result.pdfPath]);
    expect(stdout).toMatch(new RegExp(`^Title: +${settings.title}$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^Author: +${settings.author}$`, 'm'));
    expect((await stat(result.pdfPath)).size).toBeLessThan(600_000);
  });

  it('has no page that is nearly empty, but for the last', () => {
    expect(nearlyEmpty(result.pages.slice(0, -1))).toEqual([]);
  });

  it('has nothing that runs out of a page', () => {
    expect(runOut(result.pages)).toEqual([]);
  });

  it('has no heading alone at the foot of a page', () => {
    const { pages, headings } = result;
    expect(headings.size).toBeGreaterThan(3);
    expect(pages.map(({ lastLine }) => lastLine).filter((line) => headings.has(line))).toEqual([]);
  });
});

it.each(Object.entries(studyKinds))(
  'the PDF of a %s has head and foot, its words within the margins, and no page that is nearly empty',
  async (name, make) => {
    const pages = await pdfPages(await printedPath(name, make(settings)));
    for (const [index, { head, foot }] of pages.entries()) {
      expect(head).toBe(`${settings.title} ${settings.customer}`);
      expect(foot).toBe(`${settings.author} · Triton Workbench Page ${index + 1} of ${pages.length}`);
    }
    expect(runOut(pages)).toEqual([]);
    expect(nearlyEmpty(pages)).toEqual([]);
  },
);

/** Tags are asked of each runtime, and not every one writes them: an installed Chromium prints the same HTML. */
const chromium = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));

it.skipIf(chromium === undefined)(
  'the page of a report prints as a tagged PDF with head and foot',
  async () => {
    const state = completeState();
    const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z', settings });
    const [htmlPath, pdfPath] = [join(folder, 'tagged.html'), join(folder, 'tagged.pdf')];
    await writeFile(htmlPath, html.render({ state, report }).content);
    const options = ['--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer'];
    await promisify(execFile)(chromium ?? '', [
      ...options,
      `--print-to-pdf=${pdfPath}`,
      `file://${htmlPath}`,
    ]);
    const { stdout } = await promisify(execFile)('pdfinfo', [pdfPath]);
    expect(stdout).toMatch(/^Tagged: +yes$/m);
    expect(stdout).toMatch(new RegExp(`^Title: +${settings.title}$`, 'm'));
    const [first] = await pdfPages(pdfPath);
    expect(first?.head).toBe(`${settings.title} ${settings.customer}`);
    expect(first?.foot).toMatch(/Page 1 of \d+$/);
  },
);
