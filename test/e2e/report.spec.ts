import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { completeBodies, journalFixture } from '../support/run-state';
import { Shell } from './pages/shell.page';
import {
  choosePath,
  createHome,
  launch,
  offeredPlace,
  saveTo,
  shutDown,
  type TestHome,
  type WorkbenchApp,
} from './support/app';
import { findings } from './support/axe';
import { countClicks } from './support/clicks';
import { placeRun } from './support/place-run';

let home: TestHome;
let app: WorkbenchApp;
let results: string;

test.beforeAll(async () => {
  home = await createHome();
  const { dir } = await placeRun(
    home,
    journalFixture([
      ...completeBodies().filter(({ type }) => type !== 'report' && type !== 'run-finished'),
      { type: 'report', files: [{ kind: 'html', path: 'report.html' }] },
      { type: 'run-finished', outcome: 'done' },
    ]),
  );
  results = join(dir, 'results');
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
});

test('title, customer, author, logo and contents of a report are chosen in the window, and a script is no logo', async () => {
  const { page } = app;
  const shell = new Shell(page);
  const dialog = page.getByRole('dialog', { name: 'Title, customer and contents of the report' });
  const open = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Title, customer and contents…' }).click();
    await expect(dialog).toBeVisible();
  };
  const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`;
  const [bad, good] = [join(home.path, 'bad.svg'), join(home.path, 'acme.svg')];
  await writeFile(bad, svg('<script>1</script>'));
  await writeFile(good, svg('<rect width="30" height="10"/>'));

  await shell.go('Runs');
  await page.locator('[data-run]').click();
  // The words are typed, with Tab between the fields.
  const first = await countClicks(page, 'a report for a customer');
  const draft = join(home.path, 'customers', 'draft.pdf');
  await mkdir(join(home.path, 'customers'));
  await saveTo(app, draft);
  await open();
  await dialog.getByLabel('Title', { exact: true }).fill('For hall 4');
  await dialog.getByLabel('Customer').fill('ACME Works');
  await dialog.getByRole('button', { name: 'Save PDF…' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(draft)).toBeVisible();
  await first.expectFew();

  await open();
  await expect(dialog.getByLabel('Customer')).toHaveValue('ACME Works');
  await dialog.getByLabel('Author').fill('Jane Doe');
  await dialog.getByLabel('Notes').fill('Measured on their machine.');
  await dialog.getByLabel('Commands').uncheck();
  await choosePath(app, bad);
  await dialog.getByRole('button', { name: 'Choose…' }).click();
  await expect(dialog.getByRole('alert')).toContainText(
    'bad.svg: The logo is not used: the SVG has the element <script>.',
  );
  await expect(dialog.getByText('Logo: none')).toBeVisible();
  expect(await findings(page)).toEqual([]);

  await choosePath(app, good);
  await dialog.getByRole('button', { name: 'Choose…' }).click();
  await expect(dialog.getByText('Logo: acme.svg')).toBeVisible();
  await expect(dialog.getByRole('alert')).toBeHidden();
  expect(await findings(page)).toEqual([]);
  // One click more than the words: the PDF for the customer.
  const saved = join(home.path, 'for-acme.pdf');
  await saveTo(app, saved);
  await dialog.getByRole('button', { name: 'Save PDF…' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(saved)).toBeVisible();
  expect(dirname(await offeredPlace(app))).toBe(join(home.path, 'customers'));

  const text = await readFile(join(results, 'report.html'), 'utf8');
  expect(text).toContain('<h1>For hall 4</h1>');
  expect(text).toContain('Measured on their machine.');
  expect(text).toContain('<img class="logo" src="data:image/svg+xml;base64,');
  expect(text).not.toContain('<h2>Commands</h2>');
  expect(text).toContain('Prepared for ACME Works by Jane Doe');
  const pdf = await readFile(saved);
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  expect(pdf.length).toBeLessThan(600_000);
  const title = Buffer.from('For hall 4', 'utf16le').swap16().toString('hex').toUpperCase();
  expect(pdf.toString('latin1')).toMatch(new RegExp(`/Title (?:<FEFF${title}>|\\(For hall 4\\))`));

  // What was chosen is there again.
  const clicks = await countClicks(page, 'the report for a customer with other contents');
  await open();
  await expect(dialog.getByLabel('Title', { exact: true })).toHaveValue('For hall 4');
  await expect(dialog.getByLabel('Commands')).not.toBeChecked();
  await expect(dialog.getByLabel('Customer')).toHaveValue('ACME Works');
  // A part and its sections are one.
  await dialog.getByLabel('Results', { exact: true }).uncheck();
  await expect(dialog.getByLabel('Accuracy')).not.toBeChecked();
  await dialog.getByRole('button', { name: 'Write reports' }).click();
  await expect(dialog).toBeHidden();
  await clicks.expectFew();
  expect(await readFile(join(results, 'report.html'), 'utf8')).not.toContain('<h2>Accuracy</h2>');
  expect(app.complaints).toEqual([]);
});
