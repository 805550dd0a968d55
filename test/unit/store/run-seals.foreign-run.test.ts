import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Core } from '../../../main/core';
import { homeLayout } from '../../../main/platform/layout';
import { formatJournalLine, parseJournalLine, readJournal } from '../../../main/store/journal';
import { RunKey } from '../../../main/store/run-key';
import type { SpecChanged } from '../../../main/store/run-seals';
import { RunStore } from '../../../main/store/run-store';
import { rejection } from '../../support/rejection';
import { deployed, environmentFixture } from '../../support/run-state';
import { createTestCore } from '../../support/test-core';

let root: string;
const cores: Core[] = [];
const homeOf = (name: string) => join(root, name);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-foreign-run-'));
});
afterEach(async () => {
  for (const core of cores.splice(0)) await core.close();
  await rm(root, { recursive: true, force: true });
});

async function coreAt(name: string): Promise<Core> {
  const core = await createTestCore(homeOf(name));
  cores.push(core);
  return core;
}

const planted = 'import os\nos.system("touch planted-ran")\n';

/** A run of another home with code planted among its files, as somebody would send it. */
async function placeForeign(): Promise<{
  readonly core: Core;
  readonly runId: string;
  readonly dir: string;
}> {
  const core = await coreAt('receiver');
  const { runs, runKey } = homeLayout(homeOf('sender'));
  const spec = await core.handlers['presets.resolve']({ preset: 'resnet50', overrides: { format: 'onnx' } });
  const { state, folder } = await new RunStore(runs, new RunKey(runKey)).create(spec, environmentFixture());
  const model = join(folder.repository, 'resnet50', '1');
  await mkdir(model, { recursive: true });
  await writeFile(join(model, 'model.py'), planted);
  const dir = join(homeLayout(homeOf('receiver')).runs, state.runId);
  await cp(folder.dir, dir, { recursive: true });
  return { core, runId: state.runId, dir };
}

const originOf = async (core: Core, runId: string) => {
  const listed = (await core.handlers['runs.all'](undefined)).runs.find((run) => run.runId === runId)?.origin;
  const { origin } = (await core.handlers['runs.show']({ runId })).state;
  expect(listed).toBe(origin);
  return origin;
};

describe('a run folder from another home', () => {
  it('runs nothing when it is resumed, and the refusal names its code', async () => {
    const { core, runId, dir } = await placeForeign();
    const before = await readFile(join(dir, 'journal.jsonl'), 'utf8');
    for (const how of [{}, { from: 'deploy' as const }, { allowUnverified: true }]) {
      const error = await rejection(core.handlers['runs.execute']({ runId, ...how }));
      expect(error).toMatchObject({ code: 'not-trusted', where: dir });
      expect(error.message).toContain('steps/configure/model-repository/resnet50/1/model.py');
      expect(error.remedy).toContain(`resume ${runId} --trust`);
    }
    expect((await rejection(core.handlers['runs.resume']({ runId }))).code).toBe('not-trusted');
    expect(await readFile(join(dir, 'journal.jsonl'), 'utf8')).toBe(before);
    expect(await originOf(core, runId)).toBe('foreign');
  });

  it('is not believed for what is kept beside its journal', async () => {
    const { core, runId, dir } = await placeForeign();
    await core.handlers['runs.all'](undefined);
    const kept = JSON.parse(await readFile(join(dir, 'summary.json'), 'utf8')) as { summary: object };
    kept.summary = { ...kept.summary, origin: 'own' };
    await writeFile(join(dir, 'summary.json'), JSON.stringify(kept));
    expect(await originOf(core, runId)).toBe('foreign');
  });

  it('goes past the question once its content is trusted, and is marked as what it is', async () => {
    const { core, runId } = await placeForeign();
    await core.handlers['runs.trust']({ runId });
    expect(await originOf(core, runId)).toBe('trusted');
    // As far as the tools, which this home lacks.
    const { end } = await core.handlers['runs.execute']({ runId }).catch((error: unknown) => ({
      end: Promise.resolve({ error }),
    }));
    expect((await end).error).not.toMatchObject({ code: 'not-trusted' });
  });

  it('is not trusted when its content is not what was shown', async () => {
    const { core, runId, dir } = await placeForeign();
    const { hash, code } = await core.handlers['runs.content']({ runId });
    expect(code).toEqual(['steps/configure/model-repository/resnet50/1/model.py']);
    await writeFile(
      join(dir, 'steps', 'configure', 'model-repository', 'resnet50', '1', 'other.py'),
      planted,
    );
    expect((await rejection(core.handlers['runs.trustContent']({ runId, hash }))).code).toBe('input-invalid');
    expect(await originOf(core, runId)).toBe('foreign');
  });

  it('cannot bring the trust of another home with it', async () => {
    const { core, runId, dir } = await placeForeign();
    await core.handlers['runs.trust']({ runId });
    const third = await coreAt('third');
    await cp(dir, join(homeLayout(homeOf('third')).runs, runId), { recursive: true });
    expect(await originOf(third, runId)).toBe('foreign');
    expect((await rejection(third.handlers['runs.execute']({ runId }))).code).toBe('not-trusted');
  });
});

