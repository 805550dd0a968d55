import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunSpec } from '../../../../../main/contract/run/run-spec';
import type { Tree } from '../../../../../main/contract/trees';
import { readPresets, requirePreset } from '../../../../../main/presets/presets';
import { layerSpec, parseSpec, resolveSpec } from '../../../../../main/presets/resolve-spec';
import { createSpecTools } from '../../../../../main/specification/spec-tools';
import { runAgain } from '../../../../../renderer/views/runs/run-tools';
import { createWorkbench } from '../../../../../renderer/workbench';
import { places } from '../../../specification/places';
import { createClientDouble, createStorage } from '../../client-double';

const resources = join(process.cwd(), 'resources');
const presets = readPresets(resources);
const tools = createSpecTools({ presets: () => presets, places: { ...places, resources } });

/** The window over the core's own tools, with one run. */
function createRig(spec: RunSpec) {
  const { client } = createClientDouble({
    'runs.get': () => ({ source: { kind: 'deployed', spec } }),
    'spec.choice': (input) => tools['spec.choice'](input as { spec: RunSpec }),
    'spec.preview': (input) => tools['spec.preview'](input as Parameters<(typeof tools)['spec.preview']>[0]),
    'spec.import': (input) => tools['spec.import'](input as Parameters<(typeof tools)['spec.import']>[0]),
    'drafts.list': () => [],
    'drafts.save': () => null,
  });
  const workbench = createWorkbench(client, createStorage());
  return { workbench, draft: () => workbench.draft.getState() };
}

describe.each([...presets.keys()])('a run of %s that is run again', (id) => {
  const { preset } = requirePreset(presets, id);

  it('takes the tolerances of FP16 when FP16 is chosen', async () => {
    const rig = createRig(resolveSpec(preset, {}));
    await runAgain(rig.workbench, 'run-1');
    rig.draft().change(['precision'], 'fp16');
    // A SavedModel has no FP16, and its tolerances are taken all the same.
    const specOf = (overrides: Tree) => parseSpec(layerSpec(preset, overrides));
    expect(specOf(rig.draft().overrides)).toEqual(specOf({ precision: 'fp16' }));
    expect(rig.draft()).toMatchObject({ preset: id, tolerancesOf: null });
    expect(rig.workbench.route.getState().route).toEqual({ page: 'new', draft: true });
  });

  it('says under which precision its own tolerances were chosen, and takes the defaults in one step', async () => {
    const chosen = { accuracy: { atol: { '*': 0.125 } } };
    const rig = createRig(resolveSpec(preset, chosen));
    await runAgain(rig.workbench, 'run-1');
    expect(rig.draft().overrides).toEqual(chosen);
    await rig.draft().settle();
    rig.draft().change(['precision'], 'fp16');
    expect(rig.draft().tolerancesOf).toBe('fp32');
    rig.draft().change(['precision'], 'fp32');
    expect(rig.draft().tolerancesOf).toBeNull();
    rig.draft().change(['precision'], 'fp16');
    rig.draft().useDefaultTolerances();
    expect(rig.draft()).toMatchObject({ tolerancesOf: null, overrides: { precision: 'fp16' } });
    expect(rig.draft().overrides).not.toHaveProperty('accuracy');
  });

  it('is the same as an exported run.yaml of it that is imported', async () => {
    const chosen = { performance: { batchSizes: [1, 3] } };
    const rig = createRig(resolveSpec(preset, chosen));
    const { text } = await tools['spec.export']({ preset: id, overrides: chosen, as: 'run-yaml' });
    await rig.draft().importText('run.yaml', text);
    expect(rig.draft()).toMatchObject({ preset: id, overrides: chosen });
  });
});
