import {
  type Alert,
  type AlertRule,
  longestAlertText,
  modelKey,
  type ModelSample,
  type MonitorMarker,
  type MonitorSample,
  mostAlerts,
} from '../contract/monitor/monitor';
import { formatMeasured, formatTyped } from '../contract/numbers';

/** How long a resolved alert is shown. */
const resolvedMs = 15 * 60_000;
/** A model unlisted for longer is gone; failed index polls are shorter. */
const missingMs = 10_000;

interface Held {
  readonly subject: string;
  /** Problem text; null: fine; undefined: unknown in this sample. */
  readonly wrong: string | null | undefined;
}

interface Measured {
  readonly value: (model: ModelSample) => number | null | undefined;
  readonly shown: (value: number) => number;
  readonly name: string;
  readonly unit: string;
}

const milliseconds = (us: number): number => us / 1000;
const percent = (share: number): number => share * 100;
const measured: Readonly<Record<Exclude<AlertRule['metric'], 'model' | 'server'>, Measured>> = {
  'probe-p99-ms': {
    value: ({ probe }) => probe?.p99Us,
    shown: milliseconds,
    name: 'p99 of the probes',
    unit: 'ms',
  },
  'error-percent': { value: ({ rates }) => rates?.errorShare, shown: percent, name: 'errors', unit: '%' },
  'queue-ms': { value: ({ rates }) => rates?.queueUs, shown: milliseconds, name: 'queue', unit: 'ms' },
};

const cut = (text: string): string =>
  text.length <= longestAlertText ? text : `${text.slice(0, longestAlertText)}…`;

const isOnItsWay = ({ state }: ModelSample): boolean => state === 'loading' || state === 'unloading';

function ofModel({ metric, above }: AlertRule, model: ModelSample): string | null | undefined {
  if (metric === 'server') return undefined;
  if (metric === 'model') {
    if (isOnItsWay(model)) return undefined;
    return model.state === 'ready'
      ? null
      : cut(`${model.state}${model.reason === null ? '' : `: ${model.reason}`}`);
  }
  const { value, shown, name, unit } = measured[metric];
  const found = value(model) ?? null;
  if (found === null) return undefined;
  return shown(found) > above
    ? `${name} ${formatMeasured(shown(found))} ${unit}, above ${formatTyped(above)} ${unit}`
    : null;
}

/** Triton's reason for unloaded versions in its index. */
const isLeftOut = ({ reason }: { readonly reason: string | null }): boolean =>
  reason === 'Not loaded' || reason === 'unloaded';

/** Unloaded models are not in trouble, unless the rule names them. */
const left = (rule: AlertRule, model: ModelSample): boolean =>
  rule.metric === 'model' && rule.model === '' && isLeftOut(model);

/** The server's state shows why it does not respond. */
function serverTrouble({ state, reason, version }: MonitorSample['server']): string {
  if (state === 'gone') return version === null ? 'never reached' : 'unreachable';
  return reason === null ? state : `${state}: ${reason}`;
}

function heldBy(rule: AlertRule, sample: MonitorSample): readonly Held[] {
  const { server } = sample;
  if (rule.metric === 'server') {
    const wrong = server.state === 'up' ? null : serverTrouble(server);
    // With strict readiness a server is not ready while it loads a model.
    const busy = server.state === 'not-ready' && sample.models.some(isOnItsWay);
    return [{ subject: 'server', wrong: busy ? undefined : wrong }];
  }
  return sample.models
    .filter((model) => rule.model === '' || model.name === rule.model)
    .map((model) => ({
      subject: modelKey(model),
      // If the server is gone, its own rule fires, and models keep their state.
      wrong: server.state === 'gone' ? undefined : left(rule, model) ? null : ofModel(rule, model),
    }));
}

