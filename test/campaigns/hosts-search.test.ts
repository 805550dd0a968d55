import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Look, SearchStrategy } from '../../main/contract/study/search';
import type { Study } from '../../main/contract/study/study';
import type { SearchAnswer } from '../../main/domain/study/search/search-answer';
import { createHosts } from '../../main/hosts/hosts';
import { homeLayout } from '../../main/platform/layout';
import { StudyStore } from '../../main/studies/study-store';
import { startCli } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { DockerHome } from '../support/docker-home';
import { littleModel } from '../support/little-model';
import { sshdProblem, startSshd, type TestSshd } from '../support/sshd';
import { until } from '../support/until';

interface Document {
  readonly search: SearchStrategy;
  readonly answer: SearchAnswer;
}

const engine = await readTestEngine();

// The engine is this machine's, but the workbench does not know: it reaches it by ssh alone, as one in a rack.
describe.skipIf(engine === null || sshdProblem() !== null)('a search on the Docker Engine of a host', () => {
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

  const started = (...args: readonly string[]) =>
    startCli(home.path, args, [
      'env',
      'DOCKER_HOST=unix:///nowhere.sock',
      `TRITON_WORKBENCH_SSH_CONFIG=${sshd.env['TRITON_WORKBENCH_SSH_CONFIG'] ?? ''}`,
    ]);
  const cli = (...args: readonly string[]) => started(...args).result;
  const resumed = ['studies', 'resume', 'killed', '--json'] as const;
  const space = [
    ...['--p99', '2s', '--load', 'closed', '--concurrency', '4', '--instances', '1'],
    ...['--batching', 'dynamic', '--queue-delays-us', '0', '--threads', '1', '--budget', '12s', '--json'],
  ];

  it('makes the model there, serves its configurations there, and measures them from there', async () => {
    const { code, stdout, stderr } = await cli(
      ...['search', 'resnet50', '--host', 'rack', '--name', 'racked', ...space, ...littleModel],
      ...['--set', 'model.profile=quick', '--set', 'configure.maxQueueDelayUs=60000'],
      ...['--set', 'configure.preferredBatchSizes=[]'],
    );
    expect(code, stderr.slice(-3000)).toBe(0);
    expect(stderr).toContain('Served and measured on the host rack.');
    const { search, answer } = JSON.parse(stdout) as Document;
    expect(answer.rows.every(({ looks, reason }) => looks > 0 && reason === null)).toBe(true);
    // The present one waits 60 ms; the other does not.
    expect(answer.winner?.candidate).toBe(2);
    expect(answer.place).toMatchObject({ engine: 'docker', host: 'rack' });
    expect(answer.sentence).toContain('on the host rack');
    // Load is sent from a container there: none of it goes through ssh.
    const looks = answer.rows.reduce((sum, row) => sum + row.looks, 0);
    expect(home.of('create', ({ name }) => name.includes('-racked-b1-c4-')).length).toBe(looks);
    expect(await readdir(join(home.path, 'studies', 'racked', 'work'))).not.toContain('steps');
    expect(await home.leftBehind()).toEqual([]);
    const again = await cli('search', search.runId ?? '', ...space, '--name', 'again', '--dry-run');
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('on the host rack')]);
  });

  it('loses and repeats nothing when it is killed while its model is made, measured and compared', async () => {
    const journal = new StudyStore(homeLayout(home.path).studies);
    const known = () => journal.load('killed').catch(() => null);
    const looksOf = (study: Study | null): readonly Look[] => study?.searched.looks ?? [];
    /** Each is killed once it holds; what a process leaves is continued by the next. */
    const moments: readonly (readonly [string, (study: Study | null) => boolean])[] = [
      ['its model is made', (study) => study?.trials[1]?.runId !== undefined],
      ['its first measurement is kept', (study) => looksOf(study).length > 0],
      ['its best is compared', (study) => looksOf(study).some(({ phase }) => phase === 'confirm')],
    ];
    const first = ['search', 'resnet50', '--host', 'rack', '--name', 'killed', ...space, ...littleModel];
    const model = [
      ...['--set', 'model.profile=quick', '--set', 'configure.maxQueueDelayUs=60000'],
      ...['--set', 'configure.preferredBatchSizes=[]'],
    ];
    for (const [at, [what, holds]] of moments.entries()) {
      const before = looksOf(await known());
      const { child, result } = started(...(at === 0 ? [...first, ...model] : resumed));
      const ended = await Promise.race([result, until(what, async () => holds(await known()))]);
      expect(ended, what).toBeUndefined();
      child.kill('SIGKILL');
      expect((await result).code).toBeNull();
      expect(looksOf(await known()).slice(0, before.length), what).toEqual(before);
    }
    const before = looksOf(await known());
    const { code, stdout, stderr } = await started(...resumed).result;
    expect(code, stderr.slice(-3000)).toBe(0);
    const { answer } = JSON.parse(stdout) as Document;
    expect(answer.winner?.candidate).toBe(2);
    expect(answer.place).toMatchObject({ engine: 'docker', host: 'rack' });
    const after = looksOf(await known());
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThanOrEqual(12);
    // One run, however often it was begun.
    const { runs } = JSON.parse((await cli('runs', '--json')).stdout) as {
      readonly runs: readonly { readonly matrix?: { readonly name: string } }[];
    };
    expect(runs.filter(({ matrix }) => matrix?.name === 'killed')).toHaveLength(1);
    expect(await home.leftBehind()).toEqual([]);
  });

  it('is refused before anything begins where the host or the engine cannot', async () => {
    const unknown = await cli('search', 'resnet50', '--host', 'nowhere', ...space, '--dry-run');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('nowhere')]);
    const both = await cli(
      'search',
      'resnet50',
      '--host',
      'rack',
      '-u',
      'localhost:1',
      ...space,
      '--dry-run',
    );
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('Give one of --host and --url')]);
  });
});
