import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileLimits } from '../../../main/contract/reader-limits';
import { filled, type Filling, inFiles, type LimitFile, mixed, type Titled, upToTwenty } from './at-limit';

const { yaml, shell, sourceCode } = fileLimits;

const texts = (bytes: number, table: Readonly<Record<string, Filling>>): Titled[] =>
  Object.entries(table).map(([what, filling]) => [what, () => filled(bytes, filling)]);

const nested = (depth: number) => `${'{a: '.repeat(depth)}1${'}'.repeat(depth)}`;
const laughs = Array.from({ length: 9 }, (_unused, level) => {
  const inner = level === 0 ? 'x,'.repeat(9) : `*a${level - 1},`.repeat(9);
  return `a${level}: &a${level} [${inner}]\n`;
}).join('');

const yamlTable = (head: string): Readonly<Record<string, Filling>> => ({
  'a key on each line': { head, piece: (index) => `k${index}: 1\n` },
  'one key again and again': { head, piece: () => 'k: 1\n' },
  'one list of numbers': { head: `${head}a: [`, piece: () => '1,', tail: ']\n' },
  'mappings sixty deep': { head: `${head}a:\n`, piece: () => `- ${nested(60)}\n`, pad: '\n' },
  'opening brackets': { head: `${head}a: `, piece: () => '[' },
  'dashes on one line': { head: `${head}a:\n  `, piece: () => '- ' },
  'question marks': { head, piece: () => '? ' },
  blanks: { head: `${head}a:`, piece: () => ' ', tail: 'x\n' },
  'lines of blanks': { head: `${head}a: x\n`, piece: () => '  \n' },
  tabs: { head: `${head}a:\n`, piece: () => '\t' },
  anchors: { head: `${head}a:\n`, piece: (index) => `- &a${index} x\n`, pad: '\n' },
  'a thousand aliases of a long list': {
    head: `${head}a: &a [${'1,'.repeat(20_000)}]\nb:\n${'- *a\n'.repeat(1000)}`,
    piece: () => '#\n',
    pad: '\n',
  },
  'aliases of aliases': { head: `${head}${laughs}`, piece: () => '#\n', pad: '\n' },
  'merge keys': { head: `${head}a: &a { b: 1 }\n`, piece: () => '<<: *a\n', pad: '\n' },
  'an error on each line': { head, piece: () => 'a: b: c\n', pad: '\n' },
  'a text that is not closed': { head: `${head}a: "`, piece: () => 'x ' },
  escapes: { head: `${head}a: "`, piece: () => '\\u00e9', tail: '"\n', pad: 'x' },
  'a text of many lines': { head: `${head}a: |\n`, piece: () => '  x\n' },
  documents: { head, piece: () => '---\n', pad: '\n' },
  tags: { head: `${head}a:\n`, piece: () => '- !!int x\n', pad: '\n' },
});

const yamlPieces = [
  ...['- ', '? ', ': ', 'a: ', '{', '}', '[', ']', ',', '\n', '  ', '\t', '"', "'", '&a ', '*a ', '!!map '],
  ...['|\n', '>\n', '---\n', '...\n', '# x\n', '%', '\\', '<<: ', 'x', '1', '\r\n', '~', 'configure:\n'],
];

const yamlTexts = (random: () => number, head = ''): readonly Titled[] =>
  upToTwenty(texts(yaml.bytes, yamlTable(head)), () => mixed(yaml.bytes, yamlPieces, random, head));

const longer = (bytes: number, line: string): Titled => [
  'one byte more',
  () => filled(bytes + 1, { piece: () => line }),
];

export const presetsAtLimit = (random: () => number): LimitFile[] => {
  const job = (path: string, dir: string) =>
    ({ ask: 'reader', name: 'preset', path, input: { path: dir } }) as const;
  return [
    ...inFiles(yamlTexts(random, 'id: x\n'), 'preset.yaml', job),
    ...inFiles([longer(yaml.bytes, 'a: 1\n')], 'preset.yaml', job, true),
  ];
};

const patches: Readonly<Record<string, Filling>> = {
  'a patch of many fields': {
    head: 'configure:\n  configPatch:\n',
    piece: (index) => `    p${index}: 1\n`,
    pad: '\n',
  },
  'a patch of many parameters': {
    head: 'configure:\n  configPatch:\n    parameters:\n',
    piece: (index) => `      p${index}: { stringValue: x }\n`,
    pad: '\n',
  },
  'a runner of many parameters': {
    head: 'configurations:\n- name: x\n  parameters:\n',
    piece: (index) => `    P${index}: x\n`,
    pad: '\n',
  },
  'many configurations of a runner': { head: 'configurations:\n', piece: () => '- name: x\n', pad: '\n' },
  'a model of many settings': { head: 'model:\n', piece: (index) => `  m${index}: 1\n`, pad: '\n' },
};

export const specsAtLimit = (random: () => number): LimitFile[] => {
  const job = (path: string) => ({ ask: 'text', path, fileName: 'run.yaml' }) as const;
  const general = yamlTexts(random, 'precision: fp16\n').filter((_unused, index) => index % 4 !== 1);
  return [
    ...inFiles([...texts(yaml.bytes, patches), ...general], 'run.yaml', job),
    ...inFiles([longer(yaml.bytes, 'a: 1\n')], 'run.yaml', job, true),
  ];
};

