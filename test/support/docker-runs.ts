import { expect } from 'vitest';
import type { JournalEntry } from '../../main/contract/run/run-events';
import { labelNames } from '../../main/docker/containers';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { cli, type CliRun, documentOf, type RunDocument } from './cli';
import type { ContainerEvent, DockerHome } from './docker-home';
import { littleModel } from './little-model';
import { until } from './until';

const quick = ['run', 'resnet50', '--profile', 'quick', '--engine', 'docker', '--json', '--verbose'];
export const little = [...quick, ...littleModel];
/** A sweep of short levels, of so many windows each at the most. */
const sweep = (maxTrials: number, intervalMs: number) => [
  ...['--set', `performance.maxTrials=${maxTrials}`, '--set', 'performance.warmupMs=100'],
  ...['--set', `performance.measurementIntervalMs=${intervalMs}`],
  ...['--batch-sizes', '1,2', '--concurrency', '1'],
];
export const fast = sweep(3, 500);
/** Three windows of a second: a level is cut between the first and the last of them. */
export const slow = [...little, ...sweep(3, 1000)];
/** No window is like another to this: a level has nine of them, and after the first there is time for a slow engine. */
export const long = [...little, ...sweep(9, 500), '--set', 'performance.stabilityPercentage=0.0001'];

/** Of {@link slow} and {@link long}. */
const levels = ['offline b1 c1', 'offline b2 c1', 'online b1 c1'];

export async function runIdOf(started: CliRun): Promise<string> {
  return (await started.line(/^Run /)).slice('Run '.length);
}

export async function kill(started: CliRun): Promise<void> {
  started.child.kill('SIGKILL');
  await started.result;
}

export const ofRun = (runId: string) => (event: ContainerEvent) => event.labels[labelNames.runId] === runId;
export const ofTriton = (runId: string) => (event: ContainerEvent) =>
  ofRun(runId)(event) && event.labels[labelNames.role] === 'triton';

type Level = readonly [runId: string, step: 'offline' | 'online', task: string];

/** Runs of the command line in containers: what they have journalled, and where they are cut. */
export class DockerRuns {
  constructor(private readonly home: DockerHome) {}

  async journal(runId: string): Promise<readonly JournalEntry[]> {
    return (await readJournal(runFolder(this.home.runDir(runId)).journal)).entries;
  }

  async measurements(runId: string) {
    return (await this.journal(runId)).flatMap((entry) => (entry.type === 'measurement' ? [entry] : []));
  }

  /** Waits until the container of a level has measured its first window, which is not its last. */
  async inLevel(...level: Level): Promise<void> {
    await this.firstWindow(await this.levelStart(...level));
  }

  /** Kills the workbench in a level that has a window. It stands still before: it sees no end of a level that is through. */
  async killInLevel(started: CliRun, ...level: Level): Promise<ContainerEvent> {
    const found = await this.levelStart(...level);
    started.child.kill('SIGSTOP');
    await this.firstWindow(found);
    await kill(started);
    return found;
  }

  /** Resumes to the end: what had been measured is kept, every level stands exactly once, nothing is left. */
  async resumes(runId: string): Promise<RunDocument> {
    const before = await this.measurements(runId);
    const result = await cli(this.home.path, 'resume', runId, '--json', '--verbose');
    expect(result.stderr).not.toContain('✗');
    expect(result.code).toBe(0);
    const after = await this.measurements(runId);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(new Set(after.map((entry) => entry.key)).size).toBe(after.length);
    const measured = after.map(
      ({ scenario, point }) => `${scenario} b${point.batchSize} c${point.concurrency}`,
    );
    expect(measured).toEqual(levels);
    const document = documentOf(result);
    expect(document.status).toBe('done');
    expect(await this.home.leftBehind()).toEqual([]);
    return document;
  }

  /** Waits until the container of a level has started. */
  private levelStart(...[runId, step, task]: Level): Promise<ContainerEvent> {
    return this.home.event(
      'start',
      (event) =>
        ofRun(runId)(event) && event.labels[labelNames.step] === step && event.name.includes(`-${task}-`),
    );
  }

  private firstWindow({ id }: ContainerEvent): Promise<void> {
    return until('the level has a window', async () => {
      const log = await this.home.docker.getContainer(id).logs({ stdout: true, stderr: false });
      return log.includes('"type":"window"');
    });
  }
}
