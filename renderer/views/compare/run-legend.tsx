import { Select } from '@mantine/core';
import { IconArrowBarToLeft, IconX } from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { RunState } from '../../../main/contract/run/run-state';
import { changesText, type SpecChange } from '../../../main/contract/run/spec-tools';
import { runStyle } from '../../charts/compare-chart';
import { IconButton } from '../../components/actions';
import { PageLink } from '../../components/links';
import { RunStatusText } from '../../components/status-text';
import { useChartTheme } from '../../components/use/use-chart-theme';
import { formatWhen } from '../../format/times';
import { mostCompared } from '../../stores/compared-runs';
import { useWorkbench } from '../../workbench';

const glyphs = ['●', '■', '◆', '▲', '⬟', '★'] as const;

const changeLine = ({ at, changed }: SpecChange): string => `${formatWhen(at)}: ${changesText(changed)}`;

function LegendRun(props: {
  state: RunState;
  index: number;
  name: string;
  short: string;
  onBaseline: () => void;
  onRemove: () => void;
}) {
  const { state, index, name, short } = props;
  const theme = useChartTheme();
  const created = formatWhen(state.createdAt);
  return (
    <li className="row">
      <span className="run-glyph" style={{ color: runStyle(theme, index).color }} aria-hidden="true">
        {glyphs[index % glyphs.length]}
      </span>
      {/* A run with a name is called by it in both. */}
      {short === name ? null : <strong>{short}</strong>}
      <PageLink to={{ page: 'run', runId: state.runId }} className="cut" title={state.runId}>
        {name}
      </PageLink>
      <RunStatusText status={state.status} />
      {/* Names that are equal have their time already. */}
      {name.includes(created) ? null : <span className="dim">{created}</span>}
      {state.specChanges.length === 0 ? null : (
        <span className="dim" title={state.specChanges.map(changeLine).join('\n')}>
          changed
        </span>
      )}
      <span className="row end compare-run-actions">
        {index === 0 ? (
          <span className="compare-baseline">Baseline</span>
        ) : (
          <IconButton
            label="Use as baseline"
            name={`Use ${short} as baseline`}
            icon={IconArrowBarToLeft}
            onClick={props.onBaseline}
          />
        )}
        <IconButton label="Remove" name={`Remove ${short}`} icon={IconX} onClick={props.onRemove} />
      </span>
    </li>
  );
}

export function RunLegend(props: {
  states: readonly RunState[];
  names: readonly string[];
  short: readonly string[];
}) {
  const { states, names, short } = props;
  const { route, runs } = useWorkbench();
  const list = useStore(runs, (state) => state.value) ?? [];
  const runIds = states.map((state) => state.runId);
  const show = (next: readonly string[]): void => route.getState().go({ page: 'compare', runIds: [...next] });
  const without = (gone: string): readonly string[] => runIds.filter((runId) => runId !== gone);
  const others = list.filter((run) => !runIds.includes(run.runId));
  return (
    <section className="panel column compare-runs" aria-label="Compared runs">
      <ol>
        {states.map((state, index) => (
          <LegendRun
            key={state.runId}
            state={state}
            index={index}
            name={names[index] ?? ''}
            short={short[index] ?? ''}
            onBaseline={() => show([state.runId, ...without(state.runId)])}
            onRemove={() => show(without(state.runId))}
          />
        ))}
      </ol>
      {states.length >= mostCompared || others.length === 0 ? null : (
        <Select
          size="xs"
          w={420}
          searchable
          aria-label="Add a run"
          placeholder="Add a run"
          limit={50}
          value={null}
          nothingFoundMessage="No runs match"
          data={others.map((run) => ({
            value: run.runId,
            label: `${run.name === null ? '' : `${run.name}, `}${run.preset} ${run.format} ${run.precision} ${run.profile}, ${formatWhen(run.createdAt)}`,
          }))}
          onChange={(runId) => {
            if (runId !== null) show([...runIds, runId]);
          }}
        />
      )}
    </section>
  );
}
