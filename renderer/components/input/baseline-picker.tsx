import { Select } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { otherwiseText } from '../../../main/contract/measured/baseline';
import { type Deployed, isDeployed, specOf } from '../../../main/contract/run/run-source';
import type { PublishedGpu } from '../../../main/contract/run/run-spec';
import type { RunState } from '../../../main/contract/run/run-state';
import { differencesKey, type ShownBaseline, shownBaseline } from '../../stores/baselines';
import { useWorkbench } from '../../workbench';
import { Explain } from '../explain';

export function useBaseline(state: Pick<RunState, 'runId' | 'source' | 'environment'>): ShownBaseline {
  const { baselines } = useWorkbench();
  const { published, picks, load } = useStore(baselines);
  const { runId, source, environment } = state;
  const model = specOf(state)?.model;
  const preset = model?.source === undefined ? model?.preset : undefined;
  useEffect(() => {
    if (preset !== undefined) void load(preset);
  }, [load, preset]);
  return useMemo(
    () => shownBaseline({ published, picks }, { runId, source, environment }),
    [published, picks, runId, source, environment],
  );
}

export function BaselinePicker({ runId, baseline }: { runId: string; baseline: ShownBaseline }) {
  const { baselines } = useWorkbench();
  const { all, shown } = baseline;
  if (all.length === 0) return null;
  return (
    <div className="row budget">
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
        onChange={(key) => baselines.getState().pick(runId, key ?? '')}
      />
      <Explain
        what="Published"
        text="Figures that NVIDIA published for this model on another machine, shown as dashed lines beside this run. They were not measured here."
      />
    </div>
  );
}

type NotedRun = Pick<RunState, 'runId' | 'source'>;

function OtherwiseNote(props: { run: Deployed<NotedRun>; name: string | undefined; gpu: PublishedGpu }) {
  const { baselines } = useWorkbench();
  const { differences, loadDifferences } = useStore(baselines);
  const { run, name, gpu } = props;
  useEffect(() => void loadDifferences(run, gpu), [loadDifferences, run, gpu]);
  const text = otherwiseText(differences[differencesKey(run, gpu)] ?? []);
  if (text === null) return null;
  return (
    <p className="tone-warn" role="note">
      {name === undefined ? text : `${name}: ${text}`}
    </p>
  );
}

export function BaselineNote(props: {
  baseline: ShownBaseline;
  runs: readonly NotedRun[];
  names?: readonly string[];
}) {
  const { runs, names } = props;
  const { shown } = props.baseline;
  if (shown === null) return null;
  const [first] = runs;
  const quick = first !== undefined && specOf(first)?.model.profile === 'quick';
  return (
    <>
      <p className="dim" role="note">
        Dashed: published for {shown.title}; not measured here.
        {quick ? ' The profile quick measures a smaller model than the published one.' : ''}
      </p>
      {runs.map((run, index) =>
        isDeployed(run) ? (
          <OtherwiseNote key={run.runId} run={run} name={names?.[index]} gpu={shown.gpu} />
        ) : null,
      )}
    </>
  );
}
