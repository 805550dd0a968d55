import { useRef } from 'react';
import { present } from '../../../main/contract/trees';
import { draftPreset } from '../../stores/draft/draft-state';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';
import { useShowProblems } from './form-view';
import { wizardModel } from './wizard-model';

/**
 * Starts the newest choice once pending answers have come, or changes and continues the run that it is for; shows the
 * problems where it cannot.
 */
export function useStart() {
  const { client, draft, presets, machine, startCheck, route } = useWorkbench();
  const showProblems = useShowProblems();
  const [starting, working] = useWork();
  const busy = useRef(false);
  const run = async (skipPreflight: boolean): Promise<void> => {
    await draft.getState().settle();
    await startCheck.getState().again();
    const state = draft.getState();
    const list = presets.getState().value ?? [];
    const preset = draftPreset(state, list);
    const spec = state.preview?.spec ?? null;
    const { problems } = startCheck.getState();
    const model =
      preset === null ? null : wizardModel(state, preset, list, machine.getState().value, problems);
    const canStart = model !== null && (model.ready || (skipPreflight && model.onlyPreflight));
    if (spec === null || !canStart) {
      showProblems();
      return;
    }
    const { changing, p99BudgetMs } = state;
    const noted = present({ p99BudgetMs, name: state.name.trim() || null });
    const how = skipPreflight ? { spec, skipPreflight } : { spec };
    if (changing !== null) await client.call('runs.change', { runId: changing, ...how });
    const runId = changing ?? (await client.call('runs.start', { ...how, ...noted })).runId;
    route.getState().go({ page: 'run', runId });
    state.started(runId);
  };
  const begin = (skipPreflight: boolean) => (): void => {
    if (busy.current) return;
    busy.current = true;
    const begun = working(() =>
      run(skipPreflight).finally(() => {
        busy.current = false;
      }),
    );
    begun();
  };
  return {
    start: begin(false),
    startAnyway: begin(true),
    starting,
  };
}
