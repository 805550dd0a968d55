import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useStore } from 'zustand';
import type { WireError } from '../../../main/contract/errors';
import type { Keys } from '../../../main/contract/trees';
import { ErrorPanel } from '../../components/error-panel';
import { LinkButton } from '../../components/links';
import { Loading } from '../../components/loading';
import { draftPreset, type DraftState, isOwnModel, ownModelKeys } from '../../stores/draft/draft-state';
import { settingsOf } from '../../stores/settings';
import { useWorkbench } from '../../workbench';
import { type FieldForm, FieldFormProvider } from './controls/field-form';
import { engineForTarget } from './fields/model-fields';
import { type WizardModel, wizardModel } from './wizard-model';

export function useWizardModel(): WizardModel | null {
  const { draft, presets, machine, startCheck, settings, hosts } = useWorkbench();
  const state = useStore(draft);
  const list = useStore(presets, (resource) => resource.value);
  const status = useStore(machine, (resource) => resource.value);
  const startProblems = useStore(startCheck, ({ problems }) => problems);
  const engine = useStore(settings, (kept) => settingsOf(kept)['deployment.engine']);
  const entries = useStore(hosts, (state) => state.entries);
  return useMemo(() => {
    if (list === null) return null;
    const preset = draftPreset(state, list);
    if (preset === null) return null;
    const names = (entries ?? []).map(({ host }) => host.name);
    return wizardModel(state, preset, list, status, startProblems, engine, names);
  }, [state, list, status, startProblems, engine, entries]);
}

const context = createContext<WizardModel | null>(null);

export function useWizard(): WizardModel & { readonly draft: DraftState } {
  const model = useContext(context);
  const { draft } = useWorkbench();
  const state = useStore(draft);
  if (model === null) throw new Error('useWizard is used outside its provider');
  return { ...model, draft: state };
}

function formOf(wizard: ReturnType<typeof useWizard>): FieldForm {
  const { draft, context: known, problems, valueAt, defaultOf, isChanged } = wizard;
  return {
    name: 'field',
    problems,
    defaultOf,
    isChanged,
    valueAt: (keys) =>
      // An own model may have the id of a preset, and is not one.
      keys.join('.') === 'model.preset' && valueAt(ownModelKeys) !== undefined ? undefined : valueAt(keys),
    change: (keys, value) => {
      const path = keys.join('.');
      if (path === 'model.preset')
        draft.choosePreset(String(value), known.presets.find(({ id }) => id === value)?.title);
      else if (path === 'targetGpu') draft.chooseTarget(String(value), engineForTarget(known.machine));
      else draft.change(keys, value);
    },
    reset: (keys) => resetField(wizard, keys),
  };
}

export function WizardProvider({ value, children }: { value: WizardModel; children: ReactNode }) {
  const draft = useStore(useWorkbench().draft);
  return (
    <context.Provider value={value}>
      <FieldFormProvider value={formOf({ ...value, draft })}>{children}</FieldFormProvider>
    </context.Provider>
  );
}

export function Wizard(props: { model: WizardModel | null; error: WireError | null; children: ReactNode }) {
  const { model, error, children } = props;
  const { draft, presets } = useWorkbench();
  const { preset, overrides, ready, choosePreset } = useStore(draft);
  const list = useStore(presets);
  if (model !== null && ready) return <WizardProvider value={model}>{children}</WizardProvider>;
  const problem = list.error ?? error;
  const unknown = list.value !== null && ready && !isOwnModel(overrides);
  return (
    <div className="wizard-wait">
      {problem === null ? null : <ErrorPanel error={problem} />}
      {unknown ? (
        <div className="empty">
          <h2>The preset “{preset}” no longer exists</h2>
          <p>This draft uses it. Choose another preset to continue.</p>
          {list.value.map(({ id, title }) => (
            <LinkButton key={id} onClick={() => choosePreset(id, title)}>
              {title}
            </LinkButton>
          ))}
        </div>
      ) : problem === null ? (
        <Loading label="Reading presets and drafts" />
      ) : null}
    </div>
  );
}

/**
 * Back to the default. Without a chosen engine a published GPU uses containers, whatever this machine has, and any
 * other draft the preset's engine, whatever the settings say.
 */
export function resetField(
  { draft, valueAt, defaultOf }: Pick<ReturnType<typeof useWizard>, 'draft' | 'valueAt' | 'defaultOf'>,
  keys: Keys,
): void {
  const isNamed =
    valueAt(['targetGpu']) !== undefined || defaultOf(keys) !== draft.preview?.defaults?.engine.kind;
  if (keys.join('.') === 'engine.kind' && isNamed) draft.change(keys, defaultOf(keys));
  else draft.reset(keys);
}
