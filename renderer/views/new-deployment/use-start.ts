import { useCallback, useRef, useState } from 'react';
import { attempt } from '../../components/notices';
import { draftPreset } from '../../stores/draft/draft-state';
import { useWorkbench } from '../../workbench';
import { useShowProblems } from './form-view';
import { wizardModel } from './wizard-model';

/**
 * Starts what the choice leads to now, not what it led to before the last key, or changes and continues the run that the
 * choice is for; shows the problems where it cannot.
 */
export function useStart(): {
  readonly start: () => void;
  /** The same in spite of the preflight's problems; the run is marked. */
  readonly startAnyway: () => void;
  readonly starting: boolean;
} {
  const { client, draft, presets, machine, startCheck, route } = useWorkbench();
  const showProblems = useShowProblems();
  const [starting, setStarting] = useState(false);
  const busy = useRef(false);
  const begin = useCallback(
    (skipPreflight: boolean) => {
      if (busy.current) return;
      busy.current = true;
      setStarting(true);
      const run = async (): Promise<void> => {
        await draft.getState().settle();
        await startCheck.getState().again();
        const state = draft.getState();
        const list = presets.getState().value ?? [];
        const preset = draftPreset(state, list);
        const spec = state.preview?.spec ?? null;
        if (preset === null || spec === null) {
          showProblems();
          return;
        }
        const model = wizardModel(
          state,
          preset,
          list,
          machine.getState().value,
          startCheck.getState().problems,
        );
        if (!model.ready && !(skipPreflight && model.onlyPreflight)) {
          showProblems();
          return;
        }
        const { changing, p99BudgetMs } = state;
        const name = state.name.trim();
        const budget = {
          ...(p99BudgetMs === null ? {} : { p99BudgetMs }),
          ...(name === '' ? {} : { name }),
        };
        const how = skipPreflight ? { spec, skipPreflight } : { spec };
        if (changing !== null) await client.call('runs.change', { runId: changing, ...how });
        const runId = changing ?? (await client.call('runs.start', { ...how, ...budget })).runId;
        route.getState().go({ page: 'run', runId });
        state.started(runId);
      };
      attempt(() =>
        run().finally(() => {
          busy.current = false;
          setStarting(false);
        }),
      );
    },
    [client, draft, presets, machine, startCheck, route, showProblems],
  );
  const start = useCallback(() => {
    begin(false);
  }, [begin]);
  const startAnyway = useCallback(() => {
    begin(true);
  }, [begin]);
  return { start, startAnyway, starting };
}
