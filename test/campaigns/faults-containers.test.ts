import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { labelNames } from '../../main/docker/containers';
import { documentOf, startCli } from '../support/cli';
import { createDecoys, ensureIdleImage, evidence, readTestEngine } from '../support/docker';
import { type ContainerEvent, DockerHome } from '../support/docker-home';
import { DockerRuns, fast, kill, little, long, ofRun, ofTriton, runIdOf, slow } from '../support/docker-runs';

const engine = await readTestEngine();
let home: DockerHome;
let runs: DockerRuns;

describe.skipIf(engine === null)('a run in containers that is cut short', () => {
  beforeAll(async () => {
    if (engine === null) return;
    home = await DockerHome.open(engine);
    runs = new DockerRuns(home);
  });
  afterAll(() => home.close());
  afterEach(async () => {
    expect(await home.leftBehind()).toEqual([]);
  });

  it('does again what kill -9 cut in the middle of an export', async () => {
    const started = startCli(home.path, [...little, ...fast, '--format', 'ts-trace']);
    const runId = await runIdOf(started);
    const isExport = (event: ContainerEvent) =>
      ofRun(runId)(event) && event.labels[labelNames.step] === 'export';
    const first = await home.event('start', isExport);
    await kill(started);
    await runs.resumes(runId);
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
      await runs.inLevel(runId, 'offline', 'b2-c1');
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

      expect(await runs.measurements(runId)).toHaveLength(1);
      await runs.resumes(runId);
      expect(await evidence(home.docker, decoys)).toEqual(untouched);
    } finally {
      for (const id of decoys) await home.docker.getContainer(id).remove({ force: true });
    }
  });

  it('M15: measures a level again with a fresh Triton when its container was killed in it', async () => {
    const started = startCli(home.path, long);
    const runId = await runIdOf(started);
    await runs.inLevel(runId, 'offline', 'b2-c1');
    const triton = await home.event('start', ofTriton(runId));
    await home.docker.getContainer(triton.id).kill();
    const result = await started.result;
    expect(result.code).toBe(0);
    const { offline } = documentOf(result);
    expect(offline.filter(({ restarts }) => restarts !== undefined)).toMatchObject([
      { batchSize: 2, restarts: 1 },
    ]);
    expect(await runs.measurements(runId)).toHaveLength(
      new Set((await runs.measurements(runId)).map(({ key }) => key)).size,
    );
    expect(await home.leftBehind()).toEqual([]);
  });
});