const shellTable: Readonly<Record<string, Filling>> = {
  'a variable on each line': { piece: (index) => `V${index}=1\n`, pad: '\n' },
  'all variables on one line': { piece: (index) => `V${index}=1 ` },
  'an array on many lines': { head: 'A=(\n', piece: () => 'x\n', tail: ')\n', pad: '\n' },
  'an array that is not closed': { head: 'A=(', piece: () => 'x\n' },
  'arrays opened again and again': { piece: () => 'A=(\n' },
  'blanks after export': { head: 'export', piece: () => ' ', tail: 'A\n' },
  'blanks in an array': { head: 'A=(', piece: () => ' ', tail: 'x)\n' },
  'options of declare': { head: 'declare ', piece: () => '-x ' },
  'expansions within each other': { head: 'A=', piece: () => '${A:-' },
  'expansions that are not closed': { piece: (index) => `A=\${B${index}:-$(\n`, pad: '\n' },
  'a variable that doubles with each line': { head: 'A=xx\n', piece: () => 'A=$A$A\n', pad: '\n' },
  'one long name': { head: 'A', piece: () => 'B', tail: '=1\n' },
  'one long value': { head: 'A=', piece: () => 'b', tail: '\n' },
  'quotes within each other': { head: 'A=', piece: () => `"'"'`, pad: 'x' },
  backslashes: { head: 'A=', piece: () => '\\' },
  'conditions that do not end': { piece: () => 'if\n', pad: '\n' },
  'ends without a condition': { piece: () => 'fi ;   ', pad: '\n' },
  'continued lines': { head: 'A=', piece: () => '\\\n', pad: 'x' },
};

const shellPieces = [
  ...[
    'A=',
    'export ',
    'declare -x ',
    '$A',
    '${A',
    '${A:-',
    '${A-',
    '}',
    '(',
    ')',
    '=(',
    '"',
    "'",
    '\\',
    '\n',
  ],
  ...[' ', ';', '#', '$(', '`', 'if ', 'fi', 'for ', 'done', 'PRECISION=fp16\n', 'x', '\t', '\r\n'],
];

export const shellAtLimit = (random: () => number): LimitFile[] => {
  const job = (path: string) => ({ ask: 'text', path, fileName: 'run.sh' }) as const;
  const contents = upToTwenty(texts(shell.bytes, shellTable), () => mixed(shell.bytes, shellPieces, random));
  return [
    ...inFiles(contents, 'run.sh', job),
    ...inFiles([longer(shell.bytes, 'A=1\n')], 'run.sh', job, true),
  ];
};

const codeTable: Readonly<Record<string, Filling>> = {
  'blanks behind def': { head: 'def', piece: () => ' ' },
  'lines behind def': { head: 'def', piece: () => '\n' },
  'def on each line': { piece: () => 'def\n', pad: '\n' },
  'blanks behind the name': { head: 'def get_model', piece: () => ' ' },
  'names that nearly are it': { piece: () => 'def get_modex(\n', pad: '\n' },
  'def with blanks on each line': { piece: () => `def${' '.repeat(1000)}\n`, pad: '\n' },
  'one line': { piece: () => 'x' },
  'empty lines': { piece: () => '\n' },
  'carriage returns': { piece: () => '\r' },
  zeros: { piece: () => '\0' },
  'bytes that are no text': { piece: () => '\xff' },
  classes: { piece: () => 'class\n', pad: '\n' },
};

const codePieces = [
  'def',
  'def ',
  'get_model',
  'get_model (',
  'class ',
  '\n',
  ' ',
  '\t',
  '(',
  'x',
  '\r',
  '#',
];

const definitions = {
  'model.py': 'def get_model(',
  'dataloader.py': 'def get_dataloader_fn(',
  'metrics.py': 'class MetricsCalculator:',
} as const;

const wholeFolder: LimitFile = {
  what: 'three files with what is looked for at their ends',
  async make(dir) {
    for (const [name, definition] of Object.entries(definitions)) {
      const text = filled(sourceCode.bytes, {
        piece: () => 'def\nclass\n',
        tail: `\n${definition}`,
        pad: '\n',
      });
      await writeFile(join(dir, name), text);
    }
    return { ask: 'reader', name: 'folderCode', path: dir, input: { path: dir } };
  },
};

export const codeAtLimit = (random: () => number): LimitFile[] => {
  const job = (path: string, dir: string) =>
    ({ ask: 'reader', name: 'folderCode', path, input: { path: dir } }) as const;
  const contents = upToTwenty(texts(sourceCode.bytes, codeTable), () =>
    mixed(sourceCode.bytes, codePieces, random),
  ).map(([what, content]): Titled<Buffer> => [what, () => Buffer.from(content(), 'latin1')]);
  return [
    wholeFolder,
    ...inFiles(contents.slice(1), 'model.py', job),
    ...inFiles([longer(sourceCode.bytes, 'def get_model():\n')], 'model.py', job, true),
  ];
};
