import { fileLimits } from '../../../main/contract/reader-limits';
import {
  filled,
  type Filling,
  inFiles,
  type LimitFile,
  mixed,
  type ReadingJob,
  type Titled,
  upToTwenty,
} from './at-limit';

const { inputJson, inputData, json } = fileLimits;
const { bytes } = inputJson;

/** Which tensor the model takes. */
interface Taken {
  readonly datatype: string;
  readonly shape: readonly number[];
}

const asked =
  ({ datatype, shape }: Taken) =>
  (path: string): ReadingJob => ({
    ask: 'reader',
    name: 'inputCheck',
    path,
    input: {
      wanted: {
        inputs: [
          { name: 'X', datatype, shape },
          { name: 'Y', datatype: 'INT8', shape: [1], optional: true },
        ],
        outputs: [{ name: 'Z', datatype, shape }],
      },
      shapes: {},
    },
  });

/** As many values as fill the file. */
function values(piece: string, most = Infinity): () => string {
  return () => {
    const head = '{"data":[{"X":{"content":[';
    const count = Math.min(most, Math.floor((bytes - 60) / (piece.length + 1)));
    const tail = `${piece}],"shape":${JSON.stringify([count])}}}]}`;
    return filled(bytes, { head: `${head}${`${piece},`.repeat(count - 1)}`, piece: () => '\n', tail });
  };
}

const head = '{"data":[{"X":';
type Row = readonly [what: string, tensor: Taken, content: Filling | (() => string)];

const rows: readonly Row[] = [
  ...[
    ['FP32', '1'],
    ['FP16', '1'],
    ['INT64', '1'],
    ['BOOL', '1'],
    ['UINT8', '1'],
    ['BYTES', '""'],
    ['FP64', '1e-9999999'],
  ].map(([datatype = '', piece = '']): Row => [
    `values of ${datatype}`,
    { datatype, shape: [-1] },
    values(piece, datatype === 'BYTES' ? inputData.texts : Infinity),
  ]),
  ...(
    [
      [
        'entries',
        [1],
        {
          head: '{"data":[',
          piece: (index) => (index < inputData.entries - 1 ? '{"X":[1]},' : ' '),
          tail: '{"X":[1]}]}',
        },
      ],
      [
        'streams of entries',
        [1],
        {
          head: '{"data":[',
          piece: (index) => (index < inputData.entries - 1 ? '[{"X":[1]}],' : ' '),
          tail: '[{"X":[1]}]]}',
        },
      ],
      [
        'entries with answers',
        [1],
        {
          head: `{"validation_data":[${'{"Z":[1]},'.repeat(inputData.entries - 1)}{"Z":[1]}],"data":[`,
          piece: (index) => (index < inputData.entries - 1 ? '{"X":[1]},' : ' '),
          tail: '{"X":[1]}]}',
        },
      ],
      [
        'lists within each other',
        [1],
        {
          head: `${head}${'['.repeat(json.objects - 9)}1${']'.repeat(json.objects - 9)}`,
          piece: () => ' ',
          tail: '}]}',
        },
      ],
      [
        'objects within each other',
        [1],
        { head, piece: (index) => (index < json.objects - 9 ? '{"a":' : ' ') },
      ],
      [
        'base64 that ends in another letter',
        [1],
        { head: `${head}{"b64":"`, piece: () => ' ', tail: '!"}}]}' },
      ],
      [
        'base64',
        [-1],
        { head: `${head}{"b64":"`, piece: () => 'AAAA', tail: `","shape":[6291000]}}]}`, pad: '=' },
      ],
      ['a text for a list', [1], { head: `${head}"`, piece: () => 'x', tail: '"}]}' }],
      ['a text for a number', [1], { head: `${head}["`, piece: () => 'x', tail: '"]}]}' }],
      [
        'a text for a shape',
        [1],
        { head: `${head}{"content":[1],"shape":"`, piece: () => 'x', tail: '"}}]}' },
      ],
      ['a long shape', [1], { head: `${head}{"content":[1],"shape":[`, piece: () => '1,', tail: '1]}}]}' }],
      ['a tensor with a long name', [1], { head: '{"data":[{"', piece: () => 'x', tail: '":[1]}]}' }],
      [
        'members that differ',
        [1],
        { head: '{', piece: (index) => `"k${index}":1,`, tail: '"data":[{"X":[1]}]}' },
      ],
    ] as readonly (readonly [string, number[], Filling])[]
  ).map(([what, shape, filling]): Row => [what, { datatype: 'FP32', shape }, filling]),
];

const pieces = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '1',
  '-',
  ' ',
  '\n',
  '"X":',
  'null',
  'true',
  '1e400',
  '"b64":"AAAA"',
];

export const inputJsonAtLimit = (random: () => number): LimitFile[] => {
  const usual = asked({ datatype: 'FP32', shape: [1] });
  const contents = rows.flatMap(([what, tensor, filling]) =>
    inFiles(
      [[what, typeof filling === 'function' ? filling : () => filled(bytes, filling)]],
      'in.json',
      asked(tensor),
    ),
  );
  const mixtures = upToTwenty([], () => mixed(bytes, pieces, random, head)).slice(contents.length);
  const above: readonly Titled[] = [
    ['one byte more', () => filled(bytes + 1, { head: '{"data":[{"X":[1]}]', piece: () => ' ', tail: '}' })],
    ['one entry more', () => `{"data":[${'{"X":[1]},'.repeat(inputData.entries)}{"X":[1]}]}`],
    ['one object more', () => `{"data":[${'{},'.repeat(json.objects)}1]}`],
  ];
  return [...contents, ...inFiles(mixtures, 'in.json', usual), ...inFiles(above, 'in.json', usual, true)];
};
