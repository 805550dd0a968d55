import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FileWindow, readZipDirectory, readZipEntry } from '../../../main/platform/zip-directory';
import { useModelBench } from '../../support/model-bench';
import { type Deflated, zipBytes } from '../../support/zip-bytes';

const bench = useModelBench();
const stated = (content: Buffer, bytes: number): Deflated => ({ deflated: deflateRawSync(content), bytes });

async function contentOf(entry: string | Deflated, mostBytes?: number): Promise<Buffer> {
  const file = new FileWindow(await bench().put('a.zip', zipBytes({ a: entry })));
  try {
    const [first] = readZipDirectory(file);
    if (first === undefined) throw new Error('no entry');
    return readZipEntry(file, first, mostBytes);
  } finally {
    file.close();
  }
}

describe('an entry of an archive', () => {
  const text = Buffer.from('x'.repeat(1000));

  it('is read stored and deflated, up to the size that is permitted', async () => {
    expect(await contentOf('hello', 5)).toEqual(Buffer.from('hello'));
    expect(await contentOf(stated(text, 1000), 1000)).toEqual(text);
    expect(await contentOf(stated(Buffer.alloc(0), 0))).toHaveLength(0);
  });

  it.each([
    ['unpacks to more than is stated', stated(Buffer.alloc(64 * 2 ** 20), 100), /more than the 100 bytes/],
    ['unpacks to less than is stated', stated(text, 2000), /has 1000 bytes where the archive states 2000/],
    ['states more than is read', stated(text, 2 ** 31), /at most \d+ are read/],
  ])('that %s is refused', async (_what, entry, words) => {
    await expect(contentOf(entry)).rejects.toThrow(words);
  });
});
