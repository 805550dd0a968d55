import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reportSections } from '../../../main/contract/settings/report-settings';
import { html } from '../../../main/reports/html.exporter';
import { pageMarks } from '../../../main/reports/html/page-marks';
import { markdown } from '../../../main/reports/markdown.exporter';
import {
  changeReportSettings,
  defaultReportSettings,
  readReportSettings,
} from '../../../main/reports/report-settings';
import { toReport } from '../../../main/reports/to-report';
import { writeReports } from '../../../main/reports/write-reports';
import { completeState } from '../../support/run-state';
import { withoutMarks } from '../../support/unbroken';

let dir: string;
let places: { house: string; results: string };
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'look-'));
  places = { house: join(dir, 'report-look.json'), results: join(dir, 'results') };
  await mkdir(places.results);
  await writeFile(join(dir, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0,0"/></svg>');
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

const headings = (text: string) =>
  [...text.matchAll(/<h2>([^<]*)/g), ...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title ?? '');

describe('what a report is to look like', () => {
  it('is nothing of its own at first, and then what was last asked for', async () => {
    expect(await readReportSettings(places)).toEqual(defaultReportSettings);
    await changeReportSettings(places, { title: ' For ACME ', logo: join(dir, 'logo.svg') });
    await changeReportSettings(places, { without: ['commands'] });
    expect(await changeReportSettings(places, { notes: 'Measured in their rack.' })).toMatchObject({
      ...{ title: 'For ACME', notes: 'Measured in their rack.', without: ['commands'] },
      logo: { name: 'logo.svg', kind: 'svg' },
    });
    expect(await changeReportSettings(places, { logo: null, title: '' })).toMatchObject({
      logo: null,
      title: '',
    });
  });

  it('has author, logo and sections for every run of the home; title, customer and notes for this one', async () => {
    await changeReportSettings(places, {
      title: 'A',
      customer: 'ACME',
      author: 'Jane Doe',
      notes: 'B',
      without: ['steps'],
      logo: join(dir, 'logo.svg'),
    });
    const other = await readReportSettings({ ...places, results: join(dir, 'other') });
    expect(other).toMatchObject({
      ...{ title: '', customer: '', notes: '' },
      ...{ author: 'Jane Doe', without: ['steps'], logo: { kind: 'svg' } },
    });
  });

  it('reads what earlier versions kept, which had no customer and no author', async () => {
    await writeFile(places.house, '{"logo":null,"without":["steps"]}');
    await writeFile(join(places.results, 'report-text.json'), '{"title":"A","notes":"B"}');
    expect(await readReportSettings(places)).toEqual({
      ...{ logo: null, author: '', without: ['steps'], title: 'A', customer: '', notes: 'B' },
    });
  });

  it('keeps what was there when the new logo is none, and says which file is damaged', async () => {
    await changeReportSettings(places, { title: 'A' });
    await expect(changeReportSettings(places, { title: 'B', logo: join(dir, 'none') })).rejects.toMatchObject(
      {
        code: 'input-invalid',
      },
    );
    expect((await readReportSettings(places)).title).toBe('A');
    await writeFile(places.house, '{"logo":1}');
    await expect(readReportSettings(places)).rejects.toMatchObject({
      code: 'report-failed',
      where: places.house,
    });
  });

  it('is in HTML and Markdown alike', async () => {
    const without = ['commands', 'parameters', 'environment'] as const;
    const change = {
      customer: 'ACME <Works>',
      author: 'Jane Doe',
      title: 'For <ACME>',
      notes: 'In *their* rack.',
      without,
      logo: join(dir, 'logo.svg'),
    };
    const settings = await changeReportSettings(places, change);
    const state = completeState();
    const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z', settings });
    const page = html.render({ state, report }).content;
    expect(page).toContain('<h1>For &lt;ACME&gt;</h1>');
    expect(page).toMatch(/<img class="logo" src="data:image\/svg\+xml;base64,[\w+/=]+" alt="Logo">/);
    expect(page).toContain('In *their* rack.');
    expect(page).toContain('Prepared for ACME &lt;Works&gt; by Jane Doe');
    expect(pageMarks(page)).toEqual({
      ...{ title: 'For <ACME>', customer: 'ACME <Works>', author: 'Jane Doe', landscape: false },
    });
    const text = markdown.render({ state, report }).content;
    expect(text).toMatch(/^!\[Logo\]\(data:image\/svg\+xml;base64,[\w+/=]+\)\n\n# For \\<ACME\\>\n/);
    expect(text).toContain(String.raw`In \*their\* rack.`);
    expect(text).toContain(String.raw`Prepared for ACME \<Works\> by Jane Doe`);
    for (const found of [headings(page), headings(text)]) {
      expect(found).toContain('Accuracy');
      for (const left of ['Commands', 'Parameters', 'Environment']) expect(found).not.toContain(left);
    }
    // The model is still named.
    for (const one of [page, text]) expect(one).toMatch(/ONNX FP\d+ · Profile/);
  });

  it('leaves the first page and the problems, whatever is left out', () => {
    const state = completeState();
    const settings = { ...defaultReportSettings, without: [...reportSections] };
    const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z', settings });
    const page = html.render({ state, report }).content;
    expect(withoutMarks(page)).toContain(report.verdict);
    expect(headings(page).filter((title) => title !== 'Problems and warnings')).toEqual([]);
  });

  it('has long notes as a section before the others', () => {
    const state = completeState();
    const settings = { ...defaultReportSettings, notes: 'A long story.\n'.repeat(30) };
    const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z', settings });
    expect(headings(html.render({ state, report }).content)[0]).toBe('Notes');
  });

  it('takes a picture away that an earlier version put beside the Markdown', async () => {
    const settings = await changeReportSettings(places, { logo: null });
    const former = ['report-logo.svg', 'report-logo.png'];
    for (const name of former) await writeFile(join(places.results, name), 'of another customer');
    const files = await writeReports({
      state: completeState(),
      context: { generatedAt: '2025-11-21T08:30:00.000Z', settings },
      dir: places.results,
      signal: new AbortController().signal,
      printPdf: (_html, pdf) => writeFile(pdf, ''),
    });
    expect(files.map(({ kind }) => kind)).toContain('pdf');
    const left = await readdir(places.results);
    expect(left).toContain('report.md');
    for (const name of former) expect(left).not.toContain(name);
  });
});
