import { expect, it } from 'vitest';
import { htmlPage, unbroken } from '../../../../main/reports/html/frame';
import { markup } from '../../../../main/reports/html/markup';
import { marginTemplates, pageMarks, preparedText } from '../../../../main/reports/html/page-marks';

const marks = {
  title: `</style><script>alert("1")</script> \\ 'x' \u202e`,
  customer: 'ACME & Søn',
  author: 'Jane `Doe`',
  landscape: true,
};

it('reads back what a page says of itself, and nothing from other pages', () => {
  const page = htmlPage(marks, markup`<p>x</p>`).text;
  expect(pageMarks(page)).toEqual({ ...marks, title: marks.title.replace('\u202e', '⟨U+202E⟩') });
  expect(pageMarks('<html><title>x</title></html>')).toEqual({
    ...{ title: '', customer: '', author: '', landscape: false },
  });
});

it('has title and customer at the head of each page, whatever their letters, and no way out of the style sheet', () => {
  const page = htmlPage(marks, markup`<p>x</p>`).text;
  expect(page.match(/<\/style>/g)).toHaveLength(1);
  expect(page).not.toContain('<script');
  expect(page).toContain('@page { size: A4 landscape;');
  expect(page).toContain('@top-right { content: "ACME \\26  Søn"');
  expect(page).toContain('@bottom-right { content: "Page " counter(page) " of " counter(pages)');
  const { header, footer } = marginTemplates(marks);
  expect(header).toContain('ACME &amp; Søn');
  expect(header).not.toContain('<script');
  expect(footer).toMatch(/Page <span class="pageNumber"><\/span> of <span class="totalPages"><\/span>/);
});

it('says for whom and by whom it is, as far as is known', () => {
  expect(preparedText({ customer: 'ACME', author: 'Jane' })).toBe('Prepared for ACME by Jane');
  expect(preparedText({ customer: '', author: 'Jane' })).toBe('Prepared by Jane');
  expect(preparedText({ customer: '', author: '' })).toBeNull();
});

it('keeps a number with its unit on one line, and the text as it is', () => {
  const text =
    'Best steady level: 318.2 ± 27.7 inferences/s at p99 7.54 ms (192 requests in 603 ms; 3 of 3 levels, 12 % of s <b>)';
  const found = unbroken(text).text;
  expect([...found.matchAll(/<span class="unbroken">([^<]*)<\/span>/g)].map(([, whole]) => whole)).toEqual([
    ...['318.2 ± 27.7 inferences/s', 'p99 7.54 ms', '192 requests', '603 ms', '3 levels', '12 %'],
  ]);
  expect(found.replaceAll(/<\/?span[^>]*>/g, '')).toBe(markup`${text}`.text);
});
