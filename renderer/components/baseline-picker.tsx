import { Select } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import type { RunState } from '../../main/contract/run/run-state';
import type { ShownBaseline } from '../stores/baselines';
import { shownBaseline } from '../stores/baselines';
import { useWorkbench } from '../workbench';
import { Explain } from './explain';

/** The published figures beside this run, fetched when they are not there yet. */
export function useBaseline(state: Pick<RunState, 'runId' | 'spec' | 'environment'>): ShownBaseline {
  const { baselines } = useWorkbench();
  const { published, picks, load } = useStore(baselines);
  const { runId, spec, environment } = state;
  const { preset, source } = spec.model;
  useEffect(() => {
    if (source === undefined) void load(preset);
  }, [load, preset, source]);
  return useMemo(
    () => shownBaseline({ published, picks }, { runId, spec, environment }),
    [published, picks, runId, spec, environment],
  );
}

/** Picks the published figures that are drawn, or none. Nothing where nothing is published. */
export function BaselinePicker({ runId, baseline }: { runId: string; baseline: ShownBaseline }) {
  const { baselines } = useWorkbench();
  const { all, shown } = baseline;
  if (all.length === 0) return null;
  return (
    <div className="budget">
      <label htmlFor="published-baseline">Published</label>
      <Select
        id="published-baseline"
        size="xs"
        w={184}
        comboboxProps={{ width: 300, position: 'bottom-start' }}
        placeholder="none"
        clearable
        clearButtonProps={{ 'aria-label': 'Hide published figures' }}
        value={shown?.key ?? null}
        data={all.map(({ key, title }) => ({ value: key, label: title }))}
        onChange={(key) => {
          baselines.getState().pick(runId, key ?? '');
        }}
      />
      <Explain
        what="Published"
        text="Figures that NVIDIA published for this model on another machine, shown as dashed lines beside this run. They were not measured here."
      />
    </div>
  );
}

/** What the dashed line is and is not. */
export function BaselineNote({ baseline, quick }: { baseline: ShownBaseline; quick: boolean }) {
  const { shown } = baseline;
  if (shown === null) return null;
  return (
    <p className="dim baseline-note" role="note">
      Dashed: published of {shown.title}; not measured here.
      {quick ? ' The profile quick measures a smaller model than the published one.' : ''}
    </p>
  );
}
