import { describe, expect, it } from 'vitest';
import { getAt, type Tree } from '../../../../../main/contract/trees';
import { resolveSpec } from '../../../../../main/presets/resolve-spec';
import { createDraft } from '../../../../../renderer/stores/draft/draft';
import { cliCommand, commandChanges } from '../../../../../renderer/views/new-deployment/plan-text';
import { resetField } from '../../../../../renderer/views/new-deployment/wizard-context';
import { wizardModel } from '../../../../../renderer/views/new-deployment/wizard-model';
import { createClientDouble } from '../../client-double';
import { resnet50 } from '../../wizard/preset';

const kind = ['engine', 'kind'] as const;

async function draftWith(overrides: Tree, ofSettings: 'preset' | 'local' | 'docker') {
  const { client } = createClientDouble({
    'drafts.list': () => [],
    'drafts.save': () => null,
    'spec.preview': (input) => ({
      spec: resolveSpec(resnet50, (input as { overrides: Tree }).overrides),
      defaults: resolveSpec(resnet50, {}),
      ...{ specHash: null, problems: [], configPbtxt: null, generatedPbtxt: null, commands: [] },
    }),
  });
  const draft = createDraft(client, () => ({ overrides, p99BudgetMs: null }));
  await draft.getState().open();
  const model = () => wizardModel(draft.getState(), resnet50, [resnet50], null, [], ofSettings);
  const command = () =>
    cliCommand(['resnet50'], commandChanges(model().changes, model().valueAt(kind), ofSettings)).slice(3);
  const reset = () => {
    resetField({ ...model(), draft: draft.getState() }, kind);
  };
  return { draft, model, command, reset };
}

describe('the engine of the settings', () => {
  const docker = { engine: { kind: 'docker' } };

  it('is the default of a new draft, which reset goes back to', async () => {
    const { draft, model, command, reset } = await draftWith(docker, 'docker');
    expect(model().changes).toEqual([]);
    expect(command()).toEqual([]);
    draft.getState().change(kind, 'local');
    expect(model().changes).toMatchObject([{ keys: kind, from: 'docker', to: 'local' }]);
    expect(command()).toEqual(['--set', 'engine.kind=local']);
    reset();
    expect(draft.getState().overrides).toEqual(docker);
  });

  it('is not taken by the command of a draft that runs elsewhere', async () => {
    const { command } = await draftWith({}, 'docker');
    expect(command()).toEqual(['--set', 'engine.kind=local']);
  });

  it('is the preset’s where the settings name none', async () => {
    const { draft, command, reset } = await draftWith(docker, 'preset');
    expect(command()).toEqual(['--set', 'engine.kind=docker']);
    reset();
    expect(getAt(draft.getState().overrides, kind)).toBeUndefined();
    expect(command()).toEqual([]);
  });
});
