import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunSpec } from '../../../../../main/contract/run/run-spec';
import { type Draft, fieldChanges } from '../../../../../main/contract/run/spec-tools';
import { readPresets, requirePreset } from '../../../../../main/presets/presets';
import { resolveSpec } from '../../../../../main/presets/resolve-spec';
import { createSpecTools } from '../../../../../main/specification/spec-tools';
import { isWorthKeeping } from '../../../../../renderer/stores/draft/draft-state';
import { planSummary, resumeCommand } from '../../../../../renderer/views/new-deployment/plan-text';
import { changeRun } from '../../../../../renderer/views/runs/run-tools';
import { createWorkbench } from '../../../../../renderer/workbench';
import { specFixture } from '../../../../support/run-state';
import { places } from '../../../specification/places';
import { createClientDouble, createStorage } from '../../client-double';

const resources = join(process.cwd(), 'resources');
const presets = readPresets(resources);
const tools = createSpecTools({ presets: () => presets, places: { ...places, resources } });

/** The window over the core's own tools, with one run; its plan names every field as changed that is. */
function createRig(spec: RunSpec, drafts = new Map<string, Draft>()) {
  const double = createClientDouble({
    'runs.get': () => ({
      ...{ source: { kind: 'deployed', spec }, error: null, steps: [], p99BudgetMs: 20 },
    }),
    'runs.planChange': (input) => {
      const changed = fieldChanges(spec, (input as { spec: RunSpec }).spec);
      return { changed, steps: [], measured: 0, kept: 0, keptLevels: [] };
    },
    'spec.choice': (input) => tools['spec.choice'](input as { spec: RunSpec }),
    'spec.preview': (input) => tools['spec.preview'](input as Parameters<(typeof tools)['spec.preview']>[0]),
    'drafts.list': () => [...drafts.values()],
    'drafts.save': (input) => {
      const draft = input as Draft;
      drafts.set(draft.id, draft);
      return null;
    },
    'drafts.remove': () => null,
  });
  const workbench = createWorkbench(double.client, createStorage());
  return { ...double, workbench, drafts, draft: () => workbench.draft.getState() };
}

describe.each([...presets.keys()])('a run of %s that is changed', (id) => {
  const { preset } = requirePreset(presets, id);

  it('is not changed by opening the wizard, and by one field only by that field', async () => {
    const rig = createRig(resolveSpec(preset, { performance: { batchSizes: [1, 3] } }));
    await changeRun(rig.workbench, 'run-1');
    await rig.draft().settle();
    expect(rig.draft()).toMatchObject({ changing: 'run-1', page: 'performance', plan: { changed: [] } });
    rig.draft().change(['performance', 'batchSizes'], [1, 3, 8]);
    await rig.draft().settle();
    expect(rig.draft().plan?.changed).toEqual([
      { path: 'performance.batchSizes', from: [1, 3], to: [1, 3, 8] },
    ]);
    expect(rig.workbench.route.getState().route).toEqual({ page: 'new', draft: true });
  });
});

