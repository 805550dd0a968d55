import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grafanaDashboard, prometheusRules, type Watched } from '../../main/bundle/watching';
import { sendSteadily } from '../support/steady-load';
import { freePorts, startTestTriton, type TestTriton } from '../support/triton';
import { until } from '../support/until';

/** Where Debian's promtool and prometheus are: `npm run test:production` sees to it. */
const programs = process.env['WORKBENCH_PROMETHEUS'] ?? '/usr/bin';

const watched: Watched = {
  ...{ model: 'slow', pendingRequests: 4, rate: null, errorPercentage: 1, gpus: 0 },
  meanUs: { value: 50_000, text: 'measured' },
  tailUs: { percentile: 99, value: 70_000, text: 'target' },
};

let dir: string;
let triton: TestTriton;
let address: string;
let prometheus: ReturnType<typeof spawn>;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-watching-'));
  triton = await startTestTriton(
    [
      {
        name: 'slow',
        execute: `time.sleep(0.02)
        return values`,
        maxBatchSize: 2,
        dims: '1',
        // Triton counts these as failures; an error that a model answers with, and a full queue, it does not.
        config:
          'dynamic_batching { default_queue_policy { timeout_action: REJECT default_timeout_microseconds: 100000 } }',
      },
    ],
    ['--metrics-config', 'summary_latencies=true', '--metrics-interval-ms', '500'],
  );
  // Seconds in place of minutes; all else as it is handed over.
  const rules = prometheusRules(watched)
    .replaceAll(/\[\d+m\]/g, '[6s]')
    .replaceAll(/for: \dm/g, 'for: 2s');
  await writeFile(join(dir, 'rules.yaml'), rules);
  await writeFile(
    join(dir, 'prometheus.yml'),
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [rules.yaml]
scrape_configs: [{ job_name: triton, static_configs: [{ targets: ["${triton.metricsAddress}"] }] }]
`,
  );
  const [port] = await freePorts(1);
  address = `127.0.0.1:${port}`;
  prometheus = spawn(
    join(programs, 'prometheus'),
    [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: 'ignore' },
  );
  await until('Prometheus is ready', async () => {
    const answer = await fetch(`http://${address}/-/ready`).catch(() => null);
    return answer?.ok === true;
  });
});
afterAll(async () => {
  prometheus.kill('SIGKILL');
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
});

interface Alerts {
  readonly data: { readonly alerts: readonly { labels: { alertname: string }; state: string }[] };
}
async function firing(): Promise<readonly string[]> {
  const { data } = (await (await fetch(`http://${address}/api/v1/alerts`)).json()) as Alerts;
  return data.alerts.flatMap(({ labels, state }) => (state === 'firing' ? [labels.alertname] : []));
}

interface Answer {
  readonly status: string;
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}
async function ask(query: string): Promise<readonly string[]> {
  const url = new URL(`http://${address}/api/v1/query`);
  url.searchParams.set('query', query);
  const answer = (await (await fetch(url)).json()) as Answer;
  expect(answer.status, query).toBe('success');
  return answer.data.result.map(({ value }) => value[1]);
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

describe('the rules and the dashboard of a bundle, on a real Prometheus', () => {
  it('are rules for promtool, whose own windows are whole minutes', async () => {
    const file = join(dir, 'handed-over.yaml');
    await writeFile(file, prometheusRules({ ...watched, gpus: 2 }));
    expect(execFileSync(join(programs, 'promtool'), ['check', 'rules', file], { encoding: 'utf8' })).toMatch(
      /SUCCESS: 7 rules found/,
    );
  });

  it('are quiet under a load that the model holds, and every panel has a value', async () => {
    const load = sendSteadily(`http://${triton.httpAddress}`, 'slow', { perSecond: 10 });
    const { panels } = JSON.parse(grafanaDashboard(watched)) as Dashboard;
    const empty = async () => {
      const without: string[] = [];
      for (const { title, targets } of panels) {
        for (const { expr } of targets) {
          const values = await ask(expr.replaceAll('$__rate_interval', '6s'));
          if (!values.some((value) => Number.isFinite(Number(value)))) without.push(title);
        }
      }
      return without;
    };
    await until('every panel has a value', async () => (await empty()).length === 0);
    expect(await firing()).toEqual([]);
    const { failed } = await load.stop();
    expect(failed).toEqual([]);
  });

  it('fire under one that it does not hold, and again when Triton is gone', async () => {
    const load = sendSteadily(`http://${triton.httpAddress}`, 'slow', { perSecond: 150 });
    await until('waiting, latency and refusals are told', async () => {
      const now = await firing();
      const expected = ['TritonRequestsWait', 'TritonLatencyP99', 'TritonLatencyMean', 'TritonRequestsFail'];
      return expected.every((name) => now.includes(name));
    });
    await load.stop();
    triton.kill();
    await until('the missing model is told', async () => (await firing()).includes('TritonModelMissing'));
  });
});
