import { WorkbenchError } from '../contract/errors';
import type { AlertMetric, AlertRule } from '../contract/monitor';
import { alertMetrics, alertRuleSchema, defaultRules } from '../contract/monitor';
import { readNumber, readOneOf } from './read-values';

const flag = '--alert';
const example = 'For example --alert queue-ms=5, or --alert queue-ms=5:30 if it must hold for 30 s.';

/** Seconds that a condition has to hold where none are given. */
const usualSeconds = (metric: AlertMetric): number =>
  defaultRules.find((rule) => rule.metric === metric)?.forSeconds ?? 0;

export interface AlertOptions {
  readonly alert?: readonly string[];
  readonly alertModel?: string;
}

const invalid = (message: string, remedy = example) =>
  new WorkbenchError('input-invalid', message, { where: flag, remedy });

function readLimit(metric: AlertMetric, text: string | undefined): number {
  if (metric === 'server' || metric === 'model') {
    if (text === undefined) return 0;
    throw invalid(
      `"${metric}" takes no limit: it alerts when the ${metric} is not ${metric === 'server' ? 'up' : 'ready'}`,
      `For example --alert ${metric}, or --alert ${metric}:30 if it must hold for 30 s.`,
    );
  }
  if (text === undefined) throw invalid(`"${metric}" needs a limit`);
  return readNumber(flag, text);
}

function readRule(text: string, index: number, model: string): AlertRule {
  const [, name = '', limit, seconds] = /^([^=:]*)(?:=([^:]*))?(?::(.*))?$/s.exec(text) ?? [];
  const metric = readOneOf(flag, alertMetrics, name);
  const parsed = alertRuleSchema.safeParse({
    id: `${metric}-${index + 1}`,
    metric,
    model,
    above: readLimit(metric, limit),
    forSeconds: seconds === undefined ? usualSeconds(metric) : readNumber(flag, seconds),
    enabled: true,
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(`"${text}": ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`);
}

/** A server or a model that is not there has no figures: these stand beside limits, so that none is kept by its absence. */
const presence: readonly AlertMetric[] = ['server', 'model'];

/** The rules that the command line gives, and those of presence; null where it gives none. Throws input-invalid. */
export function readAlerts(
  options: AlertOptions & { readonly probe?: string; readonly replay?: string },
): readonly AlertRule[] | null {
  const { alert, alertModel, probe, replay } = options;
  if (alert === undefined) {
    if (alertModel === undefined) return null;
    throw new WorkbenchError('input-invalid', '--alert-model needs at least one --alert', {
      where: '--alert-model',
      remedy: example,
    });
  }
  const rules = alert.map((text, index) => readRule(text, index, alertModel ?? ''));
  if (probe === undefined && replay === undefined && rules.some(({ metric }) => metric === 'probe-p99-ms')) {
    throw invalid(
      '"probe-p99-ms" requires probes, and none are sent',
      'Add --probe MODEL, or remove the alert.',
    );
  }
  const probed = probe?.replace(/:[\d.]+$/, '');
  if (
    probed !== undefined &&
    alertModel !== undefined &&
    probed !== alertModel &&
    rules.some(({ metric }) => metric === 'probe-p99-ms')
  ) {
    throw new WorkbenchError(
      'input-invalid',
      `The probes are for ${probed}, but the alerts are for ${alertModel}`,
      {
        where: '--alert-model',
        remedy: `Use --alert-model ${probed}, or remove it.`,
      },
    );
  }
  const kept = defaultRules.filter(
    ({ metric }) => presence.includes(metric) && !rules.some((rule) => rule.metric === metric),
  );
  return [...kept.map((rule) => ({ ...rule, model: alertModel ?? '' })), ...rules];
}
