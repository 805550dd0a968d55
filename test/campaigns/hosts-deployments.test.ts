import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentInfo } from '../../main/contract/deployment/deployment';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { MonitorSample } from '../../main/contract/monitor/monitor';
import { createHosts, type Hosts } from '../../main/hosts/hosts';
import { homeLayout } from '../../main/platform/layout';
import { type CliResult, documentOf, startCli } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { DockerHome } from '../support/docker-home';
import { littleModel } from '../support/little-model';
import { sshdProblem, startSshd, type TestSshd } from '../support/sshd';

const engine = await readTestEngine();
const quick = [
  ...['--batch-sizes', '1', '--concurrency', '1', '--set', 'performance.maxTrials=3'],
  ...['--set', 'performance.measurementIntervalMs=300', '--set', 'performance.warmupMs=100', ...littleModel],
];

// The engine is this machine's, but the workbench does not know: it reaches it by ssh alone, as one in a rack.
describe.skipIf(engine === null || sshdProblem() !== null)('a model that is kept serving on a host', () => {
  let sshd: TestSshd;
  let home: DockerHome;
  let hosts: Hosts;
  let runId = '';
  let first: DeploymentInfo;
  beforeAll(async () => {
    if (engine === null) return;
    sshd = await startSshd({ DOCKER_HOST: engine.address.host });
    home = await DockerHome.open(engine);
    hosts = createHosts({ layout: homeLayout(home.path), env: sshd.env, now: () => new Date() });
    await hosts.add({ name: 'rack', address: 'ssh://rack' });
  });
  afterAll(async () => {
    await home.close();
    await sshd.stop();
  });

  const cli = (...args: readonly string[]): Promise<CliResult> =>
    startCli(home.path, args, [
      'env',
      'DOCKER_HOST=unix:///nowhere.sock',
      `TRITON_WORKBENCH_SSH_CONFIG=${sshd.env['TRITON_WORKBENCH_SSH_CONFIG'] ?? ''}`,
    ]).result;

  async function verb<Value = DeploymentInfo>(...args: readonly string[]): Promise<Value> {
    const { code, stdout, stderr } = await cli(...args, '--json');
    expect(`${args.join(' ')}: ${code ?? ''}${code === 0 ? '' : stdout + stderr}`).toBe(
      `${args.join(' ')}: 0`,
    );
    return JSON.parse(stdout) as Value;
  }
  const only = async (): Promise<DeploymentInfo | undefined> =>
    (await verb<readonly DeploymentInfo[]>('deployments', 'list'))[0];
  const container = async () => {
    const name = `twb-${home.instance.slice(0, 6)}-deployment-resnet50`;
    return home.docker.getContainer(name).inspect();
  };

  it('is served from a volume, on the loopback address of the host, and answers the samples of its run', async () => {
    const result = await cli(
      ...['run', 'resnet50', '--profile', 'quick', '--host', 'rack', '--keep-serving', '--json'],
      ...quick,
    );
    expect(result.stderr).toMatch(/resnet50 serves at http:\/\/127\.0\.0\.1:\d+ and .* on rack/);
    ({ runId } = documentOf(result));
    // What looks for leavings of dead workbenches passes it over: container, network and volume.
    await verb('clean', '--yes');
    const found = await only();
    expect(found).toMatchObject({ id: 'resnet50', state: 'ready', host: 'rack', engine: 'docker' });
    expect(found?.models).toMatchObject([{ version: 1, state: 'ready', checkedSamples: 8 }]);
    if (found !== undefined) first = found;
    const { Mounts, HostConfig } = await container();
    expect(Mounts.map(({ Type, RW, Destination }) => [Type, RW, Destination])).toEqual([
      ['volume', false, '/models'],
    ]);
    const bindings = Object.values(HostConfig.PortBindings as Record<string, { HostIp: string }[]>).flat();
    expect(new Set(bindings.map(({ HostIp }) => HostIp))).toEqual(new Set(['127.0.0.1']));
  });

  it('is measured by a load generator on the host', async () => {
    const { points, runId: measured } = await verb<{ points: readonly LoadPoint[]; runId: string }>(
      ...['perf', '--host', 'rack', '--url', first.httpUrl, '--grpc-url', first.grpcUrl],
      ...['--metrics-url', first.metricsUrl, '-m', 'resnet50', '--concurrency', '1,2'],
      ...['--measurement-interval', '500', '--max-trials', '3'],
    );
    expect(points.map(({ concurrency }) => concurrency)).toEqual([1, 2]);
    for (const point of points) {
      expect(point).toMatchObject({ loadTool: 'native', errorCount: 0 });
      expect(point.inferencesPerSecond).toBeGreaterThan(0);
      // By the metrics, through ssh.
      expect(point.serverCpuShare).toBeGreaterThanOrEqual(0);
    }
    const levels = home.of('create', ({ name }) => name.includes(measured));
    expect(levels.filter(({ name }) => /-b1-c[12]-/.test(name))).toHaveLength(2);
    // The result says where the load was made.
    const shown = (await cli('show', measured)).stdout;
    expect(shown).toContain(`${first.httpUrl.replace('http://', '')} on rack.`);
    expect(shown).toContain('The load generator ran on that host, in a container.');
  });

  it('is watched through ssh', async () => {
    const { code, stdout } = await cli(
      ...['monitor', '--host', 'rack', '--url', first.httpUrl, '--metrics-url', first.metricsUrl],
      ...['--probe', 'resnet50', '--for', '4', '--json'],
    );
    expect(code).toBe(0);
    const samples = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as MonitorSample);
    expect(samples.length).toBeGreaterThan(1);
    expect(samples.at(-1)).toMatchObject({ server: { state: 'up' }, hole: null, metricsProblem: null });
    expect(samples.at(-1)?.models.map(({ name, state }) => [name, state])).toEqual([['resnet50', 'ready']]);
  });

  it('changes version, returns to the one before, and starts again where it was', async () => {
    expect((await verb('deploy', runId, '--to', 'resnet50')).models).toMatchObject([
      { version: 2, state: 'ready', previous: { version: 1 } },
    ]);
    expect((await verb('deployments', 'rollback', 'resnet50')).models).toMatchObject([
      { version: 1, state: 'ready', previous: null },
    ]);
    expect(await verb('deployments', 'stop', 'resnet50')).toMatchObject({ state: 'stopped' });
    expect(await verb('deployments', 'restart', 'resnet50')).toMatchObject({
      ...{ state: 'ready', httpUrl: first.httpUrl },
      models: [{ version: 1, state: 'ready' }],
    });
    expect((await cli('deployments', 'logs', 'resnet50')).stdout).toContain('resnet50');
    // Nothing of a candidate is left that Triton would load at its next start.
    const archive = await home.docker
      .getContainer((await container()).Id)
      .getArchive({ path: '/models' })
      .then(async (stream) => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        return Buffer.concat(chunks).toString('latin1');
      });
    expect(archive).toContain('models/resnet50/1/');
    expect(archive).not.toContain('--candidate');
    expect(archive).not.toContain('models/resnet50/2/');
  });

  it('is unknown while the host is away, and goes with all that it has there', async () => {
    await hosts.remove('rack');
    await hosts.add({ name: 'rack', address: 'ssh://127.0.0.1:1' });
    const away = await only();
    expect(away).toMatchObject({ state: 'unknown', host: 'rack', models: [{ state: 'unknown' }] });
    expect(away?.reason).toContain('The host rack is not reachable');
    const refused = await cli('deployments', 'remove', 'resnet50', '--force');
    expect(refused.code).not.toBe(0);
    expect(await only()).toMatchObject({ id: 'resnet50' });

    await hosts.remove('rack');
    await hosts.add({ name: 'rack', address: 'ssh://rack' });
    expect(await only()).toMatchObject({ state: 'ready' });
    await verb('deployments', 'remove', 'resnet50', '--force');
    expect(await only()).toBeUndefined();
    await verb('clean', '--yes');
    expect(await home.leftBehind()).toEqual([]);
  });
});
