import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { type TlsFiles, withScheme } from '../contract/address';
import { WorkbenchError } from '../contract/errors';
import { type FieldRow, longFlag } from '../contract/fields/field';
import { defaultOf, fields, isNumberList, rowOf, valuesOf } from '../contract/fields/fields';
import { type EngineKind, engines, inputDataModes } from '../contract/run/run-spec';
import { treeOf } from '../contract/run/upstream-variables';
import { mergeTrees, type Tree } from '../contract/trees';
import { serverDefaults } from '../domain/run/server-plan';
import {
  readDuration,
  readIds,
  readIntervals,
  readNamed,
  readNumber,
  readNumbers,
  readPairs,
  readRange,
} from './read-values';

/** The verbs that take fields of the specification as options; `perf` those of the load alone. */
type Verb = 'run' | 'perf';

/** Options as commander gives them. */
export type GivenOptions = Readonly<Record<string, unknown>>;

const isOf = (verb: Verb, { path, runOnly = false }: FieldRow): boolean =>
  verb === 'run' || (path.startsWith('performance.') && !runOnly);

const optionsOf = (verb: Verb): readonly (readonly [FieldRow, option: string])[] =>
  fields.flatMap((row) => (row.option !== undefined && isOf(verb, row) ? [[row, row.option] as const] : []));

/** Of an option that may be repeated. */
export const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];

/** How a list is written. */
function formOf(row: FieldRow, verb: Verb): string | null {
  if (row.path.endsWith('.*')) return 'Repeatable.';
  const constraint = valuesOf(row);
  if (constraint.type === 'texts') return 'A list.';
  if (!isNumberList(constraint) || row.path === 'performance.requestIntervalsUs') return null;
  const formula = row.path === 'performance.concurrency' && verb === 'run';
  return `A list${formula ? ',' : ' or'} START:END:STEP${formula ? ', or "formula" for the published sweep' : ''}.`;
}

/** The row's help, what may be chosen, the default where no preset has another, and the published variable. */
function helpOf(row: FieldRow, verb: Verb): string {
  const { values = Object.keys(row.choices ?? {}) } = valuesOf(row);
  const usual = verb === 'perf' ? (serverDefaults[row.path] ?? defaultOf(row)) : undefined;
  const isShown = ['string', 'number'].includes(typeof usual) && usual !== 0;
  const [variable] = row.variables ?? [];
  return [
    row.help,
    values.length === 0 ? null : `One of ${values.join(', ')}.`,
    formOf(row, verb),
    isShown ? `Default: ${String(usual)}.` : null,
    row.aliases === undefined ? null : `Also ${row.aliases.join(', ')}.`,
    variable === undefined || verb === 'perf' ? null : `[${variable}]`,
  ]
    .filter((part) => part !== null)
    .join(' ');
}

/** Heads of the options in the help, by the first part of a field's path. */
const optionGroups: Readonly<Record<string, string>> = {
  model: 'Model:',
  engine: 'Engine:',
  configure: 'Triton configuration:',
  accuracy: 'Accuracy:',
  performance: 'Load:',
};

const groupOf = ({ path }: FieldRow): string => optionGroups[path.split('.')[0] ?? ''] ?? 'Model:';

/** Further names of an option, hidden in its help, which names them; each sets what the option sets. */
function addAliases(command: Command, option: Option, names: readonly string[]): void {
  for (const name of names) {
    const alias = new Option(`${name} <value>`).hideHelp();
    command.addOption(alias);
    command.on(`option:${alias.name()}`, (text: string) => {
      command.setOptionValueWithSource(option.attributeName(), text, 'cli');
    });
  }
}

/** The options of every field that the verb takes. */
export function addFieldOptions(command: Command, verb: Verb): Command {
  for (const [row, flags] of optionsOf(verb)) {
    const option = new Option(flags, helpOf(row, verb));
    if (row.path.endsWith('.*')) option.argParser(collect);
    command.addOption(option.helpGroup(groupOf(row)));
    addAliases(command, option, row.aliases ?? []);
  }
  return command;
}