it('a run of this home whose specification was changed in its journal is from elsewhere', async () => {
  const core = await coreAt('home');
  const { runs, runKey } = homeLayout(homeOf('home'));
  const store = new RunStore(runs, new RunKey(runKey));
  const { state, folder } = await store.create(
    await core.handlers['presets.resolve']({ preset: 'resnet50', overrides: {} }),
    environmentFixture(),
  );
  expect(await originOf(core, state.runId)).toBe('own');
  const entry = parseJournalLine((await readFile(folder.journal)).subarray(0, -1));
  if (entry?.type !== 'run-created' || !('spec' in entry)) throw new Error('no run-created');
  const spec = { ...entry.spec, model: { ...entry.spec.model, dataset: '/home/victim' } };
  await writeFile(folder.journal, `${formatJournalLine({ ...entry, spec })}\n`);
  expect(await originOf(core, state.runId)).toBe('foreign');
  const error = await rejection(core.handlers['runs.execute']({ runId: state.runId }));
  expect(error).toMatchObject({ code: 'not-trusted' });
  expect(error.message).toContain('/home/victim');
});

describe('a run of this home whose specification was changed', () => {
  const changed = async (seal: boolean) => {
    const core = await coreAt('home');
    const { runs, runKey } = homeLayout(homeOf('home'));
    const store = new RunStore(runs, new RunKey(runKey));
    const { state, folder } = await store.create(
      await core.handlers['presets.resolve']({ preset: 'resnet50', overrides: {} }),
      environmentFixture(),
    );
    const { runId } = state;
    const { spec: before } = deployed(state).source;
    const change: SpecChanged = {
      type: 'spec-changed',
      spec: { ...before, model: { ...before.model, dataset: '/home/victim' } },
      specHash: 'of another',
      changed: [{ path: 'model.dataset', to: '/home/victim' }],
      steps: ['report'],
      kept: [],
    };
    const content = await readJournal(folder.journal);
    await store.append(runId, seal ? await store.sealedChange(content, folder.journal, change) : change);
    const origin = async () => (await core.handlers['runs.show']({ runId })).state.origin;
    return { core, store, runId, folder, change, origin };
  };

  it('is of this home where this home changed it, once and again', async () => {
    const { store, runId, folder, change, origin } = await changed(true);
    expect(await origin()).toBe('own');
    const content = await readJournal(folder.journal);
    await store.append(runId, await store.sealedChange(content, folder.journal, change));
    expect(await origin()).toBe('own');
  });

  it('is from elsewhere where somebody else did, until what it says now is trusted', async () => {
    const { core, store, runId, change, origin } = await changed(false);
    expect(await origin()).toBe('foreign');
    const error = await rejection(core.handlers['runs.execute']({ runId }));
    expect(error.code).toBe('not-trusted');
    expect(error.message).toContain('/home/victim');
    const shown = await core.handlers['runs.content']({ runId });
    await core.handlers['runs.trustContent']({ runId, hash: shown.hash });
    expect(await origin()).toBe('trusted');
    // That was no agreement to the next one.
    await store.append(runId, change);
    expect(await origin()).toBe('foreign');
    expect((await rejection(core.handlers['runs.trustContent']({ runId, hash: shown.hash }))).code).toBe(
      'input-invalid',
    );
  });

  it('cannot take the seal of one change for another', async () => {
    const { store, runId, folder, change, origin } = await changed(true);
    const { entries } = await readJournal(folder.journal);
    const [sealed] = entries.flatMap((entry) => (entry.type === 'spec-changed' ? [entry] : []));
    await store.append(runId, { ...change, seal: sealed?.seal });
    expect(await origin()).toBe('foreign');
  });
});

