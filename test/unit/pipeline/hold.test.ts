import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import type { JournalBody, RunEvent, RunWait } from '../../../main/contract/run/run-events';
import { reduceRun, type RunState } from '../../../main/contract/run/run-state';
import { attemptRun, type AttemptStops, type OpenServices } from '../../../main/pipeline/attempt';
import { ContinueNow } from '../../../main/pipeline/hold';
import type { RunContext, StepContext } from '../../../main/pipeline/step';
import { makeFolder } from '../../../main/platform/files';
import { ArtefactCache } from '../../../main/store/artefact-cache';
import { StepManifests } from '../../../main/store/file-manifest';
import { runFolder } from '../../../main/store/run-folder';
import { RunKey } from '../../../main/store/run-key';
import { runCreated, specFixture } from '../../support/run-state';
import { until } from '../../support/until';
import { noted, noteSteps, notingSteps, undone, working } from './noting-steps';

noteSteps();

/** A fault injector: a cache on a disk that is full. */
class FullCache extends ArtefactCache {
  override store(): Promise<void> {
    return Promise.reject(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));
  }
}

/** An attempt over noting steps; the engine answers as `engine` says, null: there is none. */
function attempting(doing: Parameters<typeof notingSteps>[0], engine: { answers: boolean } | null = null) {
  let state: RunState = runCreated();
  const journal: JournalBody[] = [];
  const away: (() => void)[] = [];
  const logged: string[] = [];
  const unwritten: RunWait[] = [];
  const stops: AttemptStops = {
    cancel: new AbortController(),
    pause: new AbortController(),
    continueNow: new ContinueNow(),
  };
  /** A fault injector: what the journal refuses. */
  const fault: { refuse: (body: JournalBody) => boolean } = { refuse: () => false };
  const run = {
    runId: state.runId,
    folder: runFolder(join(noted.dir, 'run')),
    spec: specFixture(),
    state: () => state,
    append: (body: JournalBody) => {
      if (fault.refuse(body)) return Promise.reject(new WorkbenchError('disk-full', 'No space left'));
      journal.push(body);
      state = reduceRun(state, { seq: state.seq + 1, at: '2026-01-01T00:00:00.000Z', ...body }) ?? state;
      return Promise.resolve();
    },
    emit: (event: RunEvent) => {
      if (event.type === 'log') logged.push(...event.lines);
      if (event.type === 'held-up') unwritten.push(event.wait);
    },
    manifests: new StepManifests(new RunKey(join(noted.dir, 'run-key')), state.runId),
    pauseAsked: () => stops.pause.signal.aborted,
    server: null,
  } as unknown as RunContext;
  const released: string[] = [];
  const opened = {
    services: {},
    engineWatch:
      engine === null
        ? null
        : {
            name: 'the Docker Engine at here',
            start: (onAway: () => void) => {
              away.push(onAway);
              return () => undefined;
            },
            wasAway: () => Promise.resolve(true),
            answers: () => Promise.resolve(engine.answers),
          },
    reclaim: () => Promise.resolve(),
    release: () => Promise.resolve(),
  } as unknown as OpenServices;
  const begin = async (cache = new ArtefactCache(join(noted.dir, 'cache'))) => {
    await makeFolder(run.folder.dir);
    await run.append({ type: 'run-started', attempt: 1, pid: 1 });
    return attemptRun(run, opened, stops, {
      steps: notingSteps(doing),
      cache,
      takeDevice: () =>
        Promise.resolve(() => {
          released.push('device');
          return Promise.resolve();
        }),
      disks: [],
    });
  };
  const waits = () => journal.flatMap((body) => (body.type === 'run-waiting' ? [body] : []));
  return { begin, journal, waits, stops, fault, released, away, logged, unwritten, state: () => state };
}

/** Fails with ENOSPC as often as said. */
function full(times: { left: number }) {
  return async (context: StepContext) => {
    if (times.left <= 0) return {};
    times.left -= 1;
    await writeFile(join(context.dir, 'half'), 'half of it');
    throw Object.assign(new Error('no space'), { code: 'ENOSPC', path: join(context.dir, 'half') });
  };
}