/** `random`, `zero`, `dataset`, or the path of a file or folder with values. */
function inputTree(source: string): Tree {
  const isMode = inputDataModes.some((mode) => mode === source && mode !== 'file');
  const performance = isMode ? { inputData: source } : { inputData: 'file', inputDataFile: resolve(source) };
  return { performance };
}

/** What an option says that is not simply the value of its field. */
const special: Readonly<Record<string, (text: string, flag: string) => Tree | Promise<Tree>>> = {
  'performance.inputData': inputTree,
  // perf_analyzer's -1 is none.
  'performance.percentile': (text, flag) =>
    treeOf('performance.percentile', text.trim() === '-1' ? 0 : readNumber(flag, text)),
  // perf_analyzer's users write gRPC and HTTP.
  'performance.protocol': (text) => treeOf('performance.protocol', text.toLowerCase()),
  'engine.url': (text) => treeOf('engine.url', withScheme(text)),
  'engine.profile': (text) => treeOf('engine.profile', /\/|\.ya?ml$/.test(text) ? resolve(text) : text),
  'performance.concurrency': (text, flag) =>
    treeOf('performance.concurrency', text === 'formula' ? text : readRange(flag, text)),
  'performance.requestIntervalsUs': async (file, flag) =>
    treeOf('performance.requestIntervalsUs', await readIntervals(flag, file)),
  'performance.sequences.firstId': (text, flag) => treeOf('performance.sequences', readIds(flag, text)),
};

/** Times may have a unit of their own. */
function readAmount({ unit }: FieldRow, text: string, flag: string): number {
  return unit === 'ms' || unit === 's' || unit === 'µs'
    ? readDuration(flag, text, unit)
    : readNumber(flag, text);
}

/** The value of a field by what the schema takes; paths count from where the command is given. */
function valueOf(row: FieldRow, text: string, flag: string): unknown {
  switch (valuesOf(row).type) {
    case 'integer':
    case 'number':
      return readAmount(row, text, flag);
    case 'integers':
      return row.path.startsWith('performance.') ? readRange(flag, text) : readNumbers(flag, text);
    case 'numbers':
      return readRange(flag, text);
    case 'texts':
      return text.split(/[\s,]+/).filter((part) => part !== '');
    case 'boolean':
      return true;
    case 'text':
    case 'other':
      return row.pathKind === undefined ? text : resolve(text);
  }
}

async function treeOfOption(row: FieldRow, given: unknown, flag: string): Promise<Tree> {
  if (Array.isArray(given)) {
    const readEach = valuesOf(row).type === 'number' ? readNamed : readPairs;
    return treeOf(row.path.slice(0, -2), readEach(flag, given.map(String)));
  }
  const text = String(given);
  return (await special[row.path]?.(text, flag)) ?? treeOf(row.path, valueOf(row, text, flag));
}

/** The part of a specification that the options say. Throws input-invalid naming the option. */
export async function readFieldOptions(options: GivenOptions, verb: Verb): Promise<Tree> {
  const trees: Tree[] = [];
  for (const [row, flags] of optionsOf(verb)) {
    const given = options[new Option(flags).attributeName()];
    if (given !== undefined) trees.push(await treeOfOption(row, given, longFlag(flags)));
  }
  return trees.reduce<Tree>(mergeTrees, {});
}

/** The name that an option was typed by; undefined: it was not. */
const typedName = ({ option = '', aliases = [] }: FieldRow, typed: GivenOptions): string | undefined =>
  [...aliases, longFlag(option)].find((name) => typed[new Option(name).attributeName()] !== undefined);

/**
 * The one engine that the typed options of engines apply with: whoever gives containers GPUs means containers. null: no such
 * option was typed, or those of several engines.
 */
