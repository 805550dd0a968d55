import { execFile } from 'node:child_process';
import { mkdir, open, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileLimits } from '../../../main/contract/reader-limits';
import type { LimitFile, ReadingJob } from './at-limit';

const { bytes: mostBytes } = fileLimits.inputData;

interface RawFile {
  readonly what: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  /** Size of the file, all zeros where nothing else is said: it takes no room on the disk. */
  readonly bytes: number;
  /** Written over and over. */
  readonly piece?: string;
  readonly above?: true;
}

const job = (dir: string, datatype: string, shape: readonly number[]): ReadingJob => ({
  ask: 'reader',
  name: 'inputCheck',
  path: join(dir, 'input'),
  input: {
    path: join(dir, 'input'),
    wanted: {
      inputs: [{ name: 'X', datatype, shape }],
      outputs: [{ name: 'Z', datatype, shape, optional: true }],
    },
    shapes: {},
  },
});

const chunkBytes = 2 ** 20;

async function write(path: string, bytes: number, piece?: string): Promise<void> {
  await writeFile(path, '');
  if (piece === undefined) {
    await truncate(path, bytes);
    return;
  }
  const chunk = Buffer.alloc(chunkBytes, piece);
  const file = await open(path, 'w');
  for (let at = 0; at < bytes; at += chunkBytes) await file.write(chunk, 0, Math.min(chunkBytes, bytes - at));
  await file.close();
}

const rawFile = ({ what, datatype, shape, bytes, piece, above }: RawFile): LimitFile => ({
  what,
  ...(above === undefined ? {} : { above }),
  async make(dir) {
    await mkdir(join(dir, 'input'));
    await write(join(dir, 'input', 'X'), bytes, piece);
    return job(dir, datatype, shape);
  },
});

const other = (what: string, make: (folder: string) => Promise<unknown>, datatype = 'FP32'): LimitFile => ({
  what,
  async make(dir) {
    const folder = join(dir, 'input');
    await mkdir(folder);
    await make(folder);
    return job(dir, datatype, [1]);
  },
});

const run = promisify(execFile);

export const rawFoldersAtLimit = (): LimitFile[] => [
  ...(
    [
      ['FP32', 4],
      ['FP64', 8],
      ['FP16', 2],
      ['UINT8', 1],
      ['BOOL', 1],
    ] as const
  ).map(([datatype, size]) =>
    rawFile({ what: `values of ${datatype}`, datatype, shape: [mostBytes / size], bytes: mostBytes }),
  ),
  ...[
    ['empty lines', '\n', mostBytes],
    ['short lines', 'x\n', mostBytes / 2],
    ['lines of some letters', 'xxxxxxx\n', mostBytes / 8],
    ['one line', 'x', 1],
    ['letters of two bytes', 'é', 1],
    ['bytes that are no text', '\xff', 1],
  ].map(([what, piece, count]) =>
    rawFile({
      what: `${String(what)} of BYTES`,
      datatype: 'BYTES',
      shape: [Number(count)],
      bytes: mostBytes,
      piece: String(piece),
    }),
  ),
  rawFile({ what: 'zeros of BYTES', datatype: 'BYTES', shape: [1], bytes: mostBytes }),
  rawFile({
    what: 'lines where one is taken',
    datatype: 'BYTES',
    shape: [1],
    bytes: mostBytes,
    piece: 'x\n',
  }),
  rawFile({ what: 'more than the shape has', datatype: 'FP32', shape: [1], bytes: mostBytes }),
  rawFile({
    what: 'a shape beyond all numbers',
    datatype: 'FP32',
    shape: Array(64).fill(2 ** 40) as number[],
    bytes: mostBytes,
  }),
  other('a pipe', (folder) => run('mkfifo', [join(folder, 'X')])),
  other('a link to endless zeros', (folder) => symlink('/dev/zero', join(folder, 'X'))),
  other('a folder', (folder) => mkdir(join(folder, 'X'))),
  other('a link to a folder', (folder) => symlink('/', join(folder, 'X')), 'BYTES'),
  other('files of no tensor', async (folder) => {
    for (let index = 0; index < 5000; index += 1)
      await writeFile(join(folder, `${index}`.padStart(200, 'n')), '');
  }),
  rawFile({
    what: 'one byte more',
    datatype: 'UINT8',
    shape: [mostBytes + 1],
    bytes: mostBytes + 1,
    above: true,
  }),
  rawFile({
    what: 'texts of one byte more',
    datatype: 'BYTES',
    shape: [1],
    bytes: mostBytes + 1,
    above: true,
  }),
];
