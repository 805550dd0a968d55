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

/** A resolved alert is shown for this long. */
const resolvedMs = 15 * 60_000;
/** A model that a server has not listed for so long is no longer there; an index that failed to come is shorter. */
const missingMs = 10_000;

interface Held {
  readonly subject: string;
  /** What is wrong; null when nothing is; undefined when this sample cannot tell. */
  readonly wrong: string | null | undefined;
}

function above(rule: AlertRule, value: number | null, name: string, unit: string): string | null | undefined {
  if (value === null) return undefined;
  return value > rule.above
    ? `${name} ${formatMeasured(value)} ${unit}, above ${formatTyped(rule.above)} ${unit}`
    : null;
}

const cut = (text: string): string =>
  text.length <= longestAlertText ? text : `${text.slice(0, longestAlertText)}…`;

const isOnItsWay = ({ state }: ModelSample): boolean => state === 'loading' || state === 'unloading';

function ofModel(rule: AlertRule, model: ModelSample): string | null | undefined {
  switch (rule.metric) {
    case 'probe-p99-ms': {
      const us = model.probe?.p99Us ?? null;
      return above(rule, us === null ? null : us / 1000, 'p99 of the probes', 'ms');
    }
    case 'error-percent': {
      const share = model.rates?.errorShare ?? null;
      return above(rule, share === null ? null : share * 100, 'errors', '%');
    }
    case 'queue-ms': {
      const us = model.rates?.queueUs ?? null;
      return above(rule, us === null ? null : us / 1000, 'queue', 'ms');
    }
    case 'model':
      if (isOnItsWay(model)) return undefined;
      return model.state === 'ready'
        ? null
        : cut(`${model.state}${model.reason === null ? '' : `: ${model.reason}`}`);
    case 'server':
      return undefined;
  }
}

/** Triton keeps versions that it unloaded in its index, with this as their reason. */
const isLeftOut = ({ reason }: { readonly reason: string | null }): boolean =>
  reason === 'Not loaded' || reason === 'unloaded';

/** A model that nobody loaded, or that somebody unloaded, is not in trouble, unless the rule names it. */
const left = (rule: AlertRule, model: ModelSample): boolean =>
  rule.metric === 'model' && rule.model === '' && isLeftOut(model);

/** Why it does not answer is said where the server's state is shown, once. */
function serverTrouble({ state, reason, version }: MonitorSample['server']): string {
  if (state === 'gone') return version === null ? 'never reached' : 'unreachable';
  return reason === null ? state : `${state}: ${reason}`;
}

function heldBy(rule: AlertRule, sample: MonitorSample): readonly Held[] {
  const { server } = sample;
  if (rule.metric === 'server') {
    const wrong = server.state === 'up' ? null : serverTrouble(server);
    // By strict readiness a server is not ready while it loads a model: that is work, no trouble.
    const busy = server.state === 'not-ready' && sample.models.some(isOnItsWay);
    return [{ subject: 'server', wrong: busy ? undefined : wrong }];
  }
  return sample.models
    .filter((model) => rule.model === '' || model.name === rule.model)
    .map((model) => ({
      subject: modelKey(model),
      // Of a server that is gone its own rule tells; the models' troubles stand as they were.
      wrong: server.state === 'gone' ? undefined : left(rule, model) ? null : ofModel(rule, model),
    }));
}

/** The same alert of a model that the server lists. */
function listed({ ruleId, subject, state, sinceMs, text }: Alert): Alert {
  return { ruleId, subject, state, sinceMs, text };
}

/**
 * The alerts after one more sample: pending until the condition has held for the rule's time, firing then, resolved when it
 * no longer holds. A sample that cannot tell (a hole, no requests) changes nothing. Beyond `mostAlerts` no other begins.
 * Pure.
 */
export function judgeAlerts(
  before: readonly Alert[],
  rules: readonly AlertRule[],
  sample: MonitorSample,
): { readonly alerts: readonly Alert[]; readonly markers: readonly MonitorMarker[] } {
  const { atMs } = sample;
  const alerts: Alert[] = [];
  const markers: MonitorMarker[] = [];
  for (const rule of rules) {
    if (!rule.enabled) continue;
    const held = heldBy(rule, sample);
    const own = new Map(
      before.filter(({ ruleId }) => ruleId === rule.id).map((alert) => [alert.subject, alert]),
    );
    const subjects = new Set(held.map(({ subject }) => subject));
    for (const { subject, wrong } of held) {
      const known = own.get(subject);
      if (wrong === undefined) {
        if (known !== undefined) alerts.push(listed(known));
      } else if (wrong === null) {
        if (known?.state === 'firing') {
          alerts.push({ ...listed(known), state: 'resolved', sinceMs: atMs });
          markers.push({ atMs, kind: 'alert-resolved', text: `Resolved: ${subject}, ${known.text}` });
        } else if (known?.state === 'resolved' && atMs - known.sinceMs < resolvedMs) alerts.push(known);
      } else if (known !== undefined || alerts.length < mostAlerts) {
        const since = known === undefined || known.state === 'resolved' ? atMs : known.sinceMs;
        const firing = atMs - since >= rule.forSeconds * 1000;
        alerts.push({
          ruleId: rule.id,
          subject,
          state: firing ? 'firing' : 'pending',
          sinceMs: since,
          text: wrong,
        });
        if (firing && known?.state !== 'firing') {
          markers.push({ atMs, kind: 'alert', text: `Alert: ${subject}, ${wrong}` });
        }
      }
    }
    // What fired stays until it is seen well again, or its model is gone for good.
    for (const alert of own.values()) {
      if (alert.state !== 'firing' || subjects.has(alert.subject) || alerts.length >= mostAlerts) continue;
      if (sample.server.state !== 'up') {
        alerts.push(alert);
        continue;
      }
      const missingSinceMs = alert.missingSinceMs ?? atMs;
      if (atMs - missingSinceMs < missingMs) {
        alerts.push({ ...alert, missingSinceMs });
        continue;
      }
      const text = `${alert.text}; the server no longer lists the model`;
      alerts.push({ ...listed(alert), state: 'resolved', sinceMs: atMs, text });
      markers.push({ atMs, kind: 'alert-resolved', text: `Resolved: ${alert.subject}, ${text}` });
    }
  }
  return { alerts, markers };
}
