/** Text as UTF-16, which PDF takes for any language. */
const pdfText = (text: string): string =>
  `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`;

const objectAt = (pdf: string, number: string): string | undefined =>
  new RegExp(`(?:^|[\\r\\n])${number} 0 obj\\s*<<([\\s\\S]*?)>>\\s*endobj`).exec(pdf)?.[1];

/**
 * Adds title and author to a PDF as Chromium prints it, and asks readers to show the title in place of the file's name,
 * as an incremental update: what was printed stays byte for byte. Other PDFs are returned as they are.
 */
export function withPdfProperties(
  pdf: Buffer,
  { title, author }: { readonly title: string; readonly author: string },
): Buffer {
  const text = pdf.toString('latin1');
  const trailer = /trailer\s*<<([\s\S]*?)>>\s*startxref\s+(\d+)\s+%%EOF\s*$/.exec(text);
  const [, inside = '', before = ''] = trailer ?? [];
  const [infoAt, rootAt] = ['Info', 'Root'].map(
    (name) => new RegExp(`/${name} (\\d+) 0 R`).exec(inside)?.[1],
  );
  const size = /\/Size (\d+)/.exec(inside)?.[1];
  if (infoAt === undefined || rootAt === undefined || size === undefined) return pdf;
  const [info, root] = [objectAt(text, infoAt), objectAt(text, rootAt)];
  if (info === undefined || root === undefined) return pdf;
  const own = [['Title', title] as const, ['Author', author] as const].filter(
    ([name, value]) => value !== '' && !info.includes(`/${name}`),
  );
  const preferences = /\/(?:ViewerPreferences)/.test(root)
    ? ''
    : '\n/ViewerPreferences <</DisplayDocTitle true>>';
  const language = root.includes('/Lang') ? '' : '\n/Lang (en)';
  const objects = [
    [infoAt, `${info}${own.map(([name, value]) => `\n/${name} ${pdfText(value)}`).join('')}`],
    [rootAt, `${root}${preferences}${language}`],
  ] as const;
  let place = pdf.length + 1;
  const sections: string[] = [];
  const bodies = objects.map(([number, content]) => {
    const body = `${number} 0 obj\n<<${content}>>\nendobj\n`;
    sections.push(`${number} 1\n${String(place).padStart(10, '0')} 00000 n \n`);
    place += Buffer.byteLength(body, 'latin1');
    return body;
  });
  const end = `xref\n${sections.join('')}trailer\n<</Size ${size}\n/Root ${rootAt} 0 R\n/Info ${infoAt} 0 R\n/Prev ${before}>>\nstartxref\n${place}\n%%EOF\n`;
  return Buffer.concat([pdf, Buffer.from(`\n${bodies.join('')}${end}`, 'latin1')]);
}