/** Rules with a limit for which this sample has a figure of some model. */
export const judgedRules = (rules: readonly AlertRule[], sample: MonitorSample): readonly AlertRule[] =>
  rules.filter(
    (rule) =>
      Object.hasOwn(measured, rule.metric) && heldBy(rule, sample).some(({ wrong }) => wrong !== undefined),
  );

/** Active rules that need a figure and never had one. */
export const unjudgedRules = (
  rules: readonly AlertRule[],
  judged: ReadonlySet<string>,
): readonly AlertRule[] =>
  rules.filter(({ id, metric, enabled }) => enabled && Object.hasOwn(measured, metric) && !judged.has(id));

/** The alert in the form of the contract. */
function listed({ ruleId, subject, state, sinceMs, text }: Alert): Alert {
  return { ruleId, subject, state, sinceMs, text };
}

interface Judged {
  readonly alert?: Alert | undefined;
  readonly marker?: MonitorMarker;
}

function resolved(alert: Alert, atMs: number, text: string): Judged {
  return {
    alert: { ...listed(alert), state: 'resolved', sinceMs: atMs, text },
    marker: { atMs, kind: 'alert-resolved', text: `Resolved: ${alert.subject}, ${text}` },
  };
}

function judgeHeld(
  { id, forSeconds }: AlertRule,
  { subject, wrong }: Held,
  known: Alert | undefined,
  atMs: number,
): Judged {
  if (wrong === undefined) return known === undefined ? {} : { alert: listed(known) };
  if (wrong === null) {
    if (known?.state === 'firing') return resolved(known, atMs, known.text);
    return known?.state === 'resolved' && atMs - known.sinceMs < resolvedMs ? { alert: known } : {};
  }
  const sinceMs = known === undefined || known.state === 'resolved' ? atMs : known.sinceMs;
  const firing = atMs - sinceMs >= forSeconds * 1000;
  const alert: Alert = { ruleId: id, subject, state: firing ? 'firing' : 'pending', sinceMs, text: wrong };
  if (!firing || known?.state === 'firing') return { alert };
  return { alert, marker: { atMs, kind: 'alert', text: `Alert: ${subject}, ${wrong}` } };
}

/** A fired alert stays until the model is well, or gone for good. */
function judgeUnlisted(alert: Alert, atMs: number): Judged {
  const missingSinceMs = alert.missingSinceMs ?? atMs;
  if (atMs - missingSinceMs < missingMs) return { alert: { ...alert, missingSinceMs } };
  return resolved(alert, atMs, `${alert.text}; the server no longer lists the model`);
}

/** Pending until the rule's duration, then firing, then resolved. Unknown samples (holes, no requests) change nothing. */
export function judgeAlerts(
  before: readonly Alert[],
  rules: readonly AlertRule[],
  sample: MonitorSample,
): { readonly alerts: readonly Alert[]; readonly markers: readonly MonitorMarker[] } {
  const { atMs } = sample;
  const alerts: Alert[] = [];
  const markers: MonitorMarker[] = [];
  const add = ({ alert, marker }: Judged): void => {
    if (alert !== undefined) alerts.push(alert);
    if (marker !== undefined) markers.push(marker);
  };
  for (const rule of rules) {
    if (!rule.enabled) continue;
    const held = heldBy(rule, sample);
    const own = new Map(
      before.filter(({ ruleId }) => ruleId === rule.id).map((alert) => [alert.subject, alert]),
    );
    const subjects = new Set(held.map(({ subject }) => subject));
    for (const one of held) {
      const known = own.get(one.subject);
      const begins = typeof one.wrong === 'string' && known === undefined;
      if (!begins || alerts.length < mostAlerts) add(judgeHeld(rule, one, known, atMs));
    }
    for (const alert of own.values()) {
      if (alert.state !== 'firing' || subjects.has(alert.subject) || alerts.length >= mostAlerts) continue;
      add(sample.server.state === 'up' ? judgeUnlisted(alert, atMs) : { alert });
    }
  }
  return { alerts, markers };
}
