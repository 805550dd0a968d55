import { expect, it } from 'vitest';
import { withPdfProperties } from '../../../main/platform/pdf-properties';

/** As Chromium prints it: objects, a table of their places, and the trailer. */
function printed(): Buffer {
  const objects = [
    '<</Creator (Chromium)\n/Producer (Skia/PDF m150)>>',
    '<</Type /Catalog\n/Pages 3 0 R>>',
    '<</Type /Pages /Kids [] /Count 0>>',
  ];
  let text = '%PDF-1.4\n%\xd3\xeb\xe9\xe1\n';
  const places = objects.map((body, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return at;
  });
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  return Buffer.from(
    `${text}xref\n0 4\n0000000000 65535 f \n${table}trailer\n<</Size 4\n/Root 2 0 R\n/Info 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}

/** The object of this number that a reader finds by the last table. */
function objectOf(pdf: Buffer, number: number): string {
  const text = pdf.toString('latin1');
  const start = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1]);
  expect(text.slice(start, start + 4)).toBe('xref');
  const place = new RegExp(`\\n${number} 1\\n(\\d{10}) 00000 n \\n`).exec(text.slice(start))?.[1];
  return text.slice(Number(place)).split('endobj')[0] ?? '';
}

it('adds title and author for any language behind what was printed, and shows the title', () => {
  const before = printed();
  const after = withPdfProperties(before, { title: 'Größe (1)', author: 'Jane' });
  expect(after.subarray(0, before.length).equals(before)).toBe(true);
  const info = objectOf(after, 1);
  expect(info.startsWith('1 0 obj\n<<')).toBe(true);
  expect(info).toContain('/Creator (Chromium)');
  expect(info).toContain('/Title <FEFF0047007200F600DF00650020002800310029>');
  expect(info).toContain('/Author <FEFF004A0061006E0065>');
  expect(objectOf(after, 2)).toContain('/ViewerPreferences <</DisplayDocTitle true>>');
  const text = after.toString('latin1');
  expect(text).toContain(`/Prev ${/startxref\n(\d+)/.exec(before.toString('latin1'))?.[1] ?? ''}>>`);
});

it('keeps a title that the printer wrote, adds no empty author, and leaves other PDFs as they are', () => {
  const own = Buffer.from(
    printed().toString('latin1').replace('/Creator (Chromium)', '/Title (Chromium)  '),
    'latin1',
  );
  const info = objectOf(withPdfProperties(own, { title: 'X', author: '' }), 1);
  expect(info.match(/\/Title/g)).toHaveLength(1);
  expect(info).not.toContain('/Author');
  for (const other of [
    '',
    '%PDF-1.7\nstartxref\n0\n%%EOF',
    'trailer\n<</Size 1 /Root 1 0 R /Info 2 0 R>>\nstartxref\n0\n%%EOF',
  ]) {
    expect(withPdfProperties(Buffer.from(other), { title: 'X', author: 'Y' }).toString()).toBe(other);
  }
});
