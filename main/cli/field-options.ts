import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { type TlsFiles, withScheme } from '../contract/address';
import { WorkbenchError } from '../contract/errors';
import { type FieldRow, longFlag } from '../contract/fields/field';
import { defaultOf, fields, isNumberList, rowOf, valuesOf } from '../contract/fields/fields';
import { type EngineKind, engines, inputDataModes } from '../contract/run/run-spec';
import { serverDefaults } from '../contract/run/server-load';
import { treeOf } from '../contract/run/upstream-variables';
import { mergeTrees, type Tree } from '../contract/trees';
import {
  readDuration,
  readIds,
  readIntervals,
  readNamed,
  readNumber,
  readNumbers,
  readPairs,
  readRange,
  readStages,
} from './read-values';

type Verb = 'run' | 'perf';

export type GivenOptions = Readonly<Record<string, unknown>>;

const isOf = (verb: Verb, { path, runOnly = false, serverOnly = false }: FieldRow): boolean =>
  verb === 'run' ? !serverOnly : path.startsWith('performance.') && !runOnly;

const optionsOf = (verb: Verb): readonly (readonly [FieldRow, option: string])[] =>
  fields.flatMap((row) => (row.option !== undefined && isOf(verb, row) ? [[row, row.option] as const] : []));

export const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];

function formOf(row: FieldRow, verb: Verb): string | null {
  if (row.path.endsWith('.*')) return 'Repeatable.';
  const constraint = valuesOf(row);
  if (constraint.type === 'texts') return row.path === 'performance.stages' ? null : 'A list.';
  if (!isNumberList(constraint) || row.path === 'performance.requestIntervalsUs') return null;
  const formula = row.path === 'performance.concurrency' && verb === 'run';
  return `A list${formula ? ',' : ' or'} START:END:STEP${formula ? ', or "formula" for the published sweep' : ''}.`;
}

/** The help of the row, its choices, its default unless presets differ, and the published variable. */
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

const optionGroups: Readonly<Record<string, string>> = {
  model: 'Model:',
  engine: 'Engine:',
  configure: 'Triton configuration:',
  accuracy: 'Accuracy:',
  performance: 'Load:',
};

function addAliases(command: Command, option: Option, names: readonly string[]): void {
  for (const name of names) {
    const alias = new Option(`${name} <value>`).hideHelp();
    command.addOption(alias);
    command.on(`option:${alias.name()}`, (text: string) => {
      command.setOptionValueWithSource(option.attributeName(), text, 'cli');
    });
  }
}

export function addFieldOptions(command: Command, verb: Verb): Command {
  for (const [row, flags] of optionsOf(verb)) {
    const option = new Option(flags);
    // Made for help only: it names values and defaults, which are read from the whole schema.
    Object.defineProperty(option, 'description', { get: () => helpOf(row, verb) });
    if (row.path.endsWith('.*')) option.argParser(collect);
    command.addOption(option.helpGroup(optionGroups[row.path.split('.')[0] ?? ''] ?? 'Model:'));
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

/** Options whose text needs more than parsing by the field's type. */
const special: Readonly<Record<string, (text: string, flag: string) => Tree | Promise<Tree>>> = {
  'performance.inputData': inputTree,
  // perf_analyzer writes -1 for "no percentile".
  'performance.percentile': (text, flag) =>
    treeOf('performance.percentile', text.trim() === '-1' ? 0 : readNumber(flag, text)),
  // perf_analyzer accepts any case.
  'performance.protocol': (text) => treeOf('performance.protocol', text.toLowerCase()),
  // perf_analyzer writes the path, and Triton's own names have an underscore.
  'performance.generation.endpoint': (text) =>
    treeOf(
      'performance.generation.endpoint',
      text
        .replace(/^\/?v1\//, '')
        .replace('chat/completions', 'chat')
        .replace('_', '-'),
    ),
  'engine.url': (text) => treeOf('engine.url', withScheme(text)),
  'engine.profile': (text) => treeOf('engine.profile', /\/|\.ya?ml$/.test(text) ? resolve(text) : text),
  'performance.concurrency': (text, flag) =>
    treeOf('performance.concurrency', text === 'formula' ? text : readRange(flag, text)),
  'performance.requestIntervalsUs': async (file, flag) =>
    treeOf('performance.requestIntervalsUs', await readIntervals(flag, file)),
  'performance.lengthDistribution': async (text) => {
    const { specifiedText } = await import('./read-lengths');
    return treeOf('performance.lengthDistribution', await specifiedText(text));
  },
  'performance.stages': async (text, flag) => treeOf('performance.stages', await readStages(flag, text)),
  'performance.sequences.firstId': (text, flag) => treeOf('performance.sequences', readIds(flag, text)),
};

/** Parses by the field's schema. Relative paths count from the working directory. */
function valueOf(row: FieldRow, text: string, flag: string): unknown {
  switch (valuesOf(row).type) {
    case 'integer':
    case 'number':
      return row.unit === 'ms' || row.unit === 's' || row.unit === 'µs'
        ? readDuration(flag, text, row.unit)
        : readNumber(flag, text);
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

/** The typed options as part of a specification. Throws input-invalid, naming the option. */
export async function readFieldOptions(options: GivenOptions, verb: Verb): Promise<Tree> {
  const trees: Tree[] = [];
  for (const [row, flags] of optionsOf(verb)) {
    const given = options[new Option(flags).attributeName()];
    if (given !== undefined) trees.push(await treeOfOption(row, given, longFlag(flags)));
  }
  return trees.reduce<Tree>(mergeTrees, {});
}

/** The name an option was typed by, or undefined. */
const typedName = ({ option = '', aliases = [] }: FieldRow, typed: GivenOptions): string | undefined =>
  [...aliases, longFlag(option)].find((name) => typed[new Option(name).attributeName()] !== undefined);

/** The only engine to which the typed engine options apply, or null. */
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
  // Both schedulers share some fields: the typed name decides. An alias also sets the option it stands for.
  const typed = own.flatMap((row) => typedName(row, options) ?? []);
  return kinds.findLast((kind) => typed.some((name) => name.startsWith(`--${kind}-`))) ?? null;
}

/** The option that sets a field, one of its parts or its parent, by the typed name if any; otherwise the path itself. */
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

/** @param secure whether an address uses TLS. Throws input-invalid where the options would have no effect. */
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
