import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { SoakStrategy } from '../../../../main/contract/study/soak';
import type { StudyEntry } from '../../../../main/contract/study/study';
import { samplesFile, type SoakedServer, Soaks } from '../../../../main/studies/soak/soaks';
import { ActiveStudies, createStudyStops } from '../../../../main/studies/study-hands';
import { StudyStore } from '../../../../main/studies/study-store';
import { reading, soakStrategy } from '../../../support/soaked';

let root: string;
let studies: StudyStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-soaks-'));
  studies = new StudyStore(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const short = soakStrategy({ forMs: 1700, readMs: 20, blockMs: 60, sliceMs: 100 });
const specOf = (soak: SoakStrategy) => ({ name: 'night', strategy: { ...soak, trials: [] }, hosts: null });

/** Sends a window in as much time, and fails with what is set. */
function served(fails: { error?: WorkbenchError } = {}) {
  const noted = { windows: 0, reloads: 0, opened: 0, closed: 0 };
  const entries: StudyEntry[] = [];
  const server: SoakedServer = {
    place: { engine: 'local', address: '127.0.0.1:1', tritonVersion: '2.51.0' },
    send: async ({ windows, windowMs }, onWindow, signal) => {
      for (let at = 0; at < windows; at += 1) {
        await sleep(windowMs, undefined, { signal });
        if (fails.error !== undefined) throw fails.error;
        noted.windows += 1;
        onWindow({
          ...{ durationUs: 1000 * windowMs, requestCount: 10, errorCount: 0, inferencesPerSecond: 100 },
          ...{ avgUs: 1000, p50Us: 1000, p99Us: 2000 },
        });
      }
    },
    reload: () => {
      noted.reloads += 1;
      return Promise.resolve();
    },
    readings: () => Promise.resolve([reading({}), reading({ role: 'stub', model: 'ocr' })]),
    requests: () => Promise.resolve(10 * noted.windows),
  };
  const soaks = new Soaks({
    ...{ studies, active: new ActiveStudies(), onEntry: (_name, entry) => entries.push(entry) },
    withServer: async (_soak, { signal }, work) => {
      noted.opened += 1;
      try {
        await work(server, signal);
      } finally {
        noted.closed += 1;
      }
    },
  });
  return { soaks, noted, entries };
}

const ofType = (entries: readonly StudyEntry[], type: StudyEntry['type']) =>
  entries.filter((entry) => entry.type === type);

describe('a soak', () => {
  it('sends to the end of its time, and journals what it reads and sends', async () => {
    const { soaks, noted, entries } = served();
    await (
      await soaks.begin(specOf(short), { resume: false })
    ).end;
    const study = await studies.load('night');
    expect(study).toMatchObject({ outcome: 'done', error: null });
    expect(study?.searched.place?.tritonVersion).toBe('2.51.0');
    const { blocks = [], slices = [] } = study?.soaked ?? {};
    expect(noted).toMatchObject({ opened: 1, closed: 1, reloads: 0 });
    expect(slices).toHaveLength(noted.windows);
    expect(slices.every(({ life, requests }) => life === 1 && requests === 10)).toBe(true);
    expect(blocks.length).toBeGreaterThan(3);
    expect(blocks[0]?.readings.map(({ role }) => role)).toEqual(['server', 'stub', 'client']);
    expect(blocks.at(-1)?.toMs).toBeGreaterThan(1000);
    expect(blocks.every((block, at) => at === 0 || block.fromMs >= (blocks[at - 1]?.fromMs ?? 0))).toBe(true);
    expect(ofType(entries, 'soak-slice')).toHaveLength(slices.length);
    await access(join(studies.folderOf('night').dir, samplesFile));
  });

  it('loads the model anew between its parts', async () => {
    const { soaks, noted } = served();
    await (
      await soaks.begin(specOf({ ...short, reloadMs: 500 }), { resume: false })
    ).end;
    expect(noted.reloads).toBe(2);
    expect((await studies.load('night'))?.soaked?.blocks.at(-1)?.reloads).toBe(2);
  });

  it('pauses in the middle of a window, and continues where it was on a server of its own', async () => {
    const { soaks, noted } = served();
    const stops = createStudyStops();
    const { end } = await soaks.begin(specOf(short), { resume: false, stops });
    await sleep(450);
    stops.pause.abort();
    await end;
    const paused = await studies.load('night');
    expect(paused?.outcome).toBe('paused');
    const before = paused?.soaked?.slices.length ?? 0;
    expect(before).toBeGreaterThan(0);
    await (
      await soaks.begin(specOf(short), { resume: true })
    ).end;
    const done = await studies.load('night');
    expect(done?.outcome).toBe('done');
    expect(noted).toMatchObject({ opened: 2, closed: 2 });
    const lives = done?.soaked?.slices.map(({ life }) => life) ?? [];
    expect([lives.slice(0, before), lives.slice(before)].map((all) => [...new Set(all)])).toEqual([[1], [2]]);
    const [last, next] = [done?.soaked?.slices[before - 1], done?.soaked?.slices[before]];
    expect(next?.fromMs).toBeGreaterThanOrEqual(last?.toMs ?? Infinity);
    expect(done?.soaked?.slices.at(-1)?.toMs).toBeLessThan(2 * short.forMs);
    // Requests count on, though the server began anew.
    const requests = done?.soaked?.blocks.map((block) => block.requests ?? 0) ?? [];
    expect(requests.every((count, at) => count >= (requests[at - 1] ?? 0))).toBe(true);
  });

  it('is cancelled, and keeps what it has', async () => {
    const { soaks, noted } = served();
    const stops = createStudyStops();
    const { end } = await soaks.begin(specOf(short), { resume: false, stops });
    await sleep(300);
    stops.cancel.abort();
    await end;
    const study = await studies.load('night');
    expect(study?.outcome).toBe('cancelled');
    expect(study?.soaked?.slices.length).toBe(noted.windows);
    expect(noted.closed).toBe(1);
  });

  it('fails with what sending throws, and gives the server back', async () => {
    const error = new WorkbenchError('server-gone', 'Triton ended with exit code 1 while it was under load');
    const { soaks, noted } = served({ error });
    const { end } = await soaks.begin(specOf(short), { resume: false });
    await expect(end).rejects.toThrow(/exit code 1/);
    const study = await studies.load('night');
    expect(study).toMatchObject({ outcome: 'failed', error: { code: 'server-gone' } });
    expect(noted.closed).toBe(1);
  });

  it('refuses a study that exists already, and one that is not a soak', async () => {
    const { soaks } = served();
    await (
      await soaks.begin(specOf({ ...short, forMs: 1000, sliceMs: 1000 }), { resume: false })
    ).end;
    await expect(soaks.begin(specOf(short), { resume: false })).rejects.toThrow(/already exists/);
    const other = { name: 'other', strategy: { kind: 'matrix', trials: [] }, hosts: null };
    await expect((await soaks.begin(other, { resume: false })).end).rejects.toThrow(/not a soak/);
  });
});
