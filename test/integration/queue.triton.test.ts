import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunSummary } from '../../main/contract/api';
import type { JournalEntry } from '../../main/contract/run/run-events';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { cli, type CliRun, documentOf, type RunDocument, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { littleModel } from '../support/little-model';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
});
afterAll(() => home.remove());

const levels = [
  ...['--batch-sizes', '1,2,4', '--concurrency', '1,2'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=100'],
  ...['--measurement-interval-ms', '250'],
];
const run = ['run', 'resnet50', '--profile', 'quick', '--json', ...littleModel, ...levels];

const journalOf = async ({ dir }: { readonly dir: string }): Promise<readonly JournalEntry[]> =>
  (await readJournal(runFolder(dir).journal)).entries;

const isMeasuring = (entry: JournalEntry): boolean =>
  entry.type === 'measurement' ||
  (entry.type === 'step-started' && (entry.step === 'offline' || entry.step === 'online'));

/** When the run measured, by its journal. */
function measuringTime(entries: readonly JournalEntry[]): { readonly from: string; readonly to: string } {
  const times = entries.filter(isMeasuring).map(({ at }) => at);
  return { from: times[0] ?? '', to: times.at(-1) ?? '' };
}

const measured = (entries: readonly JournalEntry[]) =>
  entries.flatMap((entry) =>
    entry.type === 'measurement'
      ? [`${entry.scenario} ${entry.point.batchSize} ${entry.point.concurrency}`]
      : [],
  );
const offline = ['offline 1 1', 'offline 2 1', 'offline 4 1'];
const online = ['online 1 1', 'online 1 2'];

async function ended(started: CliRun): Promise<RunDocument> {
  const result = await started.result;
  expect(result.stderr).not.toContain('✗');
  expect(result.code).toBe(0);
  return documentOf(result);
}

async function listed(runId: string): Promise<RunSummary | undefined> {
  const { runs } = JSON.parse((await cli(home.path, 'runs', '--json')).stdout) as { runs: RunSummary[] };
  return runs.find((one) => one.runId === runId);
}

describe('runs that measure on one machine', () => {
  let second: RunDocument;

  it('go one after the other, and the one that waits says so', async () => {
    const both = [startCli(home.path, run), startCli(home.path, run)];
    const waits = await Promise.race(
      both.map(async (one) => ({ one, line: await one.line(/^Waiting for /) })),
    );
    const [first] = both.filter((one) => one !== waits.one);
    const runId = (await first?.line(/^Run /))?.slice('Run '.length) ?? '';
    expect(waits.line).toContain(runId);
    const waitingId = (await waits.one.line(/^Run /)).slice('Run '.length);
    expect(await listed(waitingId)).toMatchObject({
      status: 'running',
      waitsFor: { reason: 'device', what: runId },
    });
    const documents = await Promise.all([first ?? waits.one, waits.one].map(ended));
    const journals = await Promise.all(documents.map(journalOf));
    const waited = journals.map((entries) =>
      entries.flatMap((entry) => (entry.type === 'run-waiting' ? [entry.for] : [])),
    );
    expect(waited).toEqual([[], [runId, null]]);
    const [before, after] = journals.map(measuringTime);
    expect(Date.parse(before?.to ?? '')).toBeLessThan(Date.parse(after?.from ?? ''));
    for (const entries of journals) expect(measured(entries)).toEqual([...offline, ...online]);
    second = documents[1] ?? documentOf(await waits.one.result);
    expect(await listed(waitingId)).toMatchObject({ status: 'done', waitsFor: null });
  });

  it('does online again from there on, and offline not', async () => {
    const before = await journalOf(second);
    const document = await ended(startCli(home.path, ['resume', second.runId, '--from', 'online', '--json']));
    const after = (await journalOf(second)).slice(before.length);
    expect(measured(after)).toEqual(online);
    expect(document.status).toBe('done');
    expect(document.offline).toEqual(second.offline);
    expect(document.online).toHaveLength(online.length);
    expect(document.online).not.toEqual(second.online);
  });

  it('pauses between two levels, from another process, and then repeats none', async () => {
    const before = await journalOf(second);
    const paused = startCli(home.path, ['resume', second.runId, '--from', 'offline', '--json']);
    await paused.line(/offline: batch size 1,/);
    // It stands still until it has been asked: on a busy machine it would be through before.
    paused.child.kill('SIGSTOP');
    expect((await cli(home.path, 'pause', second.runId)).code).toBe(0);
    paused.child.kill('SIGCONT');
    const stopped = await paused.result;
    expect(stopped.code).toBe(4);
    expect(documentOf(stopped)).toMatchObject({ status: 'paused' });
    const sofar = measured((await journalOf(second)).slice(before.length));
    expect(sofar.length).toBeLessThan(offline.length + online.length);
    expect((await cli(home.path, 'pause', second.runId)).code).toBe(2);
    const document = await ended(startCli(home.path, ['resume', second.runId, '--json']));
    expect(document.status).toBe('done');
    expect(measured((await journalOf(second)).slice(before.length))).toEqual([...offline, ...online]);
  });

  it('says which steps there are when the one to begin with is none', async () => {
    const unknown = await cli(home.path, 'resume', second.runId, '--from', 'nothing');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('profile-data');
    const absent = await cli(home.path, 'resume', second.runId, '--from', 'images');
    expect(absent.code).toBe(2);
    expect(await listed(second.runId)).toMatchObject({ status: 'done' });
  });
});
