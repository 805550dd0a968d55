import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  grafanaDashboard,
  latencyThresholds,
  prometheusRule,
  prometheusRules,
  type Watched,
} from '../../../main/bundle/watching';
import { pointFixture } from '../../support/run-state';

const point = pointFixture();
const watched: Watched = {
  ...{ model: 'Wide "Deep".v2', pendingRequests: 16, errorPercentage: 1, gpus: 2 },
  ...latencyThresholds(point, null),
};
const bare: Watched = { ...watched, pendingRequests: null, meanUs: null, p99Us: null, gpus: 0 };

interface Group {
  readonly name: string;
  readonly rules: readonly { alert: string; expr: string; annotations: { description: string } }[];
}
const groupsOf = (of: Watched) => (parse(prometheusRules(of)) as { groups: readonly Group[] }).groups;
const alertsOf = (of: Watched) => groupsOf(of).flatMap(({ rules }) => rules.map(({ alert }) => alert));

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number };
    readonly targets: readonly { readonly expr: string }[];
    readonly fieldConfig: {
      readonly defaults: { readonly thresholds: { readonly steps: { value: number | null }[] } };
    };
  }[];
}
const dashboardOf = (of: Watched) => JSON.parse(grafanaDashboard(of)) as Dashboard;

/** Places where Prometheus' own grammar reads an error. */
function faultsOf(query: string): readonly number[] {
  const faults: number[] = [];
  parser.parse(query).iterate({
    enter: ({ type, from }) => {
      if (type.isError) faults.push(from);
    },
  });
  return faults;
}

describe('the rules for Prometheus', () => {
  it('begin with requests that wait, and have what was measured as limits', () => {
    expect(alertsOf(watched)).toEqual([
      ...['TritonRequestsWait', 'TritonLatencyP99', 'TritonLatencyMean', 'TritonRequestsFail'],
      ...['TritonModelMissing', 'TritonRestarted', 'TritonGpuMemory'],
    ]);
    const [first] = groupsOf(watched);
    expect(first?.name).toBe('triton-wide-deep-v2');
    expect(first?.rules[0]?.expr).toBe(
      'sum without (version) (avg_over_time(nv_inference_pending_request_count{model="Wide \\"Deep\\".v2"}[1m])) > 16',
    );
    expect(first?.rules[1]?.expr).toContain(`> ${watched.p99Us?.value}`);
  });

  it('leave out what was not measured, and GPUs where there are none', () => {
    expect(alertsOf(bare)).toEqual(['TritonRequestsFail', 'TritonModelMissing', 'TritonRestarted']);
  });

  it('are those of the operator too, by its published schema', () => {
    const document = prometheusRule(watched, { name: 'wide-deep-v2', labels: { app: 'triton' } });
    expect(() => new PrometheusRule(document as never).validate()).not.toThrow();
  });
});

describe('the thresholds', () => {
  it('are the target of the plan, else a quarter above what was measured, and none without a level', () => {
    expect(latencyThresholds(point, 20).p99Us).toEqual({ value: 20_000, text: 'target of 20.00 ms' });
    const measured = latencyThresholds(
      { ...point, p99Us: 8000, p99HalfWidthUs: undefined } as typeof point,
      null,
    );
    expect(measured.p99Us?.value).toBe(10_000);
    expect(measured.p99Us?.text).toContain('measured p99 8.00 ms at batch size');
    const parts = {
      serverQueueUs: 100,
      serverComputeInputUs: 10,
      serverComputeInferUs: 880,
      serverComputeOutputUs: 10,
    };
    expect(latencyThresholds({ ...point, ...parts }, null).meanUs?.value).toBe(1250);
    expect(latencyThresholds({ ...point, ...parts, serverQueueUs: null }, null).meanUs).toBeNull();
    expect(latencyThresholds(null, null)).toEqual({ meanUs: null, p99Us: null });
  });
});

describe('the dashboard for Grafana', () => {
  it('asks what Prometheus can read, in panels that do not lie on each other', () => {
    const { panels } = dashboardOf(watched);
    const queries = [
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...groupsOf(watched).flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ];
    expect(queries.length).toBeGreaterThan(15);
    expect(
      queries.filter((query) => faultsOf(query.replaceAll('$__rate_interval', '1m')).length > 0),
    ).toEqual([]);
    expect(faultsOf('sum(rate(x[1m])')).not.toEqual([]);
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it('has the thresholds of the rules, and no panel of GPUs on a CPU', () => {
    const [waiting] = dashboardOf(watched).panels;
    expect(waiting?.fieldConfig.defaults.thresholds.steps.at(-1)?.value).toBe(16);
    expect(dashboardOf(watched).panels.some(({ title }) => title.startsWith('GPU'))).toBe(true);
    expect(dashboardOf(bare).panels.some(({ title }) => title.startsWith('GPU'))).toBe(false);
  });
});
