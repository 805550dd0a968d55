import { execFile } from 'node:child_process';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentInfo } from '../../main/contract/deployment/deployment';
import { processesOfEngine } from '../../main/engine/local/engine-record';
import { exists } from '../../main/platform/files';
import { homeLayout } from '../../main/platform/layout';
import { sessionLeader } from '../../main/platform/process';
import { runFolder } from '../../main/store/run-folder';
import { readTraceSetting } from '../../main/triton/trace-setting';
import { cli, type CliResult, documentOf, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { littleModel } from '../support/little-model';
import { sendSteadily } from '../support/steady-load';
import { until } from '../support/until';

const execute = promisify(execFile);
let home: TestHome;
let runId: string;

const info = (result: CliResult): DeploymentInfo => JSON.parse(result.stdout) as DeploymentInfo;
const deployments = async (): Promise<readonly DeploymentInfo[]> =>
  JSON.parse((await cli(home.path, 'deployments', 'list', '--json')).stdout) as readonly DeploymentInfo[];
const verb = (...args: readonly string[]) => cli(home.path, 'deployments', ...args, '--json');
const folderOf = (id: string) => join(homeLayout(home.path).deployments, id);

async function good(result: Promise<CliResult>): Promise<DeploymentInfo> {
  const ended = await result;
  expect(ended.stderr + ended.stdout).not.toContain('"error"');
  expect(ended.code).toBe(0);
  return info(ended);
}

beforeAll(async () => {
  home = await createTestHome();
  const result = await cli(
    home.path,
    ...['run', 'resnet50', '--profile', 'quick', '--batch-sizes', '1', '--concurrency', '1'],
    ...['--set', 'performance.maxTrials=3', '--set', 'performance.measurementIntervalMs=300'],
    ...['--set', 'performance.warmupMs=100', '--keep-serving', 'first', '--json', ...littleModel],
  );
  expect(result.stderr).toContain('first serves at http://127.0.0.1:');
  ({ runId } = documentOf(result));
});
afterEach(async () => {
  for (const { id } of await deployments()) {
    if (id !== 'first') await verb('remove', id, '--force');
  }
});
afterAll(async () => {
  for (const { id } of await deployments()) await verb('remove', id, '--force');
  await home.remove();
});

describe('deployments on the local Triton', () => {
  it('serve on when the command that made them has ended, checked by the samples of the run', async () => {
    const [first] = await deployments();
    expect(first).toMatchObject({ id: 'first', state: 'ready', reason: null, engine: 'local', work: null });
    expect(first?.models).toMatchObject([
      {
        name: 'resnet50',
        version: 1,
        state: 'ready',
        runId,
        checkedSamples: 8,
        previous: null,
        checkedBatchSize: 8,
      },
    ]);
    const response = await fetch(`${first?.httpUrl ?? ''}/v2/models/resnet50/ready`);
    expect(response.status).toBe(200);
    const metrics = await fetch(first?.metricsUrl ?? '');
    expect(await metrics.text()).toContain('nv_inference_count');
  });

  it('change version and go back with no failed request under a steady load', async () => {
    const [first] = await deployments();
    const load = sendSteadily(first?.httpUrl ?? '', 'resnet50', { perSecond: 50 });
    const updated = await good(cli(home.path, 'deploy', runId, '--to', 'first', '--json'));
    expect(updated.models).toMatchObject([{ version: 2, state: 'ready', previous: { version: 1, runId } }]);
    const back = await good(verb('rollback', 'first'));
    expect(back.models).toMatchObject([{ version: 1, state: 'ready', previous: null }]);
    const { sent, failed, versions } = await load.stop();
    expect(failed).toEqual([]);
    expect(sent).toBeGreaterThan(50);
    expect(Object.keys(versions).sort()).toEqual(['1', '2']);
    const again = await verb('rollback', 'first');
    expect(again.code).toBe(2);
    expect(again.stdout).toContain('has no previous version');
  });

  it('keep serving what they serve when the new version answers otherwise', async () => {
    const samples = join(runFolder(join(homeLayout(home.path).runs, runId)).step('accuracy'), 'samples');
    const file = join(samples, '0-output-0.bin');
    const before = await readFile(file);
    await writeFile(file, Buffer.from(Float32Array.from({ length: before.length / 4 }, () => 9).buffer));
    try {
      const refused = await cli(home.path, 'deploy', runId, '--to', 'first', '--json');
      expect(refused.code).toBe(1);
      expect(refused.stdout).toContain('verification-failed');
      expect(refused.stdout).toContain('does not answer the sample');
    } finally {
      await writeFile(file, before);
    }
    const [first] = await deployments();
    expect(first).toMatchObject({ state: 'ready', models: [{ version: 1, state: 'ready' }] });
    expect(await readdir(join(folderOf('first'), 'models'))).toEqual(['resnet50']);
    expect(await readdir(join(folderOf('first'), 'models', 'resnet50'))).toEqual(
      expect.arrayContaining(['1', 'config.pbtxt']),
    );
  });

  it('take no model that is not the one that was checked', async () => {
    const folder = runFolder(join(homeLayout(home.path).runs, runId));
    const file = join(folder.repository, 'resnet50', '1', 'model.py');
    const before = await readFile(file);
    await appendFile(file, '\n# changed\n');
    try {
      const refused = await cli(home.path, 'deploy', runId, '--json');
      expect(refused.code).toBe(1);
      expect(refused.stdout).toContain('has changed since it was checked');
    } finally {
      await writeFile(file, before);
    }
    expect((await deployments()).map(({ id }) => id)).toEqual(['first']);
  });

  it('are held to the run by the smoke test of its bundle, which names a file that changed', async () => {
    const [first] = await deployments();
    const dir = join(home.path, 'bundle');
    const made = await cli(home.path, 'bundle', runId, '--out', dir, '--json');
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toEqual({ runId, path: dir });
    expect(await readdir(join(dir, 'model-repository', 'resnet50', '1'))).not.toContain('__pycache__');
    const smoke = (url: string) =>
      execute('python3', [join(dir, 'smoke-test.py'), '--url', url, '--skip-latency', '--wait', '5']).then(
        ({ stdout }) => ({ code: 0, stdout }),
        (error: unknown) => error as { readonly code: number; readonly stdout: string },
      );
    const url = first?.httpUrl ?? '';
    const passed = await smoke(url);
    expect(passed.stdout).toContain(
      '8 samples and a batch of 8 are answered within the tolerances of the run',
    );
    expect(passed.code).toBe(0);
    expect(await smoke('http://127.0.0.1:1')).toMatchObject({ code: 1 });

    // Answers that the framework did not give: to the first sample, and to the batch behind the eight.
    for (const [file, what] of [
      ['0-output-0.bin', 'sample '],
      ['8-output-0.bin', 'batch of 8 samples: '],
    ] as const) {
      const output = join(dir, 'samples', file);
      const before = await readFile(output);
      await writeFile(output, Buffer.from(Float32Array.from({ length: before.length / 4 }, () => 9).buffer));
      const differs = await smoke(url);
      expect(differs).toMatchObject({ code: 1 });
      expect(differs.stdout).toMatch(new RegExp(`FAIL {2}samples: ${what}.*OUTPUT__0 differs by up to`));
      await writeFile(output, before);
    }

    await appendFile(join(dir, 'model-repository', 'resnet50', '1', 'model.onnx'), 'x');
    const changed = await smoke(url);
    expect(changed).toMatchObject({ code: 1 });
    expect(changed.stdout).toContain('the content of model-repository/resnet50/1/model.onnx changed');
    const again = await cli(home.path, 'bundle', runId, '--out', dir, '--json');
    expect(again.code).toBe(2);
    expect(again.stdout).toContain('is not empty');
  });

  it('have their trace settings as before, traced to the end or killed with -9 while they are', async () => {
    const [first] = await deployments();
    const address = new URL(first?.httpUrl ?? '').host;
    const settings = () =>
      Promise.all([readTraceSetting({ address }, 'resnet50'), readTraceSetting({ address }, null)]);
    const before = await settings();
    expect(before).toMatchObject([{ trace_level: ['OFF'] }, { trace_level: ['OFF'] }]);
    const load = sendSteadily(first?.httpUrl ?? '', 'resnet50', { perSecond: 50 });
    const traced = await cli(home.path, 'trace', 'first', '--requests', '20', '--json');
    expect((await load.stop()).failed).toEqual([]);
    expect(JSON.parse(traced.stdout)).toMatchObject({
      deployment: 'first',
      levels: [{ slow: [{ model: 'resnet50', protocol: 'http', requests: 20 }] }],
    });
    expect(await settings()).toEqual(before);

    const run = startCli(home.path, ['trace', 'first', '--requests', '5000', '--for', '10m']);
    await until('tracing is on', async () => (await settings())[0].trace_count === '5000');
    run.child.kill('SIGKILL');
    await run.result;
    expect((await settings())[0].trace_level).toEqual(['TIMESTAMPS']);
    // The next look completes what the journal says.
    await until('the settings are put back', async () => {
      await deployments();
      return (await settings())[0].trace_level.join() === 'OFF';
    });
    expect(await settings()).toEqual(before);
    await until('nothing is left of it', async () =>
      (await deployments()).some(
        ({ id, work, state }) => id === 'first' && work === null && state === 'ready',
      ),
    );
  });

  it('stop, start on the same ports, and tell of a Triton that was killed', async () => {
    const made = await good(cli(home.path, 'deploy', runId, '--name', 'second', '--json'));
    expect(made).toMatchObject({ id: 'second', state: 'ready' });
    expect(await good(verb('stop', 'second'))).toMatchObject({ state: 'stopped', reason: null });
    const started = await good(verb('start', 'second'));
    expect(started).toMatchObject({ state: 'ready', httpUrl: made.httpUrl, grpcUrl: made.grpcUrl });
    const serving = await verb('remove', 'second');
    expect(serving.code).toBe(2);
    const journal = await readFile(join(folderOf('second'), 'journal.jsonl'), 'utf8');
    const [, engineId = ''] = [...journal.matchAll(/"server-process","id":"(\w+)"/g)].at(-1) ?? [];
    process.kill(sessionLeader(await processesOfEngine(engineId))?.pid ?? 0, 'SIGKILL');
    await until('its end is seen', async () =>
      (await deployments()).some(({ id, state }) => id === 'second' && state === 'failed'),
    );
    expect(await good(verb('restart', 'second'))).toMatchObject({ state: 'ready' });
    expect((await verb('remove', 'second', '--force')).code).toBe(0);
    expect(await exists(folderOf('second'))).toBe(false);
    await expect(fetch(`${made.httpUrl}/v2`)).rejects.toThrow();
  });
});
