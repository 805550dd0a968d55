import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { emptyReach } from '../../../main/contract/reach';
import type { JournalBody, RunOutcome } from '../../../main/contract/run/run-events';
import type { Choice } from '../../../main/contract/run/spec-tools';
import type { StudyEntry, StudySpec } from '../../../main/contract/study/study';
import { hashValue } from '../../../main/platform/files';
import type { RunStore } from '../../../main/store/run-store';
import { Studies } from '../../../main/studies/studies';
import { ActiveStudies, createStudyStops, type StudyHands } from '../../../main/studies/study-hands';
import { StudyStore } from '../../../main/studies/study-store';
import { rejection } from '../../support/rejection';
import { environmentFixture, specFixture } from '../../support/run-state';
import { runStore } from '../../support/run-store';
import { until } from '../../support/until';

let root: string;
let store: RunStore;
let studies: StudyStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-studies-'));
  store = runStore(join(root, 'runs'));
  studies = new StudyStore(join(root, 'studies'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const choices = ['1', '2', '3'].map((width): Choice => ({
  preset: 'resnet50',
  overrides: { model: { args: { width } } },
}));
const spec: StudySpec = {
  ...{ name: 'night', hosts: null },
  strategy: {
    kind: 'matrix',
    trials: choices.map((choice, at) => ({
      ...{ choice, refusal: null },
      axes: [{ field: 'model.args.width', value: String(at + 1) }],
    })),
  },
};

interface Working {
  readonly runId: string;
  readonly end: (outcome: RunOutcome) => Promise<void>;
}

/** Studies whose runs are folders of a store, and end when the test says so. */
function heldStudies() {
  const working: Working[] = [];
  const entries: StudyEntry[] = [];
  const removed: string[] = [];
  const append = (runId: string, body: JournalBody) => store.append(runId, body);
  const execute: StudyHands['runs']['execute'] = async (runId) => {
    await append(runId, { type: 'run-started', attempt: 1, pid: process.pid });
    const end = new Promise<{ outcome: RunOutcome; error: null }>((resolve) => {
      working.push({
        runId,
        end: async (outcome) => {
          await append(runId, { type: 'run-finished', outcome });
          resolve({ outcome, error: null });
        },
      });
    });
    return { end };
  };
  const stop = async (runId: string, outcome: RunOutcome) =>
    working.findLast((one) => one.runId === runId)?.end(outcome);
  const active = new ActiveStudies();
  const hands: StudyHands = {
    ...{ studies, store, active },
    runs: {
      create: async (of, _out, how) =>
        (await store.create(of, environmentFixture(), undefined, { matrix: how?.matrix })).state.runId,
      annotate: (runId, annotation) =>
        append(runId, { type: 'annotation', ...annotation, tags: [...annotation.tags] }).then(
          () => undefined,
        ),
      execute,
      cancel: (runId) => stop(runId, 'cancelled').then(() => undefined),
      pause: (runId) => stop(runId, 'paused').then(() => undefined),
      submit: () => Promise.resolve(),
      follow: () => Promise.reject(new Error('no jobs here')),
    },
    trash: { remove: (runId) => rm(join(store.runsDir, runId), { recursive: true }) },
    approvals: { missing: () => Promise.resolve(emptyReach), add: () => Promise.resolve() },
    approve: () => Promise.resolve(),
    preview: () =>
      Promise.resolve({
        ...{ spec: specFixture(), specHash: null, defaults: null, problems: [], configPbtxt: null },
        ...{ generatedPbtxt: null, commands: [] },
      }),
    check: () => Promise.resolve([]),
    resolve: () => Promise.resolve(specFixture()),
    hostFits: () => Promise.resolve([]),
    hostNames: () => Promise.resolve([]),
    writeReport: () => Promise.resolve(null),
    removeReports: (name) => {
      removed.push(name);
      return Promise.resolve();
    },
    onEntry: (_name, entry) => entries.push(entry),
  };
  return { studies: new Studies(hands), active, working, entries, removed };
}

async function opened(held: Studies, resume = false, stops = createStudyStops()) {
  return held.open(spec, await held.plan(spec), { resume, consent: {}, stops });
}

const begun = (working: readonly Working[], count: number) =>
  until(`${count} runs were begun`, () => working.length >= count);
const stateOf = async (held: Studies) => (await held.list())[0]?.state;

describe('a study', () => {
  it('has a journal, and is running while it is worked on, then done', async () => {
    const { studies: held, working, entries } = heldStudies();
    const study = await opened(held);
    const end = study.work();
    for (const at of [0, 1, 2]) {
      await begun(working, at + 1);
      expect(await stateOf(held)).toBe('running');
      await working[at]?.end('done');
    }
    expect((await end).results?.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
    await study.close();
    expect(await held.list()).toMatchObject([
      { name: 'night', state: 'done', sentence: '3 of 3 runs complete', isKept: true, interrupted: false },
    ]);
    expect(entries.map(({ type }) => type)).toEqual([
      ...['study-planned', 'study-started', 'trials-placed'],
      ...[1, 2, 3].flatMap(() => ['trial-begun', 'trial-run', 'trial-ended']),
      'study-ended',
    ]);
    const { runs } = await store.list();
    expect(runs.map(({ matrix, tags }) => [matrix?.name, tags])).toEqual(Array(3).fill(['night', ['night']]));
  });

  it('is paused and cancelled by another process, and begins no further run', async () => {
    for (const how of ['pause', 'cancel'] as const) {
      const { studies: held, working } = heldStudies();
      const study = await opened(held, how === 'cancel');
      const end = study.work();
      await begun(working, 1);
      await heldStudies().studies.stop('night', how);
      const outcome = how === 'pause' ? 'paused' : 'cancelled';
      expect((await end).results?.map((one) => one.outcome)).toEqual([outcome, outcome, outcome]);
      await study.close();
      expect(await held.list()).toMatchObject([{ state: outcome, complete: 0 }]);
      expect(working).toHaveLength(1);
    }
    expect((await store.list()).runs).toHaveLength(1);
  });

  it('that is resumed keeps what is complete, and takes up what was begun', async () => {
    const first = heldStudies();
    const study = await opened(first.studies);
    const end = study.work();
    await begun(first.working, 1);
    await first.working[0]?.end('done');
    await begun(first.working, 2);
    await first.studies.stop('night', 'pause');
    await end;
    await study.close();
    const second = heldStudies();
    const again = await opened(second.studies, true);
    const ended = again.work();
    await begun(second.working, 1);
    expect(second.working[0]?.runId).toBe(first.working[1]?.runId);
    await second.working[0]?.end('done');
    await begun(second.working, 2);
    await second.working[1]?.end('done');
    expect((await ended).results?.map(({ outcome }) => outcome)).toEqual([null, 'done', 'done']);
    await again.close();
    expect(await stateOf(second.studies)).toBe('done');
    expect((await store.list()).runs).toHaveLength(3);
  });

  it('whose process was killed behind a run that it had created is paused, and doubles nothing', async () => {
    const { studies: held } = heldStudies();
    // As a process leaves it that is killed before it has noted the run.
    await studies.append('night', { type: 'study-planned', spec });
    await studies.append('night', { type: 'study-started', pid: 1 });
    await appendFile(studies.folderOf('night').journal, '{"seq":3,"at":"2026');
    const entry = hashValue(choices[0]);
    await store.create(specFixture(), environmentFixture(), undefined, { matrix: { name: 'night', entry } });
    expect(await held.list()).toMatchObject([{ state: 'paused', interrupted: true }]);
    const study = await opened(held, true);
    expect(study.existing).toEqual({ ofTrials: 1, all: 1 });
    expect(study.trials.map(({ state }) => state === null)).toEqual([false, true, true]);
    await study.close();
  });

  it('is worked on by one process, and its name is taken once in the window', async () => {
    const { studies: held, active, working } = heldStudies();
    await held.start(spec, { resume: false, consent: {} });
    await begun(working, 1);
    expect(active.underWay()).toEqual(['night']);
    expect(await rejection(opened(heldStudies().studies))).toMatchObject({ code: 'study-busy' });
    expect(await rejection(held.remove('night', { withRuns: false }))).toMatchObject({ code: 'study-busy' });
    await active.close();
    expect(active.underWay()).toEqual([]);
    await until('its report is written', async () => (await stateOf(held)) === 'paused');
    expect(await rejection(held.start(spec, { resume: false, consent: {} }))).toMatchObject({
      code: 'input-invalid',
      message: 'A study "night" already exists',
    });
  });

  it('whose journal is damaged is not begun over it', async () => {
    const { studies: held } = heldStudies();
    const { dir, journal } = studies.folderOf('night');
    await mkdir(dir, { recursive: true });
    await writeFile(journal, 'not a journal\n');
    expect(await rejection(opened(held, true))).toMatchObject({ code: 'journal-corrupt', where: journal });
    expect(await readFile(journal, 'utf8')).toBe('not a journal\n');
    expect(await studies.isHeld('night')).toBe(false);
  });

  it('whose journal is damaged is listed as damaged with its runs, and can be removed', async () => {
    const { studies: held, working, removed } = heldStudies();
    const { dir, journal } = studies.folderOf('day');
    await mkdir(dir, { recursive: true });
    await writeFile(journal, 'not a journal\n');
    const study = await opened(held);
    const end = study.work();
    await begun(working, 1);
    await held.stop('night', 'cancel');
    await end;
    await study.close();
    await writeFile(studies.folderOf('night').journal, '{}\n');
    const list = await held.list();
    expect(list.map(({ name }) => name).toSorted()).toEqual(['day', 'night']);
    expect(list.find(({ name }) => name === 'day')).toMatchObject({
      ...{ state: 'damaged', isKept: false, sentence: '0 runs', runs: 0 },
    });
    expect(list.find(({ name }) => name === 'night')).toMatchObject({
      ...{ state: 'damaged', isKept: false, sentence: '0 of 1 run complete, 1 cancelled' },
    });
    const { results } = await held.show('night');
    expect(results.map(({ state }) => state?.runId)).toEqual([working[0]?.runId]);
    expect(await rejection(held.specOf('night'))).toMatchObject({
      code: 'journal-corrupt',
      remedy: 'Remove the study: its runs can stay.',
    });
    for (const name of ['day', 'night']) await held.remove(name, { withRuns: true });
    expect(removed).toEqual(['day', 'night']);
    expect(await held.list()).toEqual([]);
    expect((await store.list()).runs).toEqual([]);
    expect(await readdir(join(root, 'studies'))).toEqual([]);
  });

  it('has its journal read once for lists in which it has not changed', async () => {
    const { studies: held } = heldStudies();
    await studies.append('night', { type: 'study-planned', spec });
    const before = await studies.load('night');
    expect(await held.list()).toMatchObject([{ name: 'night', state: 'planned' }]);
    expect(await studies.load('night')).toBe(before);
    await studies.append('night', { type: 'study-started', pid: 1 });
    expect(await held.list()).toMatchObject([{ name: 'night', state: 'paused', interrupted: true }]);
    expect(await studies.load('night')).not.toBe(before);
  });

  it('is removed with its runs or without', async () => {
    const { studies: held, working, removed } = heldStudies();
    const ended = async (resume: boolean) => {
      const study = await opened(held, resume);
      const end = study.work();
      const from = working.length;
      await begun(working, from + 1);
      await working[from]?.end('failed');
      await begun(working, from + 2);
      await held.stop('night', 'cancel');
      await end;
      await study.close();
    };
    await ended(false);
    expect(await held.size('night')).toMatchObject({ runIds: [expect.any(String), expect.any(String)] });
    await held.remove('night', { withRuns: false });
    expect(removed).toEqual(['night']);
    expect(await readdir(join(root, 'studies'))).toEqual(['.night.dropped']);
    // Its runs are no longer a study, as those of earlier versions are; --resume finds them.
    expect(await held.list()).toEqual([]);
    expect((await store.list()).runs).toHaveLength(2);
    expect((await rejection(held.show('night'))).code).toBe('study-unknown');
    expect((await rejection(held.specOf('night'))).code).toBe('study-unknown');
    await ended(true);
    expect(await held.list()).toMatchObject([{ name: 'night', isKept: true, runs: 3 }]);
    expect((await store.list()).runs).toHaveLength(2);
    await held.remove('night', { withRuns: true });
    expect(await held.list()).toEqual([]);
    expect((await store.list()).runs).toEqual([]);
    expect(await rejection(held.remove('night', { withRuns: true }))).toMatchObject({
      code: 'study-unknown',
    });
  });

  it('runs on where its journal cannot be written, and says so at its end', async () => {
    const { studies: held, working } = heldStudies();
    const study = await opened(held);
    const end = study.work();
    await begun(working, 1);
    const original = studies.append.bind(studies);
    studies.append = () => Promise.reject(new WorkbenchError('disk-full', 'No space left'));
    for (const at of [0, 1, 2]) {
      await begun(working, at + 1);
      await working[at]?.end('done');
    }
    expect(await rejection(end)).toMatchObject({ code: 'disk-full' });
    studies.append = original;
    await study.close();
    expect((await store.list()).runs.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
  });
});

describe('a matrix of an earlier version', () => {
  const leave = async (at: number, outcome: RunOutcome) => {
    const matrix = { name: 'night', entry: hashValue(choices[at]) };
    const { state } = await store.create(specFixture(), environmentFixture(), undefined, { matrix });
    await store.append(state.runId, { type: 'run-finished', outcome });
    return state.runId;
  };

  it('is in the list by the runs that it left, and cannot be continued without its file', async () => {
    const { studies: held } = heldStudies();
    const done = await leave(0, 'done');
    await leave(1, 'failed');
    expect(await held.list()).toMatchObject([
      { name: 'night', state: 'failed', sentence: '1 of 2 runs complete, 1 failed', isKept: false },
    ]);
    const { results } = await held.show('night');
    expect(results.map(({ state }) => state?.runId)).toContain(done);
    expect(await rejection(held.specOf('night'))).toMatchObject({
      code: 'input-invalid',
      remedy: 'Continue it with its file: run --matrix FILE --resume.',
    });
    expect(await rejection(held.specOf('day'))).toMatchObject({ code: 'study-unknown' });
  });

  it('is continued with its file, which makes it a study', async () => {
    const { studies: held, working } = heldStudies();
    const done = await leave(0, 'done');
    const failed = await leave(1, 'failed');
    const study = await opened(held, true);
    expect(study.existing).toEqual({ ofTrials: 2, all: 2 });
    const end = study.work();
    for (const at of [0, 1]) {
      await begun(working, at + 1);
      await working[at]?.end('done');
    }
    const { results } = await end;
    expect(results?.map(({ state }) => state?.runId).slice(0, 2)).toEqual([done, failed]);
    await study.close();
    expect(await held.list()).toMatchObject([{ state: 'done', isKept: true, runs: 3 }]);
  });
});

describe('a strategy', () => {
  const planned = (strategy: StudySpec['strategy']) => heldStudies().studies.plan({ ...spec, strategy });
  const { trials } = spec.strategy;

  it('that there is not is refused, with those that there are', async () => {
    expect(await rejection(planned({ kind: 'other', trials }))).toMatchObject({
      code: 'input-invalid',
      where: 'strategy.kind',
      message: 'Unknown strategy "other"',
      remedy: expect.stringContaining('matrix') as string,
    });
    expect((await rejection(planned({ kind: 'toString', trials }))).where).toBe('strategy.kind');
  });

  it('is asked for what it takes and nothing else', async () => {
    expect(await rejection(planned({ kind: 'matrix', trials, budget: 3 }))).toMatchObject({
      code: 'input-invalid',
      message: expect.stringContaining('budget') as string,
    });
    expect((await planned({ kind: 'matrix', trials })).trials).toHaveLength(3);
  });
});
