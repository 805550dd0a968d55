import { ActionIcon, Select, Tooltip } from '@mantine/core';
import { IconArrowBarToLeft, IconX } from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { RunState } from '../../../main/contract/run/run-state';
import type { SpecChange } from '../../../main/contract/run/spec-changes';
import { changesText } from '../../../main/contract/run/spec-changes';
import { runLook } from '../../charts/compare-chart';
import { RunStatusText } from '../../components/status-text';
import { useChartTheme } from '../../components/use-chart-theme';
import { formatWhen } from '../../format/times';
import { mostCompared } from '../../stores/compared-runs';
import { useWorkbench } from '../../workbench';

const glyphs = ['●', '■', '◆', '▲', '⬟', '★'] as const;

const changeLine = ({ at, changed }: SpecChange): string => `${formatWhen(at)}: ${changesText(changed)}`;

/** The runs with their color and symbol; the first is the baseline. */
export function RunLegend(props: {
  states: readonly RunState[];
  names: readonly string[];
  /** What differs, as charts and tables name them. */
  short: readonly string[];
}) {
  const { states, names, short } = props;
  const { route, runs } = useWorkbench();
  const theme = useChartTheme();
  const list = useStore(runs, (state) => state.value) ?? [];
  const runIds = states.map((state) => state.runId);
  const show = (next: readonly string[]): void => {
    route.getState().go({ page: 'compare', runIds: [...next] });
  };
  const others = list.filter((run) => !runIds.includes(run.runId));
  return (
    <section className="panel compare-runs" aria-label="Compared runs">
      <ol>
        {states.map((state, index) => (
          <li key={state.runId}>
            <span className="run-glyph" style={{ color: runLook(theme, index).color }} aria-hidden="true">
              {glyphs[index % glyphs.length]}
            </span>
            <strong>{short[index]}</strong>
            <button
              type="button"
              className="plain-button link cut"
              title={state.runId}
              onClick={() => {
                route.getState().go({ page: 'run', runId: state.runId });
              }}
            >
              {names[index]}
            </button>
            <RunStatusText status={state.status} />
            <span className="dim">{formatWhen(state.createdAt)}</span>
            {state.specChanges.length === 0 ? null : (
              <span className="dim" title={state.specChanges.map(changeLine).join('\n')}>
                changed
              </span>
            )}
            <span className="compare-run-actions">
              {index === 0 ? (
                <span className="compare-baseline">Baseline</span>
              ) : (
                <Tooltip label="Use as baseline" openDelay={300}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="sm"
                    aria-label={`Use ${short[index] ?? ''} as baseline`}
                    onClick={() => {
                      show([state.runId, ...runIds.filter((runId) => runId !== state.runId)]);
                    }}
                  >
                    <IconArrowBarToLeft size={15} aria-hidden="true" />
                  </ActionIcon>
                </Tooltip>
              )}
              <Tooltip label="Remove" openDelay={300}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={`Remove ${short[index] ?? ''}`}
                  onClick={() => {
                    show(runIds.filter((runId) => runId !== state.runId));
                  }}
                >
                  <IconX size={15} aria-hidden="true" />
                </ActionIcon>
              </Tooltip>
            </span>
          </li>
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
            label: `${run.preset} ${run.format} ${run.precision} ${run.profile}, ${formatWhen(run.createdAt)}`,
          }))}
          onChange={(runId) => {
            if (runId !== null) show([...runIds, runId]);
          }}
        />
      )}
    </section>
  );
}
