import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileLimits } from '../../../main/contract/reader-limits';
import { repository } from '../home';
import { filled, type Filling, type LimitFile, mixed, type Titled, upToTwenty } from './at-limit';

const { bytes: mostBytes, parsedBytes } = fileLimits.nvidiaSmi;

const real = readFileSync(join(repository, 'test', 'fixtures', 'nvidia-smi', 'tesla-t4.xml'), 'utf8').replace(
  /<supported_clocks>[\s\S]*?<\/supported_clocks>/g,
  '',
);
const gpu = real.slice(real.indexOf('<gpu '), real.lastIndexOf('</gpu>') + 6);
const head = '<nvidia_smi_log><driver_version>1</driver_version>';
const tail = '</nvidia_smi_log>';

const table: Readonly<Record<string, Filling>> = {
  GPUs: { head, piece: () => gpu, tail },
  'empty GPUs': { head, piece: () => '<gpu/>', tail },
  'GPUs with a name': { head, piece: () => '<gpu><product_name>x</product_name></gpu>', tail },
  'processes of one GPU': {
    head: `${head}<gpu><processes>`,
    piece: (index) => `<process_info><pid>${index}</pid></process_info>`,
    tail: `</processes></gpu>${tail}`,
  },
  'MIG devices of one GPU': {
    head: `${head}<gpu><mig_devices>`,
    piece: (index) =>
      `<mig_device><index>${index}</index><gpu_instance_id>1</gpu_instance_id><compute_instance_id>1</compute_instance_id></mig_device>`,
    tail: `</mig_devices></gpu>${tail}`,
  },
  attributes: { head: '<nvidia_smi_log ', piece: (index) => `a${index}="b" `, tail: `>${tail}` },
  'attributes of a GPU': { head: `${head}<gpu `, piece: (index) => `a${index}="b" `, tail: `></gpu>${tail}` },
  'elements within each other': { head, piece: () => '<a>', tail },
  'elements within each other, closed': { head, piece: () => '<a></a>', tail },
  'elements that differ': { head: `${head}<gpu>`, piece: (index) => `<e${index}/>`, tail: `</gpu>${tail}` },
  'opening brackets': { head, piece: () => '<', tail },
  comments: { head, piece: () => '<!-- ', tail },
  'blanks in an element': { head: `${head}<gpu`, piece: () => ' ', tail: `></gpu>${tail}` },
  'blanks in a text': {
    head: `${head}<gpu><product_name>`,
    piece: () => ' ',
    tail: `x</product_name></gpu>${tail}`,
  },
  'one long text': {
    head: `${head}<gpu><product_name>`,
    piece: () => 'x',
    tail: `</product_name></gpu>${tail}`,
  },
  entities: {
    head: `${head}<gpu><product_name>`,
    piece: () => '&amp;',
    tail: `</product_name></gpu>${tail}`,
  },
  'raw text': { head, piece: () => '<![CDATA[x]]>', tail },
};

const pieces = [
  '<',
  '>',
  '</',
  '/>',
  '<gpu>',
  '</gpu>',
  '<a>',
  '</a>',
  ' ',
  '\n',
  '"',
  'a="b"',
  '&',
  ';',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?',
  '?>',
  'x',
];
const clocks = '<supported_clocks>';

/** A line that is longer than others is cut before it is looked at. */
const inLines = ({ piece, ...rest }: Filling): Filling => ({
  ...rest,
  piece: (index) => `${piece(index)}\n`,
});

const printed = (text: () => string, what: string, above?: true): LimitFile => ({
  what,
  ...(above === undefined ? {} : { above }),
  async make(dir) {
    const path = join(dir, 'nvidia-smi');
    await writeFile(join(dir, 'report.xml'), text());
    await writeFile(path, `#!/bin/sh\nexec /bin/cat ${join(dir, 'report.xml')}\n`, { mode: 0o755 });
    return { ask: 'nvidiaSmi', path };
  },
});

export const reportsAtLimit = (random: () => number): LimitFile[] => {
  const small: readonly Titled[] = Object.entries(table).map(([what, filling]) => [
    what,
    () => filled(parsedBytes, inLines(filling)),
  ]);
  const large: readonly Titled[] = [
    [
      'clocks',
      () =>
        filled(mostBytes - 1, {
          head: `${head}${gpu}${clocks}`,
          piece: (index) => `<c>${index}</c>\n`,
          tail: `</supported_clocks>${tail}`,
        }),
    ],
    [
      'lists of clocks that do not end',
      () => filled(mostBytes - 1, { head, piece: () => `${clocks}\n`, tail }),
    ],
  ];
  const above: readonly Titled[] = [
    [
      'one byte more to parse',
      () => filled(parsedBytes + 1, inLines(table['GPUs with a name'] ?? { piece: () => ' ' })),
    ],
    [
      'one byte more to read',
      () =>
        filled(mostBytes + 1, {
          head: `${head}${clocks}`,
          piece: () => ' ',
          tail: `</supported_clocks>${tail}`,
        }),
    ],
  ];
  return [
    ...upToTwenty(
      [...small, ...large],
      () => `${mixed(parsedBytes - tail.length, pieces, random, head)}${tail}`,
    ).map(([what, text]) => printed(text, what)),
    ...above.map(([what, text]) => printed(text, what, true)),
  ];
};
