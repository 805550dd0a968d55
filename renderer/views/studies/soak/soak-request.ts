import type { ServedModel } from '../../../../main/contract/run/measure-request';
import { parseShape } from '../../../../main/contract/run/shape-text';
import type { AskedSoakLoad, SoakRequest } from '../../../../main/contract/study/soak';
import { present, sameValue } from '../../../../main/contract/trees';
import type { SoakTarget } from '../../../stores/overlay';
import { isSecure } from '../search/place-field';

export type SoakKind = 'run' | 'deployment' | 'server';
export type SoakLoadKind = 'share' | 'rate' | 'concurrency';

/** As `servers.describe` and `soaks.plan` take it. */
interface SoakAddress {
  readonly url: string;
  readonly tls?: { readonly caFile: string };
}

/** What is typed. */
export interface SoakText {
  readonly kind: SoakKind;
  /** Empty: none is chosen. */
  readonly runId: string;
  readonly deployment: string;
  /** Of the deployment, or of the running Triton. */
  readonly model: string;
  readonly url: string;
  /** PEM file of the authorities of an https server; empty: those of the system. */
  readonly caFile: string;
  /** The address that was typed to its end; null: none. */
  readonly asked: SoakAddress | null;
  /** How often an address was asked. */
  readonly times: number;
  /** By input of the model: "128, 3". */
  readonly shapes: Readonly<Record<string, string>>;
  readonly time: number | string;
  readonly timeUnit: 'minutes' | 'hours';
  readonly load: SoakLoadKind;
  /** Percent, requests per second, or requests under way. */
  readonly amount: Readonly<Record<SoakLoadKind, number | string>>;
  /** Empty: that of the run, else 1. */
  readonly batchSize: number | string;
  /** Between two unloads; empty: never. */
  readonly reload: number | string;
  readonly reloadUnit: 'requests' | 'seconds';
  /** MB per hour of resident memory; empty: no limit. */
  readonly growth: number | string;
}

const usual: SoakText = {
  ...{ kind: 'run', runId: '', deployment: '', model: '', url: 'localhost:8000', caFile: '' },
  ...{ asked: null, times: 0, shapes: {}, time: 8, timeUnit: 'hours', load: 'share' },
  amount: { share: 60, rate: '', concurrency: '' },
  ...{ batchSize: '', reload: '', reloadUnit: 'requests', growth: '' },
};

/** The address as it is typed now. */
export const addressOf = ({ url, caFile }: Pick<SoakText, 'url' | 'caFile'>): SoakAddress => ({
  url: url.trim(),
  ...(isSecure(url) && caFile.trim() !== '' ? { tls: { caFile: caFile.trim() } } : {}),
});

export const isAsked = (text: SoakText): boolean =>
  text.asked !== null && sameValue(text.asked, addressOf(text));

/** Of a Triton of others no load is known of which a share could be taken. */
export function withKind(text: SoakText, kind: SoakKind): SoakText {
  const load = kind === 'server' && text.load === 'share' ? 'rate' : text.load;
  return { ...text, kind, load, model: '', shapes: {} };
}

export function soakTextOf(target: SoakTarget): SoakText {
  const { runId = '', deployment = '', url, caFile = '', model = '' } = target;
  const kind = url === undefined ? (deployment === '' ? 'run' : 'deployment') : 'server';
  const text = withKind({ ...usual, runId, deployment, caFile, ...present({ url }) }, kind);
  return { ...text, model, asked: url === undefined ? null : addressOf(text) };
}

const isPositive = (value: number | string): value is number => typeof value === 'number' && value > 0;

/** null: not a list of sizes. */
export function dimsOf(text: string): number[] | null {
  const written = parseShape(text);
  if (written === null || written.name !== null) return null;
  const sizes = written.dims.flatMap((size) => size ?? []);
  return sizes.length === written.dims.length ? sizes : null;
}

function loadOf({ load, amount }: SoakText): AskedSoakLoad | null {
  const value = amount[load];
  if (!isPositive(value)) return null;
  switch (load) {
    case 'share':
      return { share: value / 100 };
    case 'rate':
      return { requestRate: value };
    case 'concurrency':
      return Number.isInteger(value) ? { concurrency: value } : null;
  }
}

/** null: nothing is chosen yet, or a shape is missing. @param model of the running Triton, as it describes it */
function subjectOf(text: SoakText, model: ServedModel | null): SoakRequest['of'] | null {
  const { kind, runId, deployment, asked } = text;
  if (kind === 'run') return runId === '' ? null : { runId };
  if (kind === 'deployment') {
    const named = text.model === '' ? undefined : text.model;
    return deployment === '' ? null : { deployment, ...present({ model: named }) };
  }
  if (asked === null || !isAsked(text) || model === null) return null;
  const shapes = model.dynamicInputs.map(({ name }) => [name, dimsOf(text.shapes[name] ?? '')] as const);
  if (shapes.some(([, dims]) => dims === null)) return null;
  const given = Object.fromEntries(shapes.map(([name, dims]) => [name, dims ?? []]));
  return { ...asked, model: model.name, ...(shapes.length === 0 ? {} : { shapes: given }) };
}

function reloadOf({ reload, reloadUnit }: SoakText): SoakRequest['reloadEvery'] {
  if (!isPositive(reload)) return undefined;
  return reloadUnit === 'requests' ? { requests: Math.round(reload) } : { ms: Math.round(1000 * reload) };
}

/** "0.5", never "5e-7": a criterion has no exponent. */
const decimal = (value: number): string => value.toFixed(6).replace(/\.?0+$/, '');

const unitMs = { minutes: 60_000, hours: 3_600_000 } as const;

/** What is asked for; null: something is missing. */
export function soakRequestOf(text: SoakText, model: ServedModel | null): SoakRequest | null {
  const { time, timeUnit, batchSize, growth } = text;
  const [of, load] = [subjectOf(text, model), loadOf(text)];
  if (of === null || load === null || !isPositive(time)) return null;
  return {
    ...{ of, load, forMs: Math.round(time * unitMs[timeUnit]) },
    ...present({
      batchSize: isPositive(batchSize) ? Math.round(batchSize) : undefined,
      reloadEvery: reloadOf(text),
      criteria: isPositive(growth) ? [`rss-slope>${decimal(growth)}MB/h`] : undefined,
    }),
  };
}

/** What is missing, a sentence; null: nothing. */
export function missingText(text: SoakText, model: ServedModel | null): string | null {
  if (subjectOf(text, model) === null) {
    if (text.kind === 'run') return 'Choose a finished run.';
    if (text.kind === 'deployment') return 'Choose a deployment.';
    if (!isAsked(text)) return 'Check the address first.';
    return model === null ? 'Choose a model of the server.' : 'Enter the dimensions of each input.';
  }
  if (!isPositive(text.time)) return 'Enter how long the load lasts.';
  return loadOf(text) === null ? 'Enter the load.' : null;
}
