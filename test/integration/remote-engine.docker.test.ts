import { cp, rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stepIds } from '../../main/contract/run/run-events';
import { labelNames } from '../../main/docker/containers';
import { createHosts } from '../../main/hosts/hosts';
import { homeLayout } from '../../main/platform/layout';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { takesAll } from '../support/campaign';
import { type CliResult, type CliRun, documentOf, startCli } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { type ContainerEvent, DockerHome } from '../support/docker-home';
import { littleModel } from '../support/little-model';
import { sshdProblem, startSshd, type TestSshd } from '../support/sshd';
import { until } from '../support/until';

const engine = await readTestEngine();
const sweep = [
  ...['run', 'resnet50', '--profile', 'quick', '--engine', 'docker', '--host', 'rack', '--json', '--verbose'],
  ...['--set', 'performance.warmupMs=100', '--set', 'performance.measurementIntervalMs=500'],
  ...['--batch-sizes', '1,2', '--concurrency', '1', ...littleModel],
];
/** A level has nine windows, and after the first there is time for a slow engine. */
const long = [
  ...[...sweep, '--set', 'performance.maxTrials=9'],
  ...['--set', 'performance.stabilityPercentage=0.0001'],
];
const levels = ['offline b1 c1', 'offline b2 c1', 'online b1 c1'];

// The engine is this machine's, but the workbench does not know: it reaches it by ssh alone, as one in a rack.
describe.skipIf(engine === null || sshdProblem() !== null)('a run on the Docker Engine of a host', () => {
  let sshd: TestSshd;
  let home: DockerHome;
  beforeAll(async () => {
    if (engine === null) return;
    sshd = await startSshd({ DOCKER_HOST: engine.address.host });
    home = await DockerHome.open(engine);
    const hosts = createHosts({ layout: homeLayout(home.path), env: sshd.env, now: () => new Date() });
    await hosts.add({ name: 'rack', address: 'ssh://rack' });
  });
  afterAll(async () => {
    await home.close();
    await sshd.stop();
  });
  afterEach(async () => {
    expect(await home.leftBehind()).toEqual([]);
  });

  /** The CLI with nothing of this machine's engine. */
  const start = (path: string, ...args: readonly string[]): CliRun =>
    startCli(path, args, [
      'env',
      'DOCKER_HOST=unix:///nowhere.sock',
      `TRITON_WORKBENCH_SSH_CONFIG=${sshd.env['TRITON_WORKBENCH_SSH_CONFIG'] ?? ''}`,
    ]);

  const entriesOf = async (runId: string) =>
    (await readJournal(runFolder(home.runDir(runId)).journal)).entries;

  async function measured(runId: string): Promise<readonly string[]> {
    return (await entriesOf(runId)).flatMap((entry) =>
      entry.type === 'measurement'
        ? [`${entry.scenario} b${entry.point.batchSize} c${entry.point.concurrency}`]
        : [],
    );
  }

  const createdLevels = (runId: string, task: string): readonly ContainerEvent[] =>
    home.of('create', ({ labels, name }) => labels[labelNames.runId] === runId && name.includes(`-${task}-`));

  /** Waits until the second level has measured its first window. */
  async function inSecondLevel(started: CliRun): Promise<string> {
    const runId = (await started.line(/^Run /)).slice('Run '.length);
    const level = await home.event(
      'start',
      ({ labels, name }) => labels[labelNames.runId] === runId && name.includes('-b2-c1-'),
    );
    await until('the level has a window', async () => {
      const log = await home.docker.getContainer(level.id).logs({ stdout: true, stderr: false });
      return log.includes('"type":"window"');
    });
    return runId;
  }

  function expectDone(result: CliResult) {
    expect(result.stderr).not.toContain('✗');
    expect(result.code, result.stderr.slice(-3000)).toBe(0);
    const document = documentOf(result);
    expect(document.status).toBe('done');
    return document;
  }

  it('goes from model code to a report without a folder of this machine, and takes up a level whose line was cut', async () => {
    const started = start(home.path, ...long);
    const runId = await inSecondLevel(started);
    await sshd.cut();
    const document = expectDone(await started.result);
    expect(await measured(runId)).toEqual(levels);
    expect(createdLevels(runId, 'b2-c1')).toHaveLength(1);

    expect(document.steps.map(({ id, status }) => [id, status])).toEqual(stepIds.map((id) => [id, 'done']));
    // Hardly trained it is seldom right, in Triton as in the framework.
    const top1 = document.accuracy?.metrics.find(({ name }) => name === 'top1');
    expect(top1?.framework).toBeGreaterThanOrEqual(0);
    expect(top1?.triton).toBe(top1?.framework);
    expect(document.accuracy?.outputs).toMatchObject([{ output: 'OUTPUT__0', passed: true, vacuous: false }]);
    for (const point of [...document.offline, ...document.online]) {
      expect(point).toMatchObject({ loadTool: 'native', errorCount: 0 });
      expect(point.serverComputeInferUs).toBeGreaterThan(0);
    }
    // The machine of the results is the engine's, as it says itself.
    const { Architecture, KernelVersion, NCPU } = (await home.docker.info()) as Readonly<
      Record<string, unknown>
    >;
    expect(document.environment).toMatchObject({ cpuCount: NCPU, gpus: [] });
    expect(document.environment?.os).toContain(`kernel ${String(KernelVersion)}, ${String(Architecture)}`);
    expect(document.environment?.cpu).not.toBe('unknown');
    const commands = (await entriesOf(runId)).flatMap((entry) =>
      entry.type === 'command' && entry.argv[0] === 'docker' ? [entry.argv] : [],
    );
    const sources = commands.flatMap((argv) =>
      argv.flatMap((word, index) => (word === '--volume' ? [argv[index + 1] ?? ''] : [])),
    );
    expect(sources.length).toBeGreaterThan(10);
    for (const source of sources) expect(source).toMatch(/^twb-/);
  });

  if (!takesAll) return;

  it('is continued after kill -9 from its own home only, and measures every level once', async () => {
    const started = start(home.path, ...long);
    const runId = await inSecondLevel(started);
    started.child.kill('SIGKILL');
    await started.result;

    const copy = `${home.path}-copy`;
    await cp(home.path, copy, { recursive: true, preserveTimestamps: true });
    try {
      const refused = await start(copy, 'resume', runId).result;
      expect(refused.code).not.toBe(0);
      expect(refused.stdout).toContain(`belongs to the copy of it in ${home.runDir(runId)}`);
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
    expectDone(await start(home.path, 'resume', runId, '--json', '--verbose').result);
    expect(await measured(runId)).toEqual(levels);
    expect(createdLevels(runId, 'b2-c1')).toHaveLength(1);
  });
});