export function impliedEngine(options: GivenOptions): EngineKind | null {
  const given = new Map(
    optionsOf('run').flatMap(([row, flags]) => {
      const value = options[new Option(flags).attributeName()];
      return value === undefined ? [] : [[row, value] as const];
    }),
  );
  const valueAt = (kind: EngineKind) => (path: string) =>
    path === 'engine.kind' ? kind : [...given].find(([row]) => row.path === path)?.[1];
  const own = [...given.keys()].filter(({ path }) => path.startsWith('engine.') && path !== 'engine.kind');
  const kinds = engines.filter((kind) => own.every((row) => row.onlyWith?.holds(valueAt(kind)) ?? true));
  const [only, ...others] = kinds;
  if (only !== undefined && others.length === 0) return only;
  // Of fields that both schedulers have, the name that was typed says which is meant; an alias sets what it stands for, too.
  const typed = own.flatMap((row) => typedName(row, options) ?? []);
  return kinds.findLast((kind) => typed.some((name) => name.startsWith(`--${kind}-`))) ?? null;
}

/**
 * The option that sets a field, a part of it or what it belongs to, by the name that was typed where one was; the path
 * itself where no option does.
 */
export function flagOf(path: string, typed: GivenOptions = {}): string {
  for (let at = path; at.includes('.'); at = at.slice(0, at.lastIndexOf('.'))) {
    const rows = fields.filter(
      (row) => row.option !== undefined && (row === rowOf(at) || row.path.startsWith(`${at}.`)),
    );
    const names = rows.flatMap((row) => typedName(row, typed) ?? []);
    const [name = rows[0]?.option] = names;
    if (name !== undefined) return longFlag(name);
  }
  return path;
}

/** How to speak TLS, where an address asks for it. */
export interface TlsOptions {
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsServerName?: string;
  readonly tlsInsecure?: boolean;
}

/** perf_analyzer has a name for HTTP and one for gRPC. */
const perfAnalyzerNames: Readonly<Record<string, readonly string[]>> = {
  '--tls-ca': ['--ssl-https-ca-certificates-file', '--ssl-grpc-root-certifications-file'],
  '--tls-cert': ['--ssl-https-client-certificate-file', '--ssl-grpc-certificate-chain-file'],
  '--tls-key': ['--ssl-https-private-key-file', '--ssl-grpc-private-key-file'],
};

export function addTlsOptions(command: Command): Command {
  command
    .optionsGroup('TLS:')
    .option('--tls-ca <file>', 'PEM file of the authorities of an https server. Default: the system’s.')
    .option('--tls-cert <file>', 'PEM file of the client certificate, with its chain.')
    .option('--tls-key <file>', 'PEM file of its key.')
    .option('--tls-server-name <name>', 'Name in the server’s certificate. Default: the host of the address.')
    .option('--tls-insecure', 'Accept any certificate; every result says so.');
  for (const [name, aliases] of Object.entries(perfAnalyzerNames)) {
    const option = command.options.find(({ long }) => long === name);
    if (option !== undefined) addAliases(command, option, aliases);
  }
  return command;
}

/** @param secure some address asks for TLS. Throws input-invalid where the options would have no effect. */
export function readTlsOptions(options: TlsOptions, secure: boolean): TlsFiles {
  const { tlsCa, tlsCert, tlsKey, tlsServerName, tlsInsecure = false } = options;
  const files: TlsFiles = {
    ...(tlsCa === undefined ? {} : { caFile: resolve(tlsCa) }),
    ...(tlsCert === undefined ? {} : { certFile: resolve(tlsCert) }),
    ...(tlsKey === undefined ? {} : { keyFile: resolve(tlsKey) }),
    ...(tlsServerName === undefined ? {} : { serverName: tlsServerName }),
    ...(tlsInsecure ? { insecure: true } : {}),
  };
  if (!secure && Object.keys(files).length > 0) {
    throw new WorkbenchError('input-invalid', 'TLS options are given, and no address asks for TLS', {
      where: '--url',
      remedy: 'Begin the address with https://.',
    });
  }
  return files;
}
