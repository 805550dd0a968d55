import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type JournalEntry, stepIds } from '../../main/contract/run/run-events';
import { stepTitle } from '../../main/contract/words';
import { labelNames } from '../../main/docker/containers';
import { readImageRecipe } from '../../main/docker/images/known-images';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { cli, type CliRun, documentOf, type RunDocument, startCli } from '../support/cli';
import { createDecoys, ensureIdleImage, evidence, readTestEngine } from '../support/docker';
import { type ContainerEvent, DockerHome } from '../support/docker-home';
import { repository } from '../support/home';
import { littleModel } from '../support/little-model';
import { until } from '../support/until';

const engine = await readTestEngine();
let home: DockerHome;

const quick = ['run', 'resnet50', '--profile', 'quick', '--engine', 'docker', '--json', '--verbose'];
const little = [...quick, ...littleModel];
/** A sweep of short levels, of so many windows each at the most. */
const sweep = (maxTrials: number, intervalMs: number) => [
  ...['--set', `performance.maxTrials=${maxTrials}`, '--set', 'performance.warmupMs=100'],
  ...['--set', `performance.measurementIntervalMs=${intervalMs}`],
  ...['--batch-sizes', '1,2', '--concurrency', '1'],
];
const fast = sweep(3, 500);
/** Three windows of a second: a level is cut between the first and the last of them. */
const slow = [...little, ...sweep(3, 1000)];
/** No window is like another to this: a level has nine of them, and after the first there is time for a slow engine. */
const long = [...little, ...sweep(9, 500), '--set', 'performance.stabilityPercentage=0.0001'];

const levels = ['offline b1 c1', 'offline b2 c1', 'online b1 c1'];

async function journal(runId: string): Promise<readonly JournalEntry[]> {
  return (await readJournal(runFolder(home.runDir(runId)).journal)).entries;
}

async function measurements(runId: string) {
  return (await journal(runId)).flatMap((entry) => (entry.type === 'measurement' ? [entry] : []));
}

async function runIdOf(started: CliRun): Promise<string> {
  return (await started.line(/^Run /)).slice('Run '.length);
}

async function kill(started: CliRun): Promise<void> {
  started.child.kill('SIGKILL');
  await started.result;
}

const ofRun = (runId: string) => (event: ContainerEvent) => event.labels[labelNames.runId] === runId;
const ofTriton = (runId: string) => (event: ContainerEvent) =>
  ofRun(runId)(event) && event.labels[labelNames.role] === 'triton';

/** Waits until the container of a level has started. */
const levelStart = (runId: string, step: 'offline' | 'online', task: string): Promise<ContainerEvent> =>
  home.event(
    'start',
    (event) =>
      ofRun(runId)(event) && event.labels[labelNames.step] === step && event.name.includes(`-${task}-`),
  );

const firstWindow = ({ id }: ContainerEvent): Promise<void> =>
  until('the level has a window', async () => {
    const log = await home.docker.getContainer(id).logs({ stdout: true, stderr: false });
    return log.includes('"type":"window"');
  });

/** Waits until the container of a level has measured its first window, which is not its last. */
async function inLevel(...level: Parameters<typeof levelStart>): Promise<void> {
  await firstWindow(await levelStart(...level));
}

/** Kills the workbench in a level that has a window. It stands still before: it sees no end of a level that is through. */
async function killInLevel(
  started: CliRun,
  ...level: Parameters<typeof levelStart>
): Promise<ContainerEvent> {
  const found = await levelStart(...level);
  started.child.kill('SIGSTOP');
  await firstWindow(found);
  await kill(started);
  return found;
}

