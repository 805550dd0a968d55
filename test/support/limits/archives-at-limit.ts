import { deflateRawSync } from 'node:zlib';
import { fileLimits } from '../../../main/contract/reader-limits';
import { zipBytes } from '../zip-bytes';
import {
  filled,
  type Filling,
  inFiles,
  type LimitFile,
  mixed,
  type ReadingJob,
  type Titled,
} from './at-limit';

const { directoryBytes, textBytes } = fileLimits.torchscript;

const pickle = '\x80\x02c__torch__\nM\nq\x00)\x81}';
const archive = (code: string, data = pickle): Buffer =>
  zipBytes({ 'm/data.pkl': data, 'm/code/__torch__.py': code, 'm/constants.pkl': '\x80\x02).' });

const forward = 'class M(Module):\n  def forward(self: M';

const codes: Readonly<Record<string, Filling>> = {
  'blanks behind a type': { head: `${forward}, x: Tensor`, piece: () => ' ' },
  'blanks before the arrow': { head: `${forward}, x: Tensor)`, piece: () => ' ', tail: 'x' },
  'brackets with blanks': { head: `${forward}, x: Tensor`, piece: () => ')        ' },
  'opening brackets': { head: forward, piece: () => '(' },
  commas: { head: forward, piece: () => ',', tail: ') -> Tensor:\n' },
  'parameters that differ': {
    head: forward,
    piece: (index) => `, x${index}: Tensor`,
    tail: ') -> Tensor:\n',
  },
  'parameters with defaults': { head: forward, piece: () => ', x: int=1', tail: ') -> Tensor:\n' },
  'one long name': { head: `${forward}, `, piece: () => 'x', tail: ': Tensor) -> Tensor:\n' },
  'one long type': { head: `${forward}, x: `, piece: () => 'T', tail: ') -> Tensor:\n' },
  'classes before it': {
    piece: () => 'class N(Module):\n',
    tail: `${forward}, x: Tensor) -> Tensor:\n`,
    pad: '\n',
  },
  'classes behind it': { head: `${forward}, x: Tensor) -> Tensor:\n`, piece: () => '\nclass N(Module):' },
  'functions of the same name': { head: 'class M(Module):', piece: () => '\n  def forward(' },
  'empty lines': { head: 'class M(Module):', piece: () => '\n' },
};

/** A directory whose entries are all the same, without their files; its size is exact by the comment of the last. */
function directory(bytes: number, name: string, extra: Buffer): Buffer {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  // Sizes and place that the extra field is asked for.
  for (const at of [20, 24, 42]) entry.writeUInt32LE(0xffffffff, at);
  const one = Buffer.concat([entry, Buffer.from(name, 'latin1'), extra]);
  const all = Buffer.alloc(bytes);
  const count = Math.floor(bytes / one.length);
  all.fill(one, 0, count * one.length);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(all.length, 12);
  end.writeUInt32LE(0, 16);
  return Buffer.concat([all, end]);
}

const none = Buffer.alloc(0);
/** Extra fields of nothing, none of which holds what is looked for. */
const extras = Buffer.alloc(65_532, Buffer.from([2, 0, 0, 0]));

export const torchscriptAtLimit = (random: () => number): LimitFile[] => {
  const job = (path: string): ReadingJob => ({ ask: 'reader', name: 'torchscript', path });
  const pieces = [
    'def forward(',
    'class M(Module):\n',
    ' ',
    '\n',
    '(',
    ')',
    ' ->',
    ',',
    ': Tensor',
    '=',
    '[',
    'x',
  ];
  const contents: readonly Titled<Buffer>[] = [
    ...Object.entries(codes).map(([what, filling]): Titled<Buffer> => [
      what,
      () => archive(filled(textBytes, filling)),
    ]),
    ['a long pickle', () => archive('', filled(textBytes, { piece: () => 'c__torch__.' }))],
    [
      'code of megabytes in some kilobytes',
      () =>
        zipBytes({
          'm/data.pkl': pickle,
          'm/code/__torch__.py': { deflated: deflateRawSync(Buffer.alloc(textBytes, ' ')), bytes: textBytes },
          'm/constants.pkl': '\x80\x02).',
        }),
    ],
    ['a directory of short names', () => directory(directoryBytes, 'a', none)],
    ['a directory of long names', () => directory(directoryBytes, 'a'.repeat(65_535), none)],
    ['a directory of long extra fields', () => directory(directoryBytes, 'a', extras)],
    ...[1, 2].map((index): Titled<Buffer> => [
      `a mixture, ${index}`,
      () => archive(mixed(textBytes, pieces, random, forward)),
    ]),
  ];
  const above: readonly Titled<Buffer>[] = [
    ['code of one byte more', () => archive(filled(textBytes + 1, { head: forward, piece: () => ' ' }))],
    ['a directory of one byte more', () => directory(directoryBytes + 1, 'a', none)],
  ];
  return [...inFiles(contents, 'model.pt', job), ...inFiles(above, 'model.pt', job, true)];
};
