import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeLayout } from '../../main/platform/layout';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { type CliResult, type CliRun, documentOf } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { type HomeWithHosts, startHomeWithHosts } from '../support/two-hosts';
import { until } from '../support/until';

const engine = await readTestEngine();
const quick = ['run', 'resnet50', '--profile', 'quick', '--engine', 'docker', '--json', '--verbose'];
/** Levels of nine windows each: there is time to cut the line in the middle of one. */
const slow = [
  ...[...quick, '--batch-sizes', '1,2', '--concurrency', '1', '--set', 'performance.maxTrials=9'],
  ...['--set', 'performance.measurementIntervalMs=2000', '--set', 'performance.stabilityPercentage=0.0001'],
];
const levels = ['offline b1 c1', 'offline b2 c1', 'online b1 c1'];

const say = (text: string): void => {
  process.stdout.write(`    ${text}\n`);
};

describe.skipIf(engine === null)('two hosts, each with a Docker Engine and an sshd of its own', () => {
  let two: HomeWithHosts;
  beforeAll(async () => {
    if (engine === null) return;
    two = await startHomeWithHosts(engine, [
      { name: 'a', number: 61 },
      { name: 'b', number: 62, line: { mbit: 50, delayMs: 10 } },
    ]);
  });
  afterAll(() => two.stop());

  const start = (args: readonly string[], more: readonly string[] = []): CliRun => two.start(args, more);
  const hostOf = (name: string) => two.host(name);
  const left = (name: string) => two.left(name);

  async function measured(runId: string): Promise<readonly string[]> {
    const { entries } = await readJournal(runFolder(join(homeLayout(two.home.path).runs, runId)).journal);
    return entries.flatMap((entry) =>
      entry.type === 'measurement'
        ? [`${entry.scenario} b${entry.point.batchSize} c${entry.point.concurrency}`]
        : [],
    );
  }

  function expectDone(result: CliResult) {
    expect(result.stderr).not.toContain('✗');
    expect(result.code, result.stderr.slice(-3000)).toBe(0);
    return documentOf(result);
  }

  /** Waits until the second level on the host has a window. */
  async function inSecondLevel(started: CliRun, name: string): Promise<string> {
    const runId = (await started.line(/^Run /)).slice('Run '.length);
    const { docker } = hostOf(name).client;
    await until('the second level has a window', async () => {
      const found = (await docker.listContainers()).find(({ Names }) => Names[0]?.includes('-b2-c1-'));
      if (found === undefined) return false;
      const log = await docker.getContainer(found.Id).logs({ stdout: true, stderr: false });
      return log.includes('"type":"window"');
    });
    return runId;
  }

  it('run at once, one of them over a slow line, with the figures of a run here', async () => {
    const began = performance.now();
    const both = ['a', 'b'].map((name) => start([...quick, '--host', name]));
    const [a, b] = (await Promise.all(both.map(({ result }) => result))).map(expectDone);
    say(`both in ${((performance.now() - began) / 1000).toFixed(0)} s`);
    const here = expectDone(await start(quick).result);
    for (const [where, document] of Object.entries({ a, b, here })) {
      const points = [...(document?.offline ?? []), ...(document?.online ?? [])];
      expect(points.length).toBeGreaterThan(1);
      say(
        `${where}: ${points.map((point) => `b${point.batchSize} c${point.concurrency} ${point.inferencesPerSecond.toFixed(0)}/s`).join(', ')}`,
      );
    }
    expect(await left('a')).toEqual([]);
    expect(await left('b')).toEqual([]);
  });

  it.each(['a', 'b'])('a line to %s that is cut for 30 s in a level', async (name) => {
    const started = start([...slow, '--host', name]);
    const runId = await inSecondLevel(started, name);
    hostOf(name).cut();
    await sleep(30_000);
    hostOf(name).mend();
    expectDone(await started.result);
    expect(await measured(runId)).toEqual(levels);
    expect(await left(name)).toEqual([]);
  });

  it('a line that stays cut: failed with what was measured, nothing left after its return, and resumed', async () => {
    const started = start([...slow, '--host', 'a'], ['TRITON_WORKBENCH_HOST_WAIT_S=20']);
    const runId = await inSecondLevel(started, 'a');
    hostOf('a').cut();
    const result = await started.result;
    expect(result.code).not.toBe(0);
    expect(result.stdout, result.stderr.slice(-3000)).not.toBe('');
    expect(documentOf(result)).toMatchObject({ status: 'failed', error: { code: 'docker-unreachable' } });
    expect(await measured(runId)).toEqual(levels.slice(0, 1));
    hostOf('a').mend();
    await start(['clean', '--yes']).result;
    expect(await left('a')).toEqual([]);
    expectDone(await start(['resume', runId, '--json', '--verbose']).result);
    expect(await measured(runId)).toEqual(levels);
    expect(await left('a')).toEqual([]);
  });
});
