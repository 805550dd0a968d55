import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentInfo } from '../../main/contract/deployment/deployment';
import { cli, documentOf } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { DockerHome } from '../support/docker-home';
import { littleModel } from '../support/little-model';
import { sendSteadily } from '../support/steady-load';
import { freePorts } from '../support/triton';
import { until } from '../support/until';

const run = promisify(execFile);
const hasCompose = await run('docker-compose', ['--version']).then(
  () => true,
  () => false,
);
const engine = await readTestEngine();
let home: DockerHome;
/** A verified run in containers. */
let runId = '';

async function verb(...args: readonly string[]): Promise<unknown> {
  const { code, stdout } = await cli(home.path, ...args, '--json');
  expect(`${args.join(' ')}: ${code ?? ''}${code === 0 ? '' : stdout}`).toBe(`${args.join(' ')}: 0`);
  return JSON.parse(stdout) as unknown;
}
const only = async (): Promise<DeploymentInfo | undefined> =>
  ((await verb('deployments', 'list')) as readonly DeploymentInfo[])[0];

/** The container of the deployment, as the engine has it. */
async function container() {
  const [found] = await home.docker.listContainers({
    all: true,
    filters: { name: [`twb-${home.instance.slice(0, 6)}-deployment-`] },
  });
  return home.docker.getContainer(found?.Id ?? '').inspect();
}

describe.skipIf(engine === null)('deployments in containers', () => {
  beforeAll(async () => {
    if (engine === null) return;
    home = await DockerHome.open(engine);
  });
  afterAll(() => home.close());

  it('outlive the run, come back when Triton is killed, and change version without a gap', async () => {
    const result = await cli(
      home.path,
      ...['run', 'resnet50', '--profile', 'quick', '--engine', 'docker', '--keep-serving', '--json'],
      ...['--batch-sizes', '1', '--concurrency', '1', '--set', 'performance.maxTrials=3'],
      ...['--set', 'performance.measurementIntervalMs=300', '--set', 'performance.warmupMs=100'],
      ...littleModel,
    );
    expect(result.stderr).toContain('resnet50 serves at http://127.0.0.1:');
    ({ runId } = documentOf(result));
    // What looks for leavings of dead workbenches passes it over, container and network.
    await verb('clean', '--yes');
    const first = await only();
    expect(first).toMatchObject({ id: 'resnet50', state: 'ready', engine: 'docker' });
    expect(first?.models).toMatchObject([{ version: 1, state: 'ready', checkedSamples: 8 }]);

    const before = await container();
    expect(before.HostConfig.RestartPolicy?.Name).toBe('always');
    expect(before.Config.User).not.toMatch(/^(0|root)?$/);
    process.kill(before.State.Pid, 'SIGKILL');
    await until('Triton is back', async () => (await container()).RestartCount > 0);
    await until('it is ready', async () => (await only())?.state === 'ready');

    const load = sendSteadily(first?.httpUrl ?? '', 'resnet50', { perSecond: 50 });
    await verb('deploy', runId, '--to', 'resnet50');
    await verb('deployments', 'rollback', 'resnet50');
    const { failed, versions } = await load.stop();
    expect(failed).toEqual([]);
    expect(Object.keys(versions).sort()).toEqual(['1', '2']);

    expect(await verb('deployments', 'stop', 'resnet50')).toMatchObject({ state: 'stopped' });
    // It does not come back with the engine.
    expect((await container()).HostConfig.RestartPolicy?.Name).toBe('no');
    expect(await verb('deployments', 'start', 'resnet50')).toMatchObject({
      ...{ state: 'ready', httpUrl: first?.httpUrl },
    });
    expect((await container()).HostConfig.RestartPolicy?.Name).toBe('always');
    await verb('deployments', 'remove', 'resnet50', '--force');
    expect(await home.leftBehind()).toEqual([]);
  });

  it.skipIf(!hasCompose)(
    'are handed over in a bundle that Compose serves and whose smoke test knows its weights',
    async () => {
      const out = join(home.path, 'bundle');
      await verb('bundle', runId, '--out', out);
      const [http = 0, grpc = 0, metrics = 0] = await freePorts(3);
      const compose = (...args: readonly string[]) =>
        run('docker-compose', ['--project-name', `bundle-${home.instance.slice(0, 6)}`, ...args], {
          cwd: out,
          env: {
            ...process.env,
            TRITON_HTTP_PORT: String(http),
            TRITON_GRPC_PORT: String(grpc),
            TRITON_METRICS_PORT: String(metrics),
          },
        });
      // Of a busy machine the latency says nothing.
      const url = `http://127.0.0.1:${http}`;
      const smoke = () =>
        run('python3', ['smoke-test.py', '--url', url, '--skip-latency', '--wait', '60'], { cwd: out });
      try {
        await compose('up', '--detach');
        const { stdout } = await smoke();
        for (const check of ['files', 'ready', 'canary', 'samples'])
          expect(stdout).toMatch(`ok    ${check}:`);

        const weights = join('model-repository', 'resnet50', '1', 'model.onnx');
        const bytes = await readFile(join(out, weights));
        const at = Math.floor(bytes.length / 2);
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        await writeFile(join(out, weights), bytes);
        const failure = await smoke().then(
          () => null,
          (error: unknown) => error,
        );
        expect(failure).toMatchObject({
          code: 1,
          stdout: expect.stringContaining(`FAIL  files: the content of ${weights} changed`) as string,
        });
      } finally {
        await compose('down');
      }
    },
  );
});
