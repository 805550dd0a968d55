import { type Command, Option } from 'commander';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { collect } from '../field-options';
import { type AnalyzerOption, analyzerOptions } from './analyzer-options';
import type { PerfOptions } from './perf-options';

/** The flags as typed: "--max-threads", "-v". */
export const namesOf = ({ flags }: Pick<AnalyzerOption, 'flags'>): readonly string[] =>
  flags.split(/[ ,]+/).filter((part) => part.startsWith('-'));

const nameOf = (row: AnalyzerOption): string => namesOf(row).at(-1) ?? row.flags;

/** Hidden options of perf_analyzer that `perf` lacks. */
export function addAnalyzerOptions(command: Command): Command {
  const known = new Set(command.options.flatMap(({ short, long }) => [short, long]));
  for (const row of analyzerOptions) {
    if (row.is === 'same' || namesOf(row).some((name) => known.has(name))) continue;
    const option = new Option(row.flags).hideHelp();
    // --request-parameter and --trace-level may be repeated.
    if (row.is === 'analyzer') option.argParser(collect);
    command.addOption(option);
  }
  return command;
}

const unsupported = (where: string, message: string, remedy?: string) =>
  new WorkbenchError('combination-unsupported', message, { where, remedy });

/** Throws input-invalid for a value that perf_analyzer refuses. */
function checkValue(row: AnalyzerOption, value: string): void {
  const { least, of } = row;
  if (of !== undefined && !of.includes(value))
    throw invalidInput(nameOf(row), `"${value}" is not one of ${of.join(', ')}`);
  if (least !== undefined && !(/^-?\d+$/.test(value) && Number(value) >= least))
    throw invalidInput(nameOf(row), `"${value}" is not a whole number of at least ${least}`);
}

/** The `perf` equivalents, and the remaining arguments. */
export interface ReadAnalyzerOptions {
  readonly options: PerfOptions;
  /** Passed to perf_analyzer if it measures. */
  readonly analyzerArguments: readonly string[];
  readonly notes: readonly string[];
}

/** The typed options with their values; flags have none. */
function given(options: PerfOptions): readonly (readonly [AnalyzerOption, readonly string[]])[] {
  return analyzerOptions.flatMap((row) => {
    if (row.is === 'same') return [];
    const value = options[new Option(row.flags).attributeName()];
    if (value === undefined) return [];
    const values = [value].flat().filter((one) => typeof one === 'string');
    for (const one of values) checkValue(row, one);
    return [[row, values] as const];
  });
}

type Mapping = (options: PerfOptions, value: string) => PerfOptions;

const withInput: Mapping = (options, source) => ({
  ...options,
  inputData: [...(options.inputData ?? []), source],
});

const isSecure = ({ url = '', grpcUrl = '' }: PerfOptions): boolean =>
  [url, grpcUrl].some((address) => /^(?:https|grpcs):/i.test(address));

/** Ignored unless an address uses TLS. */
const unverified: Mapping = (options, value) =>
  value === '0' && isSecure(options) ? { ...options, tlsInsecure: true } : options;

function onlyPem(name: string): Mapping {
  return (options, value) => {
    if (value !== 'PEM')
      throw unsupported(
        name,
        `Certificates and keys are read as PEM only, not ${value}`,
        'Convert the file.',
      );
    return options;
  };
}

