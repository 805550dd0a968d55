import { Checkbox, NumberInput, type NumberInputProps, Select } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconClock, IconPlus, IconTrash } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import {
  type Alert,
  type AlertMetric,
  alertMetrics,
  type AlertRule,
} from '../../../main/contract/monitor/monitor';
import { moreText } from '../../../main/contract/words';
import { metricText } from '../../../main/domain/monitor/probe-latency';
import { BareIcon } from '../../components/actions';
import { attempt } from '../../components/notices';
import { Panel } from '../../components/panel';
import { Status } from '../../components/status-text';
import { useWorkbench } from '../../workbench';
import { alertSince, ruleModels } from './monitor-text';

const styles = {
  firing: { icon: IconAlertTriangle, tone: 'bad', text: 'Firing' },
  pending: { icon: IconClock, tone: 'warn', text: 'Pending' },
  resolved: { icon: IconCircleCheck, tone: 'good', text: 'Resolved' },
} as const;

function AlertLine({ alert, nowMs }: { alert: Alert; nowMs: number }) {
  return (
    <li data-alert={alert.state}>
      <Status {...styles[alert.state]} />
      <span className="cut" title={`${alert.subject}: ${alert.text}`}>
        <strong>{alert.subject}</strong> {alert.text}
      </span>
      <span className="dim number">{alertSince(alert, nowMs)}</span>
    </li>
  );
}

const mostFiring = 3;

/** At the top of the page: nothing while no alert fires. */
export function FiringAlerts({ alerts, nowMs }: { alerts: readonly Alert[]; nowMs: number }) {
  const firing = alerts.filter(({ state }) => state === 'firing');
  const more = moreText(Math.max(0, firing.length - mostFiring), 'alert');
  if (firing.length === 0) return null;
  return (
    <ul className="column monitor-alerts" aria-label="Firing alerts">
      {firing.slice(0, mostFiring).map((alert, place) => (
        <AlertLine key={place} alert={alert} nowMs={nowMs} />
      ))}
      {more === null ? null : <li className="dim">{more}</li>}
    </ul>
  );
}

function RuleModel(props: {
  label: string;
  rule: AlertRule;
  models: readonly string[];
  onChange: (change: Partial<AlertRule>) => void;
}) {
  const { label, rule, models, onChange } = props;
  // Thousands of names are sorted only when the list is opened.
  const [choosing, setChoosing] = useState(false);
  return (
    <Select
      size="xs"
      aria-label={`${label}: model`}
      allowDeselect={false}
      data={ruleModels(choosing ? models : [], rule)}
      onDropdownOpen={() => setChoosing(true)}
      onDropdownClose={() => setChoosing(false)}
      value={rule.model}
      onChange={(model) => {
        if (model !== null) onChange({ model });
      }}
    />
  );
}

function RuleNumber(
  props: Pick<NumberInputProps, 'prefix' | 'suffix' | 'max' | 'allowDecimal'> & {
    label: string;
    value: number;
    onChange: (value: number) => void;
  },
) {
  const { label, onChange, ...input } = props;
  return (
    <NumberInput
      size="xs"
      aria-label={label}
      min={0}
      hideControls
      {...input}
      onChange={(value) => {
        if (typeof value === 'number') onChange(value);
      }}
    />
  );
}

function RuleLine(props: {
  rule: AlertRule;
  models: readonly string[];
  onChange: (change: Partial<AlertRule>) => void;
  onRemove: () => void;
}) {
  const { rule, onChange } = props;
  const { label, unit } = metricText[rule.metric];
  return (
    <li>
      <Checkbox
        size="xs"
        aria-label={`Rule: ${label}`}
        checked={rule.enabled}
        onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
      />
      <Select
        size="xs"
        aria-label="Rule metric"
        allowDeselect={false}
        data={alertMetrics.map((metric) => ({ value: metric, label: metricText[metric].label }))}
        value={rule.metric}
        onChange={(value) => {
          const metric: AlertMetric | undefined = alertMetrics.find((one) => one === value);
          if (metric !== undefined) onChange({ metric });
        }}
      />
      {/* A rule without model or limit keeps the columns of the others. */}
      {rule.metric === 'server' ? (
        <span />
      ) : (
        <RuleModel label={label} rule={rule} models={props.models} onChange={onChange} />
      )}
      {unit === null ? (
        <span />
      ) : (
        <RuleNumber
          label={`${label} above`}
          prefix="> "
          suffix={` ${unit}`}
          value={rule.above}
          onChange={(above) => onChange({ above })}
        />
      )}
      <RuleNumber
        label={`${label}: duration in seconds`}
        prefix="for "
        suffix=" s"
        max={86_400}
        allowDecimal={false}
        value={rule.forSeconds}
        onChange={(forSeconds) => onChange({ forSeconds })}
      />
      <BareIcon icon={IconTrash} label={`Remove rule: ${label}`} onClick={props.onRemove} />
    </li>
  );
}

const mostShown = 50;

export function AlertPanel(props: {
  alerts: readonly Alert[];
  rules: readonly AlertRule[];
  models: readonly string[];
  /** Time of the newest sample. */
  nowMs: number;
}) {
  const { alerts, rules, models, nowMs } = props;
  const { client } = useWorkbench();
  const more = moreText(Math.max(0, alerts.length - mostShown), 'alert');
  // A second change may come before the first one is back.
  const latest = useRef(rules);
  const underWay = useRef(0);
  useEffect(() => {
    if (underWay.current === 0) latest.current = rules;
  }, [rules]);
  const change = (changed: (before: readonly AlertRule[]) => readonly AlertRule[]): void => {
    const next = [...changed(latest.current)];
    latest.current = next;
    underWay.current += 1;
    attempt(async () => {
      try {
        await client.call('monitor.setRules', { rules: next });
      } finally {
        underWay.current -= 1;
      }
    });
  };
  return (
    <Panel
      title="Alerts"
      head={
        <BareIcon
          icon={IconPlus}
          label="Add a rule"
          onClick={() => {
            const id = `rule-${Date.now()}`;
            change((before) => [
              ...before,
              { id, metric: 'probe-p99-ms', model: '', above: 100, forSeconds: 10, enabled: true },
            ]);
          }}
        />
      }
    >
      <div className="panel-body stack">
        {alerts.length === 0 ? <p className="dim">No active alerts.</p> : null}
        <ul className="column monitor-alerts" aria-label="Current alerts">
          {alerts.slice(0, mostShown).map((alert, place) => (
            // By index: subjects may change every second, and lines have no state.
            <AlertLine key={place} alert={alert} nowMs={nowMs} />
          ))}
        </ul>
        {more === null ? null : <p className="dim">{more}</p>}
        <ul className="column monitor-rules" aria-label="Alert rules">
          {rules.map((rule) => (
            <RuleLine
              key={rule.id}
              rule={rule}
              models={models}
              onChange={(fields) =>
                change((before) => before.map((one) => (one.id === rule.id ? { ...one, ...fields } : one)))
              }
              onRemove={() => change((before) => before.filter((one) => one.id !== rule.id))}
            />
          ))}
        </ul>
      </div>
    </Panel>
  );
}
