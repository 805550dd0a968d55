import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stepIds } from '../../main/contract/run/run-events';
import { stepTitle } from '../../main/contract/words';
import { labelNames } from '../../main/docker/containers';
import { readImageRecipe } from '../../main/docker/images/known-images';
import { takesAll } from '../support/campaign';
import { cli, documentOf, startCli } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { DockerHome } from '../support/docker-home';
import { DockerRuns, fast, little, ofRun, ofTriton, runIdOf, slow } from '../support/docker-runs';
import { repository } from '../support/home';

const engine = await readTestEngine();
let home: DockerHome;
let runs: DockerRuns;

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
    runs = new DockerRuns(home);
  });
  afterAll(() => home.close());
  afterEach(async () => {
    expect(await home.leftBehind()).toEqual([]);
  });

  it('goes from model code to a report in containers and leaves nothing behind', async () => {
    // Trained as the preset says it is by the demo of the window's tests.
    const result = await cli(home.path, ...little, ...fast, '--concurrency', '1,2');
    expect(result.stderr).not.toContain('✗');
    expect(result.code).toBe(0);
    const document = documentOf(result);
    expect(document.status).toBe('done');
    expect(document.steps.map(({ id, status }) => [id, status])).toEqual(stepIds.map((id) => [id, 'done']));
    const top1 = document.accuracy?.metrics.find(({ name }) => name === 'top1');
    expect(top1?.framework).toBeGreaterThanOrEqual(0);
    expect(top1?.triton).toBe(top1?.framework);
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
    const asked = (await runs.journal(document.runId)).flatMap((entry) =>
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

  if (takesAll) {
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
      const points = (await runs.measurements(document.runId)).map(({ point }) => point);
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
      const argvs = (await runs.journal(document.runId)).flatMap((entry) =>
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
      const level = await runs.killInLevel(started, runId, 'offline', 'b2-c1');
      expect(await runs.measurements(runId)).toHaveLength(1);
      const [triton] = home.of('create', ofTriton(runId));
      const left = (await home.docker.listContainers({ all: true })).map(({ Id }) => Id);
      expect(left).toEqual(expect.arrayContaining([level.id, triton?.id]));

      // What else is done in the home meanwhile leaves it to be taken up.
      expect(documentOf(await cli(home.path, 'show', runId, '--json')).status).toBe('interrupted');

      const again = startCli(home.path, ['resume', runId, '--json', '--verbose']);
      await again.line(/already running in .* reused/);
      const unseen = await runs.killInLevel(again, runId, 'online', 'b1-c1');
      await home.event('die', ({ id }) => id === unseen.id);

      const document = await runs.resumes(runId);
      expect(document.steps.find(({ id }) => id === 'deploy')?.status).toBe('done');
      // One Triton and one container a level over three attempts.
      expect(home.of('create', ofTriton(runId))).toHaveLength(1);
      expect(createdAgain(runId)).toEqual([]);
      // What it had measured when nobody watched was taken, and not measured anew.
      expect(home.of('start', ({ id }) => id === unseen.id)).toHaveLength(1);
    });
  }

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
