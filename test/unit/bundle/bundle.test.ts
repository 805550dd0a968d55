import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeBundle } from '../../../main/bundle/bundle';
import type { LoadPoint } from '../../../main/contract/measured/results';
import type { DeployableRun } from '../../../main/deployments/deployable-run';
import { capacityOf, isCapacity } from '../../../main/domain/measured/capacity';
import { capacityText } from '../../../main/domain/measured/capacity-text';
import { repository } from '../../support/home';
import { ratePoint } from '../../support/rate-run';
import { completeState } from '../../support/run-state';
import { tinyConfig } from '../../support/tiny-model';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-bundle-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A run with a model of one file, and what Python left beside it. */
async function made() {
  const model = join(root, 'run', tinyConfig.name);
  await mkdir(join(model, '1', '__pycache__'), { recursive: true });
  await writeFile(join(model, 'config.pbtxt'), 'name: "tiny"\n', { mode: 0o600 });
  await writeFile(join(model, '1', 'model.onnx'), 'weights', { mode: 0o600 });
  await writeFile(join(model, '1', '__pycache__', 'model.pyc'), 'code');
  const run: DeployableRun = {
    about: { runId: 'a-run', format: 'onnx', precision: 'fp32' },
    config: tinyConfig,
    version: 1,
    engine: { kind: 'local', framework: 'pyt' },
    files: join(model, '1'),
    samples: join(root, 'none'),
    check: { canary: null, anyValues: false, atol: { '*': 0.01 }, rtol: {}, maxMismatch: {} },
    ...{ sizes: [], steady: [] },
    keepConfig: () => Promise.resolve(),
  };
  const image = { reference: 'triton-workbench/triton-cpu:0123456789ab', builtHere: true, release: null };
  const resources = join(repository, 'resources');
  return {
    run,
    state: completeState(),
    measured: completeState(),
    titles: {},
    image,
    resources,
    capacity: null,
    found: null,
  };
}