describe('changing a run', () => {
  const createdAt = async (overrides: Readonly<Record<string, unknown>> = {}) => {
    const core = await coreAt('home');
    const { runs, runKey } = homeLayout(homeOf('home'));
    const spec = await core.handlers['presets.resolve']({ preset: 'resnet50', overrides });
    const { state, folder } = await new RunStore(runs, new RunKey(runKey)).create(spec, environmentFixture());
    return { core, runId: state.runId, folder };
  };

  it('is refused of one from elsewhere as resuming it is', async () => {
    const { core, runId } = await placeForeign();
    const { spec } = deployed((await core.handlers['runs.show']({ runId })).state).source;
    const other = { ...spec, performance: { ...spec.performance, batchSizes: [2] } };
    for (const refused of [
      () => core.handlers['runs.changedSpec']({ runId, overrides: { performance: { batchSizes: [2] } } }),
      () => core.handlers['runs.planChange']({ runId, spec: other }),
      () => core.handlers['runs.change']({ runId, spec: other }),
    ]) {
      expect((await rejection(refused())).code).toBe('not-trusted');
    }
  });

  it('must be agreed to where it reaches something new, and leaves the journal alone until then', async () => {
    const { core, runId, folder } = await createdAt();
    const before = await readFile(folder.journal, 'utf8');
    const spec = await core.handlers['runs.changedSpec']({
      runId,
      overrides: { model: { dataset: '/srv/images' } },
    });
    const error = await rejection(core.handlers['runs.change']({ runId, spec }));
    expect(error).toMatchObject({ code: 'not-trusted', where: 'model.dataset' });
    expect(await readFile(folder.journal, 'utf8')).toBe(before);
  });

  it('or rerunning it: the steps that are repeated are those that need the first one', async () => {
    const { core, runId } = await createdAt();
    expect(await core.handlers['runs.planRerun']({ runId, step: 'offline' })).toEqual([
      'offline',
      'online',
      'report',
    ]);
    const error = await rejection(core.handlers['runs.planRerun']({ runId, step: 'images' }));
    expect(error).toMatchObject({ code: 'input-invalid', where: 'step' });
  });

  it('brings the defaults of what was changed, and refuses another model', async () => {
    const performance = { batchSizes: [1, 3] };
    const { core, runId } = await createdAt({ performance });
    expect(await core.handlers['runs.changedSpec']({ runId, overrides: { precision: 'fp16' } })).toEqual(
      await core.handlers['presets.resolve']({
        preset: 'resnet50',
        overrides: { precision: 'fp16', performance },
      }),
    );
    expect(
      await rejection(core.handlers['runs.changedSpec']({ runId, overrides: { model: { preset: 'bert' } } })),
    ).toMatchObject({
      code: 'input-invalid',
      where: 'model.preset',
    });
    expect(
      (await rejection(core.handlers['runs.changedSpec']({ runId, overrides: { format: 'none' } }))).code,
    ).toBe('spec-invalid');
  });
});

it('the key of a home is made once, however many ask, and is for its user only', async () => {
  const file = join(root, 'home', 'run-key');
  const seals = await Promise.all(Array.from({ length: 20 }, () => new RunKey(file).seal('one')));
  expect(new Set(seals).size).toBe(1);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(root, 'home'))).toEqual(['run-key']);
  expect(await new RunKey(file).holds('one', seals[0])).toBe(true);
  expect(await new RunKey(file).holds('two', seals[0])).toBe(false);
  expect(await new RunKey(join(root, 'other')).holds('one', seals[0])).toBe(false);
});