/** Deprecated flag for gRPC over TLS; here the address decides. */
const overTls: Mapping = (options, value) => {
  if (value === 'false' || String(options['protocol']).toLowerCase() === 'http') return options;
  if (options.grpcUrl !== undefined)
    return { ...options, grpcUrl: options.grpcUrl.replace(/^(?:grpc:\/\/)?(?!\w+:\/\/)/i, 'grpcs://') };
  return {
    ...options,
    url: (options.url ?? 'localhost:8001').replace(/^(?:grpc:\/\/)?(?!\w+:\/\/)/i, 'grpcs://'),
  };
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Deprecated in perf_analyzer: first and last concurrency. */
function byThreads(name: '-t' | '-c'): Mapping {
  return (options, value) => {
    const clash = [
      ['--concurrency-range', options['concurrency']],
      ['--request-rate-range', options['requestRate']],
      ['--request-intervals', options['requestIntervals']],
    ].find(([, other]) => other !== undefined);
    const own = name === '-c' && options['t'] !== undefined;
    if (clash !== undefined && !own)
      throw unsupported(name, `${name} and ${String(clash[0])} cannot be used together`, `Remove ${name}.`);
    const { t = '1' } = options;
    const first = name === '-t' ? value : textOf(t);
    return { ...options, concurrency: name === '-t' ? value : `${first}:${value}` };
  };
}

const mappings: Readonly<Record<string, Mapping>> = {
  '--service-kind': (options, value) => {
    if (value === 'openai' && options['endpoint'] !== undefined) return options;
    if (value !== 'triton')
      throw unsupported('--service-kind', `perf measures Triton, not ${value}`, 'Use perf_analyzer itself.');
    return options;
  },
  '--binary-search': (options) => ({ ...options, search: 'binary' }),
  '-t': byThreads('-t'),
  '-c': byThreads('-c'),
  '-z': (options) => withInput(options, 'zero'),
  '--data-directory': withInput,
  '--ssl-grpc-use-ssl': overTls,
  '--ssl-https-verify-peer': unverified,
  '--ssl-https-verify-host': unverified,
  '--ssl-https-client-certificate-type': onlyPem('--ssl-https-client-certificate-type'),
  '--ssl-https-private-key-type': onlyPem('--ssl-https-private-key-type'),
};

/** Combinations that perf_analyzer refuses. Throws combination-unsupported. */
function checkTogether(options: PerfOptions): void {
  if (options['async'] === true && options['sync'] === true)
    throw unsupported('--sync', '--async and --sync cannot be used together', 'Remove one of them.');
  if (options['sync'] === true && options['streaming'] === true)
    throw unsupported('--sync', 'A stream is always asynchronous', 'Remove --sync.');
  const protocol = textOf(options['protocol']).toLowerCase();
  const needed = [
    ['--request-parameter', 'requestParameter', 'http', 'gRPC'],
    ['--grpc-compression-algorithm', 'grpcCompressionAlgorithm', 'http', 'gRPC'],
  ] as const;
  for (const [name, attribute, other, only] of needed) {
    if (options[attribute] !== undefined && protocol === other)
      throw unsupported(
        name,
        `${name} is only supported over ${only}`,
        `Remove it, or measure over ${only}.`,
      );
  }
}

/** An option without values is a flag. */
const argumentsOf = (
  name: string,
  values: readonly string[],
  theirs: readonly string[],
): readonly string[] => (values.length === 0 ? [name] : theirs.flatMap((value) => [name, value]));

const mapped = (options: PerfOptions, name: string, values: readonly string[]): PerfOptions =>
  (values.length === 0 ? [''] : values).reduce(
    (before, value) => mappings[name]?.(before, value) ?? before,
    options,
  );

/** Selects perf_analyzer if only it has an option. Throws combination-unsupported. */
function withTool(
  options: PerfOptions,
  names: readonly string[],
): { readonly options: PerfOptions; readonly note: string | null } {
  const [name] = names;
  if (name === undefined) return { options, note: null };
  const { loadTool } = options;
  if (loadTool === 'native' || options['crossCheck'] === true)
    throw unsupported(
      name,
      `The built-in load generator has no ${name}`,
      'Remove it, or measure with --load-tool perf_analyzer.',
    );
  if (loadTool !== undefined) return { options, note: null };
  return {
    options: { ...options, loadTool: 'perf_analyzer' },
    note: `Measured with perf_analyzer: the built-in load generator has no ${names.join(' and no ')}`,
  };
}

/** Throws input-invalid for values that perf_analyzer refuses, combination-unsupported for what neither tool can do. */
export function readAnalyzerOptions(typed: PerfOptions): ReadAnalyzerOptions {
  checkTogether(typed);
  let options = typed;
  const analyzerArguments: string[] = [];
  const needsAnalyzer: string[] = [];
  const idle: string[] = [];
  for (const [row, values] of given(typed)) {
    const name = nameOf(row);
    if (row.is === 'refused')
      throw unsupported(name, `${name} is not supported: ${row.note ?? ''}`, `Remove ${name}.`);
    if (row.is === 'mapped') options = mapped(options, name, values);
    if (row.is === 'idle') idle.push(`${name} (${row.note ?? ''})`);
    const own = row.is === 'analyzer';
    const theirs = own ? values.filter((value) => value !== row.usual) : values;
    if (own && theirs.length > 0) needsAnalyzer.push(name);
    if (own || row.forwarded === true) analyzerArguments.push(...argumentsOf(name, values, theirs));
  }
  const { options: measured, note } = withTool(options, needsAnalyzer);
  const hasEffect = measured['loadTool'] === 'perf_analyzer';
  return {
    options: measured,
    analyzerArguments,
    notes: [
      ...(note === null ? [] : [note]),
      ...(idle.length === 0 || hasEffect ? [] : [`No effect here: ${idle.join('; ')}`]),
    ],
  };
}
