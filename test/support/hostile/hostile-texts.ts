/** What a terminal, a page, a table or a parser could take for something else than text. */
const steering = [
  '\u001b]0;PWNED\u0007',
  '\u001b[2J\u001b[H',
  '\u001b]52;c;cHduZWQ=\u0007',
  '\u001bP+q544e\u001b\\',
  '\u009b31m',
  '\u009d0;PWNED\u009c',
  '\r\b\b\b\u0007',
  '\u0085\u2028',
  '\u202eevil',
  '<img src=x onerror=alert(1)>',
];

/** Text number `at` with something in it that steers. */
export const steeringText = (at: number): string =>
  `${at}${steering[at % steering.length] ?? ''}${steering[(at * 7 + 3) % steering.length] ?? ''}x`;

/** Names that objects of JavaScript, folders and addresses know already. */
const oddNames: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  '.',
  '..',
  '../../etc/passwd',
  '%2e%2e%2f',
  'a/b/c',
  'model:x/1',
  '\0',
  '\ud800',
  '😀'.repeat(60),
];

/** The kinds of sets of models that the server may list. */
export const nameSets = ['changing', 'steady', 'steering', 'same', 'long', 'odd', 'versions'] as const;
export type NameSet = (typeof nameSets)[number];

export interface ListedModel {
  readonly name: string;
  readonly version: string;
}

/** Always listed, so that it can be probed. */
export const probedModel: ListedModel = { name: 'probed', version: '1' };

/** `count` models of a kind. @param turn another number: other names, where they change */
export function modelsOf(set: NameSet, count: number, turn: number): ListedModel[] {
  const nameAt = (at: number): string => {
    switch (set) {
      case 'changing':
        return `model-${turn}-${at}`;
      case 'steering':
        return steeringText(at);
      case 'same':
        return 'same';
      case 'long':
        return `${at}-`.padEnd(at % 3 === 0 ? 100_000 : 250, 'n');
      case 'odd':
        return oddNames[at % oddNames.length] ?? '';
      case 'steady':
      case 'versions':
        return `steady-${set === 'versions' ? at % 3 : at}`;
    }
  };
  const versionAt = (at: number): string =>
    set === 'steering' ? steeringText(at + 1) : String((at % 9) + 1);
  const most = set === 'long' ? Math.min(count, 150) : count;
  return [
    probedModel,
    ...Array.from({ length: most }, (_unused, at) => ({
      name: nameAt(at),
      version: set === 'versions' ? String(at) : versionAt(at),
    })),
  ];
}
