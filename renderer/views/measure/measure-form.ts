import {
  headerProblem,
  isLoopback,
  parseRemoteUrl,
  type RequestHeader,
} from '../../../main/contract/address';
import type { MeasureRequest, ServedModel } from '../../../main/contract/run/measure-request';
import { parseIntegers } from '../new-deployment/read-text';

/** What is typed, as it is typed. */
export interface MeasureForm {
  readonly url: string;
  /** Host that sees the address; '' is this machine. */
  readonly host: string;
  /** PEM file of the authorities of an https server; empty: the system's. */
  readonly caFile: string;
  /** A line each: "Authorization: Bearer …". */
  readonly headers: string;
  readonly model: string;
  readonly batchSizes: string;
  readonly concurrency: string;
  readonly protocol: 'grpc' | 'http';
  /** Length of a window, milliseconds. */
  readonly windowMs: number | null;
  readonly p99BudgetMs: number | null;
  /** Dimensions of the inputs that have open ones, by input. */
  readonly shapes: Readonly<Record<string, string>>;
}

export const emptyForm: MeasureForm = {
  url: 'localhost:8000',
  host: '',
  caFile: '',
  headers: '',
  model: '',
  batchSizes: '1',
  concurrency: '1, 2, 4, 8',
  protocol: 'grpc',
  windowMs: 2000,
  p99BudgetMs: null,
  shapes: {},
};

type Problems = Readonly<Partial<Record<keyof MeasureForm, string>>>;

export type ReadForm =
  | { readonly request: MeasureRequest; readonly problems: null }
  | { readonly request: null; readonly problems: Problems };

const sentence = (read: readonly number[] | string): string | null =>
  typeof read === 'string' ? read : null;

/** Batches that the model does not take are refused here rather than by every request. */
function batchProblem(read: readonly number[] | string, model: ServedModel | null): string | null {
  if (typeof read === 'string') return read;
  const most = model === null ? null : Math.max(1, model.maxBatchSize);
  const bad = read.find((size) => most !== null && size > most);
  return bad === undefined ? null : `The model takes batches of at most ${String(most)}`;
}

function shapesProblem(shapes: MeasureForm['shapes'], model: ServedModel | null): string | null {
  for (const { name, dims } of model?.dynamicInputs ?? []) {
    const read = parseIntegers(shapes[name] ?? '', false);
    if (typeof read === 'string') return `${name}: ${read}`;
    if (read.length !== dims.length) return `${name}: ${dims.length} dimensions are needed`;
    const fixed = dims.findIndex((dim, axis) => dim !== -1 && dim !== read[axis]);
    if (fixed >= 0) return `${name}: dimension ${fixed + 1} is ${String(dims[fixed])}`;
  }
  return null;
}

/** A header per line that has any text. */
const headersOf = (text: string): readonly RequestHeader[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      return { name: line.slice(0, Math.max(0, colon)).trim(), value: line.slice(colon + 1).trim() };
    });

const headersProblem = (text: string): string | null =>
  headersOf(text)
    .map(headerProblem)
    .find((problem) => problem !== null) ?? null;

/** The server as the core is asked for it. Pure. */
export const serverOf = ({
  url,
  host,
  caFile,
  headers,
}: Pick<MeasureForm, 'url' | 'host' | 'caFile' | 'headers'>): Pick<
  MeasureRequest,
  'url' | 'host' | 'tls' | 'headers'
> => ({
  url: url.trim(),
  ...(host === '' ? {} : { host }),
  ...(isSecure(url) && caFile.trim() !== '' ? { tls: { caFile: caFile.trim() } } : {}),
  ...(headers.trim() === '' ? {} : { headers: [...headersOf(headers)] }),
});

/** What is asked for, or what is wrong with which field. Pure. */
export function readForm(form: MeasureForm, model: ServedModel | null): ReadForm {
  const batchSizes = parseIntegers(form.batchSizes, false);
  const concurrency = parseIntegers(form.concurrency, false);
  const found: Readonly<Partial<Record<keyof MeasureForm, string | null>>> = {
    url: form.url.trim() === '' ? 'Required' : null,
    headers: headersProblem(form.headers),
    model: form.model === '' ? 'Required' : null,
    batchSizes: batchProblem(batchSizes, model),
    concurrency: sentence(concurrency),
    windowMs: form.windowMs === null || form.windowMs < 1 ? 'A window lasts at least 1 ms' : null,
    shapes: shapesProblem(form.shapes, model),
  };
  const problems = Object.fromEntries(Object.entries(found).filter(([, text]) => text !== null)) as Problems;
  if (Object.keys(problems).length > 0) return { request: null, problems };
  const shapes = (model?.dynamicInputs ?? []).map(({ name }) => [
    name,
    parseIntegers(form.shapes[name] ?? '', true),
  ]);
  const budget = form.p99BudgetMs;
  return {
    problems: null,
    request: {
      ...serverOf(form),
      model: form.model,
      modelVersion: '',
      shapes: Object.fromEntries(shapes) as Record<string, number[]>,
      performance: {
        batchSizes,
        concurrency,
        protocol: form.protocol,
        measurementIntervalMs: form.windowMs,
      },
      ...(budget === null || budget <= 0 ? {} : { p99BudgetMs: budget }),
    },
  };
}

export const isSecure = (url: string): boolean => /^https:\/\//i.test(url.trim());

/** Both addresses as the window reads them, so that the command reaches the same server; anything but an address stays as typed. */
function addressArguments(url: string, host: string | undefined): readonly string[] {
  try {
    const { http, grpc, secure } = parseRemoteUrl(url);
    const isHere = isLoopback(http) && isLoopback(grpc);
    return [
      ...['-u', secure ? `https://${http}` : http],
      ...['--grpc-url', secure ? `grpcs://${grpc}` : grpc],
      ...(host === undefined ? [] : ['--host', host]),
      ...(isHere ? [] : ['--allow-remote-load']),
    ];
  } catch {
    return ['-u', url];
  }
}

/** The same on the command line, which has every other option too. Pure. */
export function commandOf({
  url,
  host,
  tls,
  headers,
  model,
  shapes,
  performance,
  p99BudgetMs,
}: MeasureRequest): readonly string[] {
  const list = (name: string) => [performance[name]].flat().map(String).join(',');
  return [
    ...['triton-workbench', 'perf', ...addressArguments(url, host), '-m', model],
    ...['--batch-sizes', list('batchSizes'), '--concurrency', list('concurrency')],
    ...['--protocol', list('protocol'), '--measurement-interval-ms', list('measurementIntervalMs')],
    ...Object.entries(shapes).flatMap(([name, dims]) => ['--shape', `${name}:${dims.join(',')}`]),
    ...(tls?.caFile === undefined ? [] : ['--tls-ca', tls.caFile]),
    // Not its value: whoever copies the command puts it in.
    ...(headers ?? []).flatMap(({ name }) => ['-H', `${name}: …`]),
    ...(p99BudgetMs === undefined ? [] : ['--p99-budget-ms', String(p99BudgetMs)]),
  ];
}
