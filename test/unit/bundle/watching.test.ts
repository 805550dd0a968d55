import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  grafanaDashboard,
  latencyThresholds,
  prometheusRule,
  prometheusRules,
  rateThreshold,
  targetOf,
  type Watched,
} from '../../../main/bundle/watching';
import { pointFixture } from '../../support/run-state';

const point = pointFixture();
const watched: Watched = {
  ...{ model: 'Wide "Deep".v2', pendingRequests: 16, rate: null, errorPercentage: 1, gpus: 2 },
  ...latencyThresholds(point, null),
};
const bare: Watched = { ...watched, pendingRequests: null, meanUs: null, tailUs: null, gpus: 0 };
const promised = {
  ...{ search: 'night', text: '212.0 requests/s within p95 15.00 ms', requestsPerSecond: 212.5 },
  ...{ inferencesPerSecond: 212.5, percentile: 95, latencyUs: 15_000, confirmed: true },
};
const asPromised: Watched = {
  ...watched,
  ...{ rate: rateThreshold(promised), ...latencyThresholds(point, targetOf(null, promised)) },
};

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
    expect(first?.rules[1]?.expr).toContain(`> ${watched.tailUs?.value}`);
  });

  it('have the promise of a search as limits, of the percentile that it is about', () => {
    const rules = groupsOf(asPromised)[0]?.rules ?? [];
    const ruleOf = (name: string) => rules.find(({ alert }) => alert === name);
    expect(ruleOf('TritonLatencyP95')?.expr).toMatch(/quantile="0\.95"\}\) > 15000$/);
    expect(ruleOf('TritonLatencyP95')?.annotations.description).toContain(
      'The limit is 15.00 ms: target of the search night of 15.00 ms.',
    );
    expect(ruleOf('TritonLatencyP99')).toBeUndefined();
    expect(ruleOf('TritonRateAbovePromise')?.expr).toMatch(/> 212\.5$/);
    expect(ruleOf('TritonRateAbovePromise')?.annotations.description).toContain(
      'the search night measured that one replica holds 212.5 requests/s. Serve more replicas.',
    );
    expect(dashboardOf(asPromised).panels.map(({ title }) => title)).toContain('p95 on the server');
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
    expect(latencyThresholds(point, targetOf(20, promised)).tailUs).toEqual({
      ...{ percentile: 99, value: 20_000, text: 'target of 20.00 ms' },
    });
    // A promise holds without a level.
    expect(latencyThresholds(null, targetOf(null, promised)).tailUs?.value).toBe(15_000);
    expect(targetOf(null, { ...promised, latencyUs: null })).toBeNull();
    expect(rateThreshold({ ...promised, requestsPerSecond: null })).toBeNull();
    const measured = latencyThresholds(
      { ...point, p99Us: 8000, p99HalfWidthUs: undefined } as typeof point,
      null,
    );
    expect(measured.tailUs?.value).toBe(10_000);
    expect(measured.tailUs?.text).toContain('measured p99 8.00 ms at batch size');
    const parts = {
      serverQueueUs: 100,
      serverComputeInputUs: 10,
      serverComputeInferUs: 880,
      serverComputeOutputUs: 10,
    };
    expect(latencyThresholds({ ...point, ...parts }, null).meanUs?.value).toBe(1250);
    expect(latencyThresholds({ ...point, ...parts, serverQueueUs: null }, null).meanUs).toBeNull();
    expect(latencyThresholds(null, null)).toEqual({ meanUs: null, tailUs: null });
  });
});

describe('the dashboard for Grafana', () => {
  it('asks what Prometheus can read, in panels that do not lie on each other', () => {
    const { panels } = dashboardOf(watched);
    const queries = [
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...groupsOf(asPromised).flatMap(({ rules }) => rules.map(({ expr }) => expr)),
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