describe('a full disk', () => {
  it('holds the run up with nothing held, and it continues with the step when someone says so', async () => {
    const times = { left: 1 };
    const one = attempting({ export: full(times) });
    const end = one.begin();
    await until('it waits', () => one.waits().length === 1);
    expect(one.state()).toMatchObject({ status: 'running', waitsFor: { reason: 'disk' } });
    expect(one.state().steps.find(({ id }) => id === 'export')?.status).toBe('waiting');
    expect(one.released).toEqual(['device']);
    const before = working();
    expect(one.stops.continueNow.ask()).toBe(true);
    expect(await end).toEqual({ outcome: 'done', error: null });
    expect(one.waits()).toMatchObject([{ reason: 'disk', error: { code: 'disk-full' } }, { for: null }]);
    // Nothing before the step is done again.
    expect(working().slice(before.length)[0]).toBe('export');
    expect(one.journal.filter(({ type }) => type === 'step-failed')).toEqual([]);
  });

  it.each([
    ['cancel', 'cancelled'],
    ['pause', 'paused'],
  ] as const)('ends the wait at once on %s', async (how, outcome) => {
    const one = attempting({ export: full({ left: 9 }) });
    const end = one.begin();
    await until('it waits', () => one.waits().length === 1);
    one.stops[how].abort();
    expect((await end).outcome).toBe(outcome);
    expect(one.state()).toMatchObject({ status: outcome, waitsFor: null });
  });

  it('that takes no line of the journal is waited for until it takes one', async () => {
    const one = attempting({});
    // The line in the middle of the run does not fit, nor does the one that says so.
    let refused = 0;
    one.fault.refuse = (body) =>
      (body.type === 'step-finished' && body.step === 'convert' && refused === 0) || refused === 1
        ? ((refused += 1), true)
        : false;
    const end = one.begin();
    await until('it waits without a line', () => refused === 2);
    await until('it is told all the same', () => one.unwritten.length === 1);
    expect(one.unwritten[0]?.reason).toBe('disk');
    await until('someone can ask', () => one.stops.continueNow.ask());
    expect((await end).outcome).toBe('done');
    expect(one.waits()).toMatchObject([{ reason: 'disk' }, { for: null }]);
    expect(working().filter((id) => id === 'convert')).toHaveLength(2);
  });

  it('does not cost a run what only other runs would have used', async () => {
    const one = attempting({ export: async ({ dir }) => (await writeFile(join(dir, 'm'), 'm'), {}) });
    expect(await one.begin(new FullCache(join(noted.dir, 'cache')))).toEqual({
      outcome: 'done',
      error: null,
    });
    expect(one.waits()).toEqual([]);
    expect(one.logged.join('\n')).toContain('Not cached for other runs: ENOSPC');
  });
});

describe('an engine that is away', () => {
  const gone = (times: { left: number }) => () => {
    times.left -= 1;
    return times.left < 0
      ? Promise.resolve({})
      : Promise.reject(new WorkbenchError('server-gone', 'Triton ended'));
  };

  it('is waited for, and what it took with it is started again', async () => {
    const engine = { answers: false };
    const one = attempting({ offline: gone({ left: 1 }) }, engine);
    const end = one.begin();
    await until('it waits', () => one.waits().length === 1);
    expect(one.state().waitsFor).toEqual({ reason: 'engine', what: 'the Docker Engine at here' });
    engine.answers = true;
    expect((await end).outcome).toBe('done');
    expect(working().filter((id) => id === 'deploy')).toHaveLength(2);
    expect(working().filter((id) => id === 'export')).toHaveLength(1);
    expect(undone()).toContain('undo deploy');
  });

  it('for long ends the step under way as held up, not as cancelled', async () => {
    const engine = { answers: false };
    const times = { left: 1 };
    const one = attempting(
      {
        offline: ({ signal }) => {
          times.left -= 1;
          if (times.left < 0) return Promise.resolve({});
          one.away.at(-1)?.();
          expect(signal.aborted).toBe(true);
          return Promise.reject(new WorkbenchError('cancelled', 'Measuring was cancelled'));
        },
      },
      engine,
    );
    const end = one.begin();
    await until('it waits', () => one.waits().length === 1);
    engine.answers = true;
    expect((await end).outcome).toBe('done');
    expect(one.journal.filter(({ type }) => type === 'step-cancelled')).toEqual([]);
  });

  it('that answers is not blamed for ever', async () => {
    const one = attempting({ offline: gone({ left: 99 }) }, { answers: true });
    expect(await one.begin()).toMatchObject({ outcome: 'failed', error: { code: 'server-gone' } });
    expect(one.waits().filter((body) => body.for !== null)).toHaveLength(3);
  });
});