/** Resumes to the end: what had been measured is kept, every level stands exactly once, nothing is left. */
async function resumes(runId: string): Promise<RunDocument> {
  const before = await measurements(runId);
  const result = await cli(home.path, 'resume', runId, '--json', '--verbose');
  expect(result.stderr).not.toContain('✗');
  expect(result.code).toBe(0);
  const after = await measurements(runId);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(new Set(after.map((entry) => entry.key)).size).toBe(after.length);
  const measured = after.map(
    ({ scenario, point }) => `${scenario} b${point.batchSize} c${point.concurrency}`,
  );
  expect(measured).toEqual(levels);
  const document = documentOf(result);
  expect(document.status).toBe('done');
  expect(await home.leftBehind()).toEqual([]);
  return document;
}

/** Names of the run's containers after the `images` step, which every attempt has, that were created more than once. */
function createdAgain(runId: string): readonly string[] {
  const names = home
    .of('create', (event) => ofRun(runId)(event) && event.labels[labelNames.step] !== 'images')
    .map(({ name }) => name);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

describe.skipIf(engine === null)('run resnet50 --profile quick --engine docker', () => {
  beforeAll(async () => {
    if (engine === null) return;
    home = await DockerHome.open(engine);
  });
  afterAll(() => home.close());
  afterEach(async () => {
    expect(await home.leftBehind()).toEqual([]);
  });

  it('goes from model code to a report in containers and leaves nothing behind', async () => {
    const result = await cli(home.path, ...quick, ...fast, '--concurrency', '1,2');
    expect(result.stderr).not.toContain('✗');
    expect(result.code).toBe(0);
    const document = documentOf(result);
    expect(document.status).toBe('done');
    expect(document.steps.map(({ id, status }) => [id, status])).toEqual(stepIds.map((id) => [id, 'done']));
    const top1 = document.accuracy?.metrics.find(({ name }) => name === 'top1');
    expect(top1).toMatchObject({ framework: 1, triton: 1 });
    expect(document.offline.map((point) => point.batchSize)).toEqual([1, 2]);
    expect(document.online.map((point) => point.concurrency)).toEqual([1, 2]);
    for (const point of [...document.offline, ...document.online]) {
      expect(point).toMatchObject({ loadTool: 'native', errorCount: 0 });
      expect(point.inferencesPerSecond).toBeGreaterThan(0);
      expect(point.serverComputeInferUs).toBeGreaterThan(0);
    }
    for (const report of document.reports) expect((await readFile(report.path)).length).toBeGreaterThan(100);
    expect(document.reports.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['html', 'pdf', 'csv-offline', 'csv-online', 'csv-accuracy', 'json']),
    );

    const used = (['triton', 'client'] as const).map(async (role) => {
      const { reference } = await readImageRecipe(`${repository}/resources`, `${role}-cpu`);
      return { role, reference, id: (await home.docker.getImage(reference).inspect()).Id, digest: null };
    });
    expect(document.environment?.images).toEqual(await Promise.all(used));
    for (const { id } of document.environment?.images ?? []) expect(id).toMatch(/^sha256:[0-9a-f]{64}$/);

    // What the journal says was run is what the engine was asked for, container by container.
    const asked = (await journal(document.runId)).flatMap((entry) =>
      entry.type === 'command' && entry.argv[0] === 'docker' ? [entry] : [],
    );
    const commands = asked.filter(({ argv }) => argv[1] === 'run');
    const others = asked.filter(({ argv }) => argv[1] !== 'run');
    expect(others.map(({ step, argv }) => `${step} ${argv.slice(0, 3).join(' ')}`)).toEqual([
      'deploy docker network create',
    ]);
    const named = commands.map(({ step, argv }) => `${step} ${argv[argv.indexOf('--name') + 1] ?? ''}`);
    const created = home.of('create', ofRun(document.runId));
    expect(named).toEqual(
      created
        .filter(({ labels }) => labels[labelNames.step] !== 'images')
        .map(({ labels, name }) => `${labels[labelNames.step] ?? ''} ${name}`),
    );
    const worked = [
      'prepare-data',
      'export',
      'convert',
      'deploy',
      'accuracy',
      'profile-data',
      'offline',
      'online',
    ];
    expect([...new Set(commands.map(({ step }) => step))]).toEqual(worked);
    expect(home.of('destroy', ofRun(document.runId))).toHaveLength(created.length);
  });

  it('measures with perf_analyzer, and passes tensors of both tools through the memory of the containers', async () => {
    const words = [
      ...[...little, ...fast],
      ...['--batch-sizes', '2', '--concurrency', '1', '--load-tool', 'perf_analyzer'],
      ...['--cross-check', '--repeats', '1', '--set', 'performance.sharedMemory=system'],
    ];
    // What root writes so is hidden from the user of the containers.
    const hidden = ['sh', '-c', 'umask 077; exec "$@"', 'sh'];
    const { result: ended } = startCli(home.path, words, hidden);
    const result = await ended;
    expect(result.stderr).not.toContain('✗');
    expect(result.code).toBe(0);
    const document = documentOf(result);
    // A point of each tool.
    expect(document.offline).toHaveLength(2);
    expect(document.offline[0]).toMatchObject({ loadTool: 'perf_analyzer', batchSize: 2, errorCount: 0 });
    expect(document.offline[0]?.inferencesPerSecond).toBeGreaterThan(0);
    const points = (await measurements(document.runId)).map(({ point }) => point);
    const both = ['perf_analyzer', 'native'];
    expect(points.map(({ loadTool }) => loadTool)).toEqual([...both, ...both]);
    for (const { loadTool, ...point } of points) {
      expect(point).toMatchObject({
        errorCount: 0,
        sharedMemory: { kind: 'system', wrongCount: 0, repairs: 0 },
      });
      expect(point.requestCount).toBeGreaterThan(0);
      // perf_analyzer does not read back what Triton wrote there.
      if (loadTool === 'native') expect(point.sharedMemory?.checkedCount).toBeGreaterThan(0);
    }
    const argvs = (await journal(document.runId)).flatMap((entry) =>
      entry.type === 'command' && entry.step === 'offline' ? [entry.argv] : [],
    );
    // The tool is asked again where a window held too few requests.
    const [container = [], ...inside] = argvs.slice(0, -1);
    const [triton] = home.of('create', ofTriton(document.runId));
    expect(container[0]).toBe('docker');
    expect(container[container.indexOf('--ipc') + 1]).toBe(`container:${triton?.id ?? ''}`);
    expect(container).not.toContain('--pid');
    expect([...new Set(inside.map(([program]) => program))]).toEqual(['perf_analyzer']);
    expect(inside[0]?.join(' ')).toContain('--shared-memory system');
  });

  it('goes on where kill -9 of the workbench cut it: in a level, and while nobody saw a level end', async () => {
    const started = startCli(home.path, slow);
    const runId = await runIdOf(started);
    const level = await killInLevel(started, runId, 'offline', 'b2-c1');
    expect(await measurements(runId)).toHaveLength(1);
    const [triton] = home.of('create', ofTriton(runId));
    const left = (await home.docker.listContainers({ all: true })).map(({ Id }) => Id);
    expect(left).toEqual(expect.arrayContaining([level.id, triton?.id]));

    // What else is done in the home meanwhile leaves it to be taken up.
    expect(documentOf(await cli(home.path, 'show', runId, '--json')).status).toBe('interrupted');

    const again = startCli(home.path, ['resume', runId, '--json', '--verbose']);
    await again.line(/already running in .* reused/);
    const unseen = await killInLevel(again, runId, 'online', 'b1-c1');
    await home.event('die', ({ id }) => id === unseen.id);

    const document = await resumes(runId);
    expect(document.steps.find(({ id }) => id === 'deploy')?.status).toBe('done');
    // One Triton and one container a level over three attempts.
    expect(home.of('create', ofTriton(runId))).toHaveLength(1);
    expect(createdAgain(runId)).toEqual([]);
    // What it had measured when nobody watched was taken, and not measured anew.
    expect(home.of('start', ({ id }) => id === unseen.id)).toHaveLength(1);
  });

  it('does again what kill -9 cut in the middle of an export', async () => {
    const started = startCli(home.path, [...little, ...fast, '--format', 'ts-trace']);
    const runId = await runIdOf(started);
    const isExport = (event: ContainerEvent) =>
      ofRun(runId)(event) && event.labels[labelNames.step] === 'export';
    const first = await home.event('start', isExport);
    await kill(started);
    await resumes(runId);
    const fates = home.events.filter(
      (event) => isExport(event) && ['create', 'destroy'].includes(event.action),
    );
    expect(fates.map(({ action, id }) => `${action} ${id === first.id ? 'first' : 'second'}`)).toEqual([
      'create first',
      'destroy first',
      'create second',
      'destroy second',
    ]);
  });

  it('removes what a dead workbench left before another run measures; that one is cancelled by Ctrl-C in a level', async () => {
    const image = await ensureIdleImage(home.docker);
    const decoys = await createDecoys(home.docker, image, home.instance, 5);
    const untouched = await evidence(home.docker, decoys);
    try {
      const first = startCli(home.path, slow);
      const dead = await runIdOf(first);
      const client = await home.event(
        'start',
        (event) => ofRun(dead)(event) && event.name.includes('-infer-framework-'),
      );
      await kill(first);
      const triton = await home.event('start', ofTriton(dead));
      // Both containers and the run's network.
      expect(await home.leftBehind()).toHaveLength(3);

      const second = startCli(home.path, long);
      const runId = await runIdOf(second);
      await inLevel(runId, 'offline', 'b2-c1');
      second.child.kill('SIGINT');
      const result = await second.result;
      expect(result.code).toBe(130);
      expect(documentOf(result).status).toBe('cancelled');
      expect(await home.leftBehind()).toEqual([]);
      const order = home.events
        .filter(
          ({ action, id, labels }) =>
            (action === 'destroy' && [client.id, triton.id].includes(id)) ||
            (action === 'create' && labels[labelNames.runId] === runId),
        )
        .map(({ action }) => action);
      expect(order.slice(0, 2)).toEqual(['destroy', 'destroy']);
      expect(order.filter((action) => action === 'destroy')).toHaveLength(2);
      expect(await evidence(home.docker, decoys)).toEqual(untouched);

      expect(await measurements(runId)).toHaveLength(1);
      await resumes(runId);
      expect(await evidence(home.docker, decoys)).toEqual(untouched);
    } finally {
      for (const id of decoys) await home.docker.getContainer(id).remove({ force: true });
    }
  });

  it('M15: measures a level again with a fresh Triton when its container was killed in it', async () => {
    const started = startCli(home.path, long);
    const runId = await runIdOf(started);
    await inLevel(runId, 'offline', 'b2-c1');
    const triton = await home.event('start', ofTriton(runId));
    await home.docker.getContainer(triton.id).kill();
    const result = await started.result;
    expect(result.code).toBe(0);
    const { offline } = documentOf(result);
    expect(offline.filter(({ restarts }) => restarts !== undefined)).toMatchObject([
      { batchSize: 2, restarts: 1 },
    ]);
    expect(await measurements(runId)).toHaveLength(
      new Set((await measurements(runId)).map(({ key }) => key)).size,
    );
    expect(await home.leftBehind()).toEqual([]);
  });

  it('names who has the port that was asked for', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const result = await cli(home.path, ...little, ...fast, '--http-port', String(port));
      expect(result.code).toBe(1);
      const { error } = documentOf(result);
      expect(error).toMatchObject({ code: 'port-taken', where: `127.0.0.1:${port}` });
      expect(error?.message).toContain(`Port ${port} is in use: process ${process.pid}`);
      // Before there is a run: no image is prepared, nothing is exported.
      expect(result.stderr).not.toContain(stepTitle.export);
      expect(result.stderr).not.toContain('Docker: ');
    } finally {
      server.close();
    }
  });
});
