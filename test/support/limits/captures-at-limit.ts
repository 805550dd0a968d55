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

const { captureCsv, profileExport, json } = fileLimits;

const usual = 'Concurrency,Inferences/Second,p50 latency,p90 latency,p95 latency,p99 latency';
const row = (index: number) => `${index + 1},1000,1,1,1,1\n`;
const listed = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_unused, index) => of(index));
const wide = (bytes: number) =>
  `${usual},${listed(captureCsv.columns - 6, (index) => String(index).padEnd(bytes, 'c')).join(',')}\n`;
const cells = (index: number) => `${index + 1},1000,1,1,1,1${',1'.repeat(captureCsv.columns - 6)}\n`;
const gpuColumns = 'Avg GPU Utilization,Avg GPU Power Usage,Max GPU Memory Usage,Total GPU Memory';

const csvTable: Readonly<Record<string, Filling>> = {
  'levels with many columns': { head: wide(6), piece: cells, pad: '\n' },
  'columns with long names': { head: wide(16_000), piece: row, pad: '\n' },
  'the header again and again': { head: `${usual}\n${row(0)}`, piece: () => `${usual}\n`, pad: '\n' },
  'empty lines': { head: `${usual}\n${row(0)}`, piece: () => '\n' },
  'carriage returns': { head: `${usual}\n${row(0)}`, piece: () => '\r' },
  'lines of blanks': { head: `${usual}\n${row(0)}`, piece: () => '    \n' },
  'blanks before a number': { head: `${usual}\n1,`, piece: () => ' ', tail: '1000,1,1,1,1\n' },
  'one long number': { head: `${usual}\n1,`, piece: () => '1', tail: ',1,1,1,1\n' },
  'one long text for a number': { head: `${usual}\n1,`, piece: () => 'x', tail: ',1,1,1,1\n' },
  'commas in a row': { head: `${usual}\n1,1,1,1,1,1`, piece: () => ',' },
  'GPUs of one level': {
    head: `${usual},${gpuColumns}\n1,1,1,1,1,1,`,
    piece: (index) => `GPU-${index}:0.5;`,
    tail: ',,,\n',
  },
  'GPUs of each level': {
    head: `${usual},${gpuColumns}\n`,
    piece: (index) => `${row(index).trim()},${listed(100, (gpu) => `G${gpu}:0.5;`).join('')},,,\n`,
    pad: '\n',
  },
  'colons for a GPU': { head: `${usual},${gpuColumns}\n1,1,1,1,1,1,`, piece: () => ':', tail: ',,,\n' },
  'semicolons for GPUs': { head: `${usual},${gpuColumns}\n1,1,1,1,1,1,`, piece: () => ';', tail: ',,,\n' },
  'colons and values for a GPU': {
    head: `${usual},${gpuColumns}\n1,1,1,1,1,1,`,
    piece: () => ':1',
    tail: 'x;,,,\n',
  },
  'columns one by one': { head: '', piece: (index) => `c${index},` },
  'as many levels as are permitted': {
    head: `${usual}\n${listed(captureCsv.levels, row).join('')}`,
    piece: () => '\n',
  },
};

const csvPieces = [
  '1',
  ',',
  '\n',
  ';',
  ':',
  'GPU-1:0.5;',
  ' ',
  '\r\n',
  '"',
  '1e9',
  '1.5',
  usual,
  '-',
  'x',
  '1,1000,1,1,1,1\n',
];

const asked = (path: string): ReadingJob => ({ ask: 'reader', name: 'capture', path });

export const csvAtLimit = (random: () => number): LimitFile[] => {
  const contents = upToTwenty(
    Object.entries(csvTable).map(([what, filling]): Titled => [
      what,
      () => filled(captureCsv.bytes, filling),
    ]),
    () => mixed(captureCsv.bytes, csvPieces, random, `${usual}\n${row(0)}`),
  );
  const above: readonly Titled[] = [
    ['one byte more', () => filled(captureCsv.bytes + 1, { head: `${usual}\n`, piece: () => '\n' })],
    ['one column more', () => `${usual}${',c'.repeat(captureCsv.columns - 5)}\n${row(0)}`],
    ['one level more', () => `${usual}\n${listed(captureCsv.levels + 1, row).join('')}`],
  ];
  return [...inFiles(contents, 'a.csv', asked), ...inFiles(above, 'a.csv', asked, true)];
};

