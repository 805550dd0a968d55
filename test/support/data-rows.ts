import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Values for perf as people write them, and the model that they are for. */
interface DataRow {
  readonly model: string;
  /** Of a JSON file, or the files of a folder. */
  readonly content: string | Readonly<Record<string, string>> | null;
}

const row = (model: string, content: DataRow['content']): DataRow => ({ model, content });
const cells = ['0', '2002', '65.5', 'Swipe', 'Town', 'CA', '9', '9', '9', '9', '9', '9', '9', '9', '9', ''];

/** By the first cell of its row in docs/guide/inputs.md; the models are those of data-models.ts. */
export const dataRows: Readonly<Record<string, DataRow>> = {
  'texts in a JSON file': row('texts', '{"data":[{"TEXT":["Calm people listen."]}]}'),
  'a table row as texts': row('row', JSON.stringify({ data: [{ IN0: { content: cells, shape: [16] } }] })),
  'JSON as text': row('request', JSON.stringify({ data: [{ req: ['{"url": "a"}'] }] })),
  'any number of candidates': row('candidates', '{"data":[{"ids":{"content":[11,12,13],"shape":[3,1]}}]}'),
  'a folder with a file for each input': row('texts', { TEXT: '   {"url": "t", "id": 1}\n' }),
  'one value without a list': row('scalar', '{"data":[{"x":1.5}]}'),
  'the batch dimension in the shape': row(
    'table',
    '{"data":[{"IN0":{"content":[1,2,3,4,5],"shape":[1,5]}}]}',
  ),
  'the body of a request (KServe)': row(
    'table',
    '{"inputs":[{"name":"IN0","shape":[1,5],"datatype":"FP32","data":[[1,2,3,4,5]]}]}',
  ),
  'a wrong number of values': row('texts', '{"data":[{"TEXT":[1,2]}]}'),
  'numbers for a text': row('texts', '{"data":[{"TEXT":[1]}]}'),
  'an optional input in some entries only': row(
    'optional',
    '{"data":[{"a":[1,2,3,4]},{"a":[1,2,3,4],"b":[4,3,2,1]}]}',
  ),
  'a file without entries': row('request', '{"req": 1}\n'),
  'JSON that is cut off': row('texts', '{"data":[{"TEXT":["a"]'),
  'an input with another name': row('table', '{"data":[{"TEXT":["a"]}]}'),
  'no data for an input with dynamic dimensions': row('candidates', null),
};

/** The arguments of perf for it, without the address. */
export async function dataArguments(name: string, dir: string): Promise<readonly string[]> {
  const found = dataRows[name];
  if (found === undefined) throw new Error(`${name} is not among the rows`);
  const { model, content } = found;
  if (content === null) return ['perf', '-m', model];
  const path = join(dir, typeof content === 'string' ? 'data.json' : 'data');
  if (typeof content === 'string') await writeFile(path, content);
  else {
    await mkdir(path);
    for (const [file, text] of Object.entries(content)) await writeFile(join(path, file), text);
  }
  return ['perf', '-m', model, '--input-data', path];
}