describe('writeBundle', () => {
  it('copies the model with the checksums of its files, readable for every user', async () => {
    const dir = await writeBundle(join(root, 'new', 'bundle'), await made());
    const name = tinyConfig.name;
    expect(await readdir(join(dir, 'model-repository', name, '1'))).toEqual(['model.onnx']);
    const sums = await readFile(join(dir, 'SHA256SUMS'), 'utf8');
    const hash = createHash('sha256').update('weights').digest('hex');
    expect(sums.trimEnd().split('\n')).toHaveLength(2);
    expect(sums).toContain(`${hash}  model-repository/${name}/1/model.onnx\n`);
    const { mode } = await stat(join(dir, 'model-repository', name, '1', 'model.onnx'));
    expect(mode & 0o777).toBe(0o644);
    expect((await readdir(dir)).sort()).toEqual(
      [
        ...['README.md', 'SHA256SUMS', 'compose.yaml', 'expectation.json', 'grafana', 'kserve', 'kubernetes'],
        ...['model-repository', 'prometheus', 'samples', 'smoke-test.py', 'compare_outputs.py'],
      ].sort(),
    );
    const expectation: unknown = JSON.parse(await readFile(join(dir, 'expectation.json'), 'utf8'));
    expect(expectation).toMatchObject({ model: name, version: 1 });
  });

  it('takes an empty folder, and refuses one that holds something', async () => {
    const empty = join(root, 'empty');
    await mkdir(empty);
    expect(await writeBundle(empty, await made())).toBe(empty);
    await expect(writeBundle(empty, await made())).rejects.toMatchObject({ code: 'input-invalid' });
  });

  it('leaves nothing half written', async () => {
    const out = join(root, 'out');
    await mkdir(out);
    const input = { ...(await made()), resources: join(root, 'no-resources') };
    await expect(writeBundle(join(out, 'bundle'), input)).rejects.toMatchObject({ code: 'file-unwritable' });
    expect(await readdir(out)).toEqual([]);
  });

  it('has the best configuration of a search in place of that of the run, and says so', async () => {
    const input = await made();
    const config = { ...input.run.config, instanceGroup: [{ count: 3, kind: 'KIND_CPU' as const }] };
    const promised = {
      ...{ search: 'night', text: '90.0 requests/s within p99 20.00 ms', requestsPerSecond: 90 },
      ...{ inferencesPerSecond: 90, percentile: 99, latencyUs: 20_000, confirmed: true },
    };
    const found = { name: 'night', config, sentence: 'Model instances 3: 90.0 requests/s', promised };
    const dir = await writeBundle(join(root, 'found'), { ...input, run: { ...input.run, config }, found });
    const text = (path: string) => readFile(join(dir, path), 'utf8');
    const written = join('model-repository', config.name, 'config.pbtxt');
    expect(await text(written)).toContain('count: 3');
    expect(JSON.parse(await text('expectation.json'))).toMatchObject({ promised });
    const hash = createHash('sha256')
      .update(await text(written))
      .digest('hex');
    expect(await text('SHA256SUMS')).toContain(`${hash}  ${written}\n`);
    const readme = await text('README.md');
    expect(readme).toContain(
      'The configuration is the best one of the search night. Model instances 3: 90.0 requests/s. What follows was measured with the configuration of the run.',
    );
    expect(readme).toContain(
      '- Limits of the alerts: 90.00 requests/s of each replica and p99 20.00 ms, as promised by the search night, in place of the measured values plus 25 %.',
    );
    expect(readme).toContain(
      '- The autoscaler adds a replica when the running replicas answer more than 69.23 requests/s each: the 90.00 of the search night with 30 % headroom.',
    );
    expect(await text('prometheus/rules.yaml')).toContain('target of the search night of 20.00 ms');
    expect(await text('kubernetes/hpa.yaml')).toContain('averageValue: 69231m');
    // A limit of the run's levels does not hold for it.
    expect(readme).toContain('none: the levels of the run are of another configuration');
    expect(JSON.parse(await text('expectation.json'))).toMatchObject({ latency: null });
  });

  it('has the replicas that were planned, and says in the README what for', async () => {
    const input = await made();
    const ask = { rate: 5000, p99Ms: 100, headroom: 0.3, spare: 1, pricePerHour: null };
    const capacity = capacityOf(input.state, ask);
    if (!isCapacity(capacity)) throw new Error(capacity.text);
    const dir = await writeBundle(join(root, 'planned'), { ...input, capacity });
    const text = (path: string) => readFile(join(dir, path), 'utf8');
    const { replicas, held } = capacity;
    expect(await text('kubernetes/deployment.yaml')).toContain(`  replicas: ${replicas}\n`);
    expect(await text('kubernetes/hpa.yaml')).toContain(`averageValue: "${held.point.concurrency}"`);
    expect(await text('README.md')).toContain(`- Replicas: ${capacityText(capacity)}`);
    expect(await text('README.md')).not.toContain('1 to 4 replicas');
  });

  it('scales without a plan by what was under way in an open loop, and not by what may be', async () => {
    const input = await made();
    // 1,000 requests a second that take 12 ms each: 12 at a time, of the 128 that may be.
    const open = ratePoint(1000);
    const scheduled = { ...(open.scheduled as NonNullable<typeof open.scheduled>), avgUs: 12_000 };
    const runOf = (point: LoadPoint) => ({
      ...input.state,
      scenarios: {
        offline: { points: [], missing: [] },
        online: { points: [{ key: 'open', point }], missing: [] },
      },
    });
    const measured = runOf({ ...open, scheduled });
    const known = await writeBundle(join(root, 'known'), { ...input, measured });
    const hpa = await readFile(join(known, 'kubernetes', 'hpa.yaml'), 'utf8');
    const target = Number(/averageValue: "(\d+)"/.exec(hpa)?.[1]);
    expect(target).toBeGreaterThan(10);
    expect(target).toBeLessThanOrEqual(12);
    // With no mean there is no count, and no autoscaler that would make one up.
    const without = { ...input, measured: runOf({ ...open, scheduled: undefined, avgUs: null }) };
    const none = await writeBundle(join(root, 'none'), without);
    expect(await readdir(join(none, 'kubernetes'))).not.toContain('hpa.yaml');
    expect(await readFile(join(none, 'kubernetes', 'kustomization.yaml'), 'utf8')).not.toContain('hpa.yaml');
    expect(await readFile(join(none, 'README.md'), 'utf8')).toContain('- hpa.yaml is left out:');
  });
});
