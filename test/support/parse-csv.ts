/**
 * RFC 4180, read strictly and without knowing how the workbench writes: quotes may enclose anything, a doubled quote
 * is one, CRLF ends a record. Throws on a stray quote or a bare line end.
 */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length) {
    let field = '';
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        const end = text.indexOf('"', at);
        if (end < 0) throw new Error('A quoted field does not end');
        field += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        field += '"';
        at += 1;
      }
    } else {
      const end = /[,"\r\n]|$/.exec(text.slice(at));
      field = text.slice(at, at + (end?.index ?? 0));
      at += field.length;
    }
    record.push(field);
    if (text[at] === ',') {
      at += 1;
    } else if (text.startsWith('\r\n', at)) {
      at += 2;
      records.push(record);
      record = [];
    } else {
      throw new Error(`Unexpected ${JSON.stringify(text.slice(at, at + 10))} behind a field`);
    }
  }
  if (record.length > 0) throw new Error('The last record does not end');
  return records;
}

/** Records by the names in the first one. */
export function parseCsvRows(text: string): readonly Readonly<Record<string, string>>[] {
  const [header = [], ...rows] = parseCsv(text);
  return rows.map((row) => {
    if (row.length !== header.length) throw new Error('A record has not as many fields as the header');
    return Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']));
  });
}