const level = '{"experiment":{"mode":"concurrency","value":1},"requests":[';
const ns = 1_700_000_000_000_000_000n;
const request = (index: number) =>
  `{"timestamp":${ns + BigInt(index) * 1000n},"response_timestamps":[${ns + BigInt(index) * 1000n + 500n}]},`;
const lastRequest = '{"timestamp":1,"response_timestamps":[2]}';
const end = `${lastRequest}],"window_boundaries":[]}]}`;
const bounds = (count: number) => listed(count, (index) => String(ns + BigInt(index) * 100_000n)).join(',');
const one = (value: number) =>
  `{"experiment":{"mode":"request_rate","value":${value}},"requests":[${lastRequest}],"window_boundaries":[]}`;
const head = `{"experiments":[${level}`;

const profileTable: Readonly<Record<string, Filling>> = {
  'requests of one level': { head, piece: request, tail: end },
  'short requests': { head, piece: () => '{"timestamp":1,"response_timestamps":[2]},', tail: end },
  'requests in many windows': {
    head,
    piece: request,
    tail: `${lastRequest}],"window_boundaries":[${bounds(profileExport.windows)}]}]}`,
  },
  'responses of one request': {
    head: `${head}{"timestamp":1,"response_timestamps":[`,
    piece: () => '2,',
    tail: `2]},${end}`,
  },
  'long responses of one request': {
    head: `${head}{"timestamp":1,"response_timestamps":[`,
    piece: () => `${ns},`,
    tail: `${ns}]},${end}`,
  },
  'requests without a response': {
    head,
    piece: () => '{"timestamp":1,"response_timestamps":[]},',
    tail: end,
  },
  'as many levels as are permitted': {
    head: '{"experiments":[',
    piece: () => ' ',
    tail: `${listed(profileExport.levels, (index) => one(index + 1)).join(',')}]}`,
  },
  'lists within each other': {
    head: '{"experiments":',
    piece: (index) => (index < json.objects - 2 ? '[' : ' '),
  },
  'objects within each other': {
    head: '{"x":',
    piece: (index) => (index < json.objects - 2 ? '{"a":' : ' '),
  },
  'lists within each other, closed': {
    head: `{"experiments":[],"x":${'['.repeat(json.objects - 9)}${']'.repeat(json.objects - 9)}`,
    piece: () => ' ',
    tail: '}',
  },
  'one long number': {
    head: `${head}{"timestamp":`,
    piece: () => '1',
    tail: `,"response_timestamps":[]},${end}`,
  },
  'long numbers that are not whole': {
    head: `${head}{"timestamp":`,
    piece: () => '1111111111111111111.',
    tail: `1}${end}`,
    pad: '1',
  },
  'one long text': { head: `{"x":"`, piece: () => 'x', tail: `","experiments":[${one(1)}]}` },
  'a text that is not closed': { head: `{"x":"`, piece: () => 'x' },
  'escaped quotes': { head: `{"x":"`, piece: () => '\\"', tail: `","experiments":[${one(1)}]}`, pad: 'x' },
  'short texts': { head: `{"x":[`, piece: () => '"a",', tail: `1],"experiments":[${one(1)}]}` },
  'members that differ': {
    head: '{',
    piece: (index) => `"k${index}":1,`,
    tail: `"experiments":[${one(1)}]}`,
  },
  blanks: { head: `{"experiments":[${one(1)}]`, piece: () => ' ', tail: '}' },
};

const profilePieces = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '1',
  '1700000000000000000',
  '"timestamp":',
  ' ',
  '\n',
  'null',
  '1e9',
  '-',
];

export const profilesAtLimit = (random: () => number): LimitFile[] => {
  const { bytes } = profileExport;
  const contents = upToTwenty(
    Object.entries(profileTable).map(([what, filling]): Titled => [what, () => filled(bytes, filling)]),
    () => mixed(bytes, profilePieces, random, head),
  );
  const above: readonly Titled[] = [
    [
      'one byte more',
      () => filled(bytes + 1, { head: `{"experiments":[${one(1)}]`, piece: () => ' ', tail: '}' }),
    ],
    [
      'one level more',
      () => `{"experiments":[${listed(profileExport.levels + 1, (index) => one(index + 1)).join(',')}]}`,
    ],
    [
      'one window more',
      () => `${head}${lastRequest}],"window_boundaries":[${bounds(profileExport.windows + 1)}]}]}`,
    ],
    ['one object more', () => `{"x":[${'{},'.repeat(json.objects - 1)}1],"experiments":[]}`],
  ];
  return [...inFiles(contents, 'a.json', asked), ...inFiles(above, 'a.json', asked, true)];
};