describe('the draft of a changed run', () => {
  const { preset } = requirePreset(presets, 'resnet50');
  const opened = async () => {
    const rig = createRig(resolveSpec(preset, { precision: 'fp16' }));
    await changeRun(rig.workbench, 'run-1');
    return rig;
  };

  it('names the run on disk, and still does after a restart', async () => {
    const rig = await opened();
    rig.draft().change(['format'], 'ts-trace');
    await expect.poll(() => rig.drafts.get(rig.draft().id)?.changing).toBe('run-1');
    const later = createRig(resolveSpec(preset, { precision: 'fp16' }), rig.drafts);
    await later.draft().open();
    expect(later.draft()).toMatchObject({ changing: 'run-1', overrides: { format: 'ts-trace' } });
    await expect.poll(() => later.draft().plan?.changed).toMatchObject([{ path: 'format', to: 'ts-trace' }]);
  });

  it('has the p99 budget of the run, also with other settings and with another model', async () => {
    const rig = await opened();
    expect(rig.draft().p99BudgetMs).toBe(20);
    rig.draft().startOver();
    expect(rig.draft()).toMatchObject({ changing: 'run-1', p99BudgetMs: 20 });
    rig.draft().change(['format'], 'ts-trace');
    rig.draft().choosePreset('bert');
    expect(rig.draft()).toMatchObject({ changing: null, preset: 'bert', name: '', p99BudgetMs: 20 });
  });

  it('is worth keeping before anything was changed, and can be left for a new deployment', async () => {
    const rig = createRig(resolveSpec(preset, {}));
    await changeRun(rig.workbench, 'run-1');
    expect(rig.draft()).toMatchObject({ overrides: {}, notice: { kind: 'changing', runId: 'run-1' } });
    expect(isWorthKeeping(rig.draft(), { overrides: {}, p99BudgetMs: null })).toBe(true);
    await expect.poll(() => rig.drafts.get(rig.draft().id)?.changing).toBe('run-1');
    const later = createRig(resolveSpec(preset, {}), rig.drafts);
    await later.draft().open();
    expect(later.draft()).toMatchObject({ changing: 'run-1' });
    later.draft().startNew('resnet50');
    expect(later.draft()).toMatchObject({ changing: null, plan: null });
  });

  it('stays of the run when its settings begin anew, and becomes a new deployment with another model', async () => {
    const rig = await opened();
    rig.draft().startOver();
    expect(rig.draft()).toMatchObject({ changing: 'run-1', overrides: {} });
    rig.draft().change(['format'], 'ts-trace');
    rig.draft().choosePreset('bert');
    expect(rig.draft()).toMatchObject({ changing: null, plan: null, preset: 'bert' });
    rig.draft().takeBack();
    expect(rig.draft()).toMatchObject({ changing: 'run-1', preset: 'resnet50' });
  });

  it('leaves nothing of the run for the next deployment once it was continued', async () => {
    const rig = await opened();
    rig.draft().started('run-1');
    expect(rig.draft()).toMatchObject({ changing: null, plan: null, overrides: {} });
  });

  it('is planned one specification at a time, and of those that waited only the newest', async () => {
    const rig = await opened();
    await rig.draft().settle();
    const planned = () => rig.calls.filter(([name]) => name === 'runs.planChange').length;
    const before = planned();
    // Nothing changed: the plan is known.
    await rig.draft().settle();
    expect(planned()).toBe(before);
    const settled = [[1], [1, 2], [1, 2, 8]].map((batchSizes) => {
      rig.draft().change(['performance', 'batchSizes'], batchSizes);
      return rig.draft().settle();
    });
    await Promise.all(settled);
    expect(planned()).toBe(before + 1);
    expect(rig.draft().plan?.changed).toMatchObject([{ path: 'performance.batchSizes', to: [1, 2, 8] }]);
  });

  it('says why there is no plan', async () => {
    const { client } = createClientDouble({
      'runs.planChange': () => {
        throw new Error('The run is gone');
      },
      'spec.preview': (input) =>
        tools['spec.preview'](input as Parameters<(typeof tools)['spec.preview']>[0]),
      'drafts.list': () => [],
      'drafts.save': () => null,
    });
    const { draft } = createWorkbench(client, createStorage());
    draft.getState().changeRun({ preset: 'resnet50', overrides: {} }, 'run-1', 'performance');
    await draft.getState().settle();
    expect(draft.getState()).toMatchObject({ plan: null, planError: { message: 'The run is gone' } });
    expect(draft.getState().spec?.model.preset).toBe('resnet50');
  });
});

describe('a change in words', () => {
  const batchSizes = { path: 'performance.batchSizes', from: [1], to: [1, 2] };

  it('counts what is done and what is kept', () => {
    const plan = { changed: [batchSizes], steps: ['offline', 'report'], keptLevels: [] } as const;
    expect(planSummary({ ...plan, measured: 3, kept: 2 })).toBe(
      '1 change: 2 steps to do, 2 of 3 measurements kept',
    );
    expect(planSummary({ ...plan, measured: 1, kept: 1 })).toBe(
      '1 change: 2 steps to do, 1 of 1 measurement kept',
    );
    // One that was set aside earlier is asked for again.
    expect(planSummary({ ...plan, measured: 1, kept: 2 })).toBe(
      '1 change: 2 steps to do, 2 of 2 measurements kept',
    );
    expect(planSummary({ ...plan, measured: 0, kept: 0 })).toBe(
      '1 change: 2 steps to do, nothing measured yet',
    );
    expect(planSummary({ ...plan, changed: [], measured: 1, kept: 1 })).toBe('No changes yet');
  });

  it('is a command where every field can be typed', () => {
    const spec = specFixture((change) => {
      change.performance.batchSizes = [1, 2];
      change.accuracy.atol = { '*': 0.5, 'layer.0': 0.25 };
    });
    const all = { path: 'accuracy.atol.*', from: 1, to: 0.5 };
    expect(resumeCommand('r', [batchSizes, all], spec)?.slice(1)).toEqual([
      ...['resume', 'r', '--set', 'performance.batchSizes=[1,2]', '--set', 'accuracy.atol.*=0.5'],
    ]);
    expect(resumeCommand('r', [], spec)).toBeNull();
    expect(resumeCommand('r', [{ path: 'targetGpu', from: 'x' }], spec)).toBeNull();
    expect(resumeCommand('r', [{ path: 'accuracy.atol.layer.0', to: 0.25 }], spec)).toBeNull();
  });
});
