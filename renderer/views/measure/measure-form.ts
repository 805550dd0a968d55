import {
  headerProblem,
  isLoopback,
  parseRemoteUrl,
  type RequestHeader,
} from '../../../main/contract/address';
import { longFlag } from '../../../main/contract/fields/field';
import { fieldAt } from '../../../main/contract/fields/fields';
import type { MeasureRequest, ServedModel } from '../../../main/contract/run/measure-request';
import type { SpecProblem } from '../../../main/contract/run/spec-tools';
import { getAt, setAt, type Tree, unsetAt } from '../../../main/contract/trees';
import { gatewayOf } from '../../../main/domain/run/gateway';
import { protocolIn, readServerLoad, wantedLoad } from '../../../main/domain/run/server-plan';
import { shapeFinding } from '../../../main/domain/run/shape-finding';
import { problemsOf } from '../new-deployment/problems';
import { textProblem } from '../new-deployment/read-text';
import { asksFrontend, loadPathsOf, measureFields, shapedInputs, valueIn } from './measure-fields';

export interface MeasureForm {
  readonly url: string;
  /** Host that connects to the address; '': this machine. */
  readonly host: string;
  /** PEM file of the authorities of an https server; empty: the system's. */
  readonly caFile: string;
  /** One per line: "Authorization: Bearer …". */
  readonly headers: string;
  /** Gateway to measure too; '': none. */
  readonly via: string;
  readonly model: string;
  /** Chosen load fields and input shapes, a part of a specification. */
  readonly fields: Tree;
  readonly p99BudgetMs: number | null;
}

export type Address = Pick<MeasureForm, 'url' | 'host' | 'caFile' | 'headers' | 'fields'>;

export const emptyForm: MeasureForm = {
  url: 'localhost:8000',
  host: '',
  caFile: '',
  headers: '',
  via: '',
  model: '',
  fields: {},
  p99BudgetMs: null,
};

const intervalPath = 'performance.measurementIntervalMs';

const headersOf = (text: string): readonly RequestHeader[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      return { name: line.slice(0, Math.max(0, colon)).trim(), value: line.slice(colon + 1).trim() };
    });

export const serverOf = ({
  url,
  host,
  caFile,
  headers,
}: Omit<Address, 'fields'>): Pick<MeasureRequest, 'url' | 'host' | 'tls' | 'headers'> => ({
  url: url.trim(),
  ...(host === '' ? {} : { host }),
  ...(isSecure(url) && caFile.trim() !== '' ? { tls: { caFile: caFile.trim() } } : {}),
  ...(headers.trim() === '' ? {} : { headers: [...headersOf(headers)] }),
});

const problemAt = (field: string, message: string | null | undefined): readonly SpecProblem[] =>
  typeof message === 'string' ? [{ field, severity: 'problem', message, remedy: null }] : [];

const required = 'Required';

const shapesOf = (form: MeasureForm, model: ServedModel | null) =>
  shapedInputs(form, model).map((input) => ({
    ...input,
    shape: valueIn(form, ['model', 'shapes', input.name]),
  }));

function shapeProblems(form: MeasureForm, model: ServedModel | null): readonly SpecProblem[] {
  return shapesOf(form, model).flatMap(({ name, dims, shape }) => {
    if (shape === undefined) return problemAt(`model.shapes.${name}`, required);
    return Array.isArray(shape) ? (shapeFinding(name, shape as number[], dims) ?? []) : [];
  });
}

function viaProblems({ via, performance }: MeasureRequest): readonly SpecProblem[] {
  if (via === undefined) return [];
  try {
    gatewayOf(via, protocolIn(performance));
    return [];
  } catch (error) {
    return problemAt('via', error instanceof Error ? error.message : String(error));
  }
}

function ruleProblems(request: MeasureRequest, model: ServedModel | null): readonly SpecProblem[] {
  try {
    const wanted = wantedLoad(request);
    const known = model === null ? undefined : { ...model, traits: null };
    return readServerLoad(wanted, known).findings;
  } catch {
    return [];
  }
}

