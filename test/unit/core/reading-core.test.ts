import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PublishedGpu } from '../../../main/contract/run/run-spec';
import { createReadingCore } from '../../../main/core/reading-core';
import { childOfText, childOfVariable } from '../../../main/platform/left-children';
import { ownIdentity, pidNamespace } from '../../../main/platform/process';
import { NotingRuns } from '../../support/noting-runs';
import { rejection } from '../../support/rejection';
import { specFixture } from '../../support/run-state';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-reading-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const reading = (folder = home) =>
  createReadingCore({ home: folder, resources: 'resources', bundles: home, env: {} });

describe('the core of verbs that only read', () => {
  it('reads runs, their folders and the earlier ones like them', async () => {
    const { runs } = new NotingRuns(home, {});
    const first = await runs.create(specFixture());
    await (
      await runs.execute(first)
    ).end;
    const next = await runs.create(specFixture());
    const { handlers } = await reading();
    const all = await handlers['runs.all'](undefined);
    expect(all.runs.map(({ runId }) => runId).sort()).toEqual([first, next].sort());
    const { state, dir } = await handlers['runs.show']({ runId: next });
    expect({ runId: state.runId, dir }).toEqual({ runId: next, dir: join(home, 'runs', next) });
    expect((await handlers['runs.past']({ runId: next })).map(({ alike }) => alike)).toEqual(['choice']);
    expect(await handlers['studies.list'](undefined)).toEqual([]);
    expect(await handlers['runs.ids'](undefined)).toEqual([first, next].sort());
  });

  it('lists studies where there is one, also one that cannot be read, and one that only its runs name', async () => {
    const { runs } = new NotingRuns(home, {});
    await runs.create(specFixture(), undefined, { matrix: { name: 'earlier', entry: '0'.repeat(64) } });
    const { handlers } = await reading();
    expect((await handlers['studies.list'](undefined)).map(({ name }) => name)).toEqual(['earlier']);
    await mkdir(join(home, 'studies', 'damaged'), { recursive: true });
    await writeFile(join(home, 'studies', 'damaged', 'journal.jsonl'), 'not a record\n');
    const found = (await handlers['studies.list'](undefined)).find(({ name }) => name === 'damaged');
    expect(found?.state).toBe('damaged');
  });

  it('reads settings and presets, and makes nothing but private folders', async () => {
    await writeFile(join(home, 'settings.json'), '{"deployment.p99BudgetMs": 20}');
    const { handlers } = await reading();
    expect((await handlers['settings.get'](undefined)).values['deployment.p99BudgetMs']).toBe(20);
    const presets = await handlers['presets.list'](undefined);
    expect(presets.map(({ id }) => id)).toContain('resnet50');
    expect((await handlers['presets.published']({ preset: 'resnet50' }))?.preset).toBe('resnet50');
    const spec = specFixture(({ model }) => {
      model.preset = 'resnet50';
      Reflect.deleteProperty(model, 'source');
    });
    const [gpu = 'A100'] = Object.keys(presets.find(({ id }) => id === 'resnet50')?.byGpu ?? {});
    const differing = await handlers['presets.differences']({ spec, gpu: gpu as PublishedGpu });
    expect(differing.join()).toContain('; published: ');
    expect(await readdir(home)).toEqual(['settings.json']);
  });

  it('writes the specification of a preset, or says what is wrong with it', async () => {
    const { handlers } = await reading();
    const choice = { preset: 'resnet50', overrides: { model: { profile: 'quick' } } };
    const { text } = await handlers['spec.export']({ ...choice, as: 'run-yaml' });
    expect(text).toContain('\n  preset: resnet50\n  profile: quick\n');
    expect((await handlers['spec.check'](choice)).filter(({ severity }) => severity === 'problem')).toEqual(
      [],
    );
    const wrong = { ...choice, overrides: { format: 'tf-savedmodel' } };
    expect((await handlers['spec.check'](wrong))[0]?.field).toBe('format');
  });

  it('ends what a dead workbench started', async () => {
    const dead = { ...ownIdentity(), startTime: '1', pidNamespace: pidNamespace() };
    const child = spawn('sleep', ['600'], { env: { ...process.env, [childOfVariable]: childOfText(dead) } });
    const ended = once(child, 'exit');
    await reading();
    expect((await ended)[1]).toBe('SIGKILL');
  });

  it('says that a home was open to others', async () => {
    const open = join(home, 'open');
    await mkdir(open);
    await mkdir(join(open, 'runs'));
    await chmod(join(open, 'runs'), 0o755);
    const { handlers } = await reading(open);
    expect(await handlers['home.closed'](undefined)).toContain('Other users');
  });

  it('refuses a home that is a file', async () => {
    const file = join(home, 'file');
    await writeFile(file, '');
    expect(await rejection(reading(file))).toMatchObject({ code: 'input-invalid', where: file });
  });
});