function requestOf(form: MeasureForm, model: ServedModel | null): MeasureRequest {
  const { p99BudgetMs: budget } = form;
  const shapes = shapesOf(form, model).map(({ name, shape }) => [name, shape]);
  const via = form.via.trim();
  const performance = loadPathsOf(form).reduce<Tree>((tree, path) => {
    const keys = path.split('.');
    // Looks at a gateway have a length of their own.
    const isLeftOut = via !== '' && path === intervalPath && getAt(form.fields, keys) === undefined;
    const value = isLeftOut ? undefined : valueIn(form, keys);
    return value === undefined ? tree : setAt(tree, keys.slice(1), value);
  }, {});
  return {
    ...serverOf(form),
    ...(via === '' ? {} : { via }),
    model: form.model,
    modelVersion: '',
    shapes: Object.fromEntries(shapes) as Record<string, number[]>,
    performance,
    ...(budget === null || budget <= 0 ? {} : { p99BudgetMs: budget }),
  };
}

export interface ReadForm {
  readonly request: MeasureRequest | null;
  readonly problems: readonly SpecProblem[];
}

export function readForm(form: MeasureForm, model: ServedModel | null): ReadForm {
  const fields = measureFields(form, model);
  // Unreadable fields report themselves; the rest is checked with their defaults.
  const readable = fields
    .filter(({ control, keys }) => textProblem(control, getAt(form.fields, keys)) !== null)
    .reduce((tree, { keys }) => unsetAt(tree, keys), form.fields);
  const asked = requestOf({ ...form, fields: readable }, model);
  const found = [
    ...problemAt('url', form.url.trim() === '' ? required : null),
    ...problemAt(
      'headers',
      headersOf(form.headers)
        .map(headerProblem)
        .find((problem) => problem !== null),
    ),
    ...viaProblems(asked),
    ...problemAt('model', form.model === '' ? required : null),
    ...shapeProblems(form, model),
    ...ruleProblems(asked, model),
  ];
  const problems = problemsOf(fields, form.fields, { problems: found }, null);
  const isWrong = problems.some(({ severity }) => severity === 'problem');
  return { request: isWrong ? null : requestOf(form, model), problems };
}

export const isSecure = (url: string): boolean => /^https:\/\//i.test(url.trim());

/** Normalized as the window reads them, so that the command reaches the same server; other text is unchanged. */
function addressArguments(url: string, host: string | undefined, isFrontend: boolean): readonly string[] {
  try {
    const { http, grpc, secure } = parseRemoteUrl(url);
    const isHere = isLoopback(http) && isLoopback(grpc);
    return [
      ...['-u', secure ? `https://${http}` : http],
      ...(isFrontend ? [] : ['--grpc-url', secure ? `grpcs://${grpc}` : grpc]),
      ...(host === undefined ? [] : ['--host', host]),
      ...(isHere ? [] : ['--allow-remote-load']),
    ];
  } catch {
    return ['-u', url];
  }
}

export function commandOf(request: MeasureRequest): readonly string[] {
  const { url, host, tls, headers, model, shapes, p99BudgetMs, performance, via } = request;
  const form = { fields: { performance } };
  return [
    ...['triton-workbench', 'perf', ...addressArguments(url, host, asksFrontend(form)), '-m', model],
    ...(via === undefined ? [] : ['--via', via]),
    ...loadPathsOf(form).flatMap((path) => {
      const values = [getAt(request, path.split('.'))].flat();
      return values[0] === undefined
        ? []
        : [longFlag(fieldAt(path).option ?? ''), values.map(String).join(',')];
    }),
    ...Object.entries(shapes).flatMap(([name, dims]) => ['--shape', `${name}:${dims.join(',')}`]),
    ...(tls?.caFile === undefined ? [] : ['--tls-ca', tls.caFile]),
    // The value is left out: whoever copies the command adds it.
    ...(headers ?? []).flatMap(({ name }) => ['-H', `${name}: …`]),
    ...(p99BudgetMs === undefined ? [] : ['--p99-budget-ms', String(p99BudgetMs)]),
  ];
}
