import { NumberInput } from '@mantine/core';
import { IconPackageExport, IconRulerMeasure } from '@tabler/icons-react';
import { memo, useMemo, useState } from 'react';
import { type CapacityAsk, capacityFields } from '../../../../main/contract/measured/capacity-ask';
import { formatRate } from '../../../../main/contract/numbers';
import type { RunState } from '../../../../main/contract/run/run-state';
import { bestLevelText, p99Text } from '../../../../main/domain/measured/answer';
import {
  askOf,
  type Capacity,
  type CapacityDraft,
  capacityOf,
  decisiveLevels,
  isCapacity,
  isProblem,
  type NoCapacity,
  targetText,
  usualDraft,
} from '../../../../main/domain/measured/capacity';
import {
  capacityFacts,
  capacityLines,
  capacityNotes,
  capacityText,
} from '../../../../main/domain/measured/capacity-text';
import { shownScenario } from '../../../../main/domain/measured/repeats';
import { ChartPanel } from '../../../charts/chart-panel';
import { capacityChart } from '../../../charts/trade-off-chart';
import { SmallButton } from '../../../components/actions';
import { CopyButton } from '../../../components/copy-button';
import { useTypedNumber } from '../../../components/input/use-typed-number';
import { noticeDone } from '../../../components/notices';
import { Panel } from '../../../components/panel';
import { Facts, numeric, ScrollTable, TableHead } from '../../../components/table';
import { useChartTheme } from '../../../components/use/use-chart-theme';
import { useWork } from '../../../use-work';
import { useWorkbench } from '../../../workbench';
import { isDeployable } from '../keep-serving';

/** A label has its unit. `scale`: what a person types, over the value. */
const looks: Readonly<Record<keyof CapacityAsk, { label: string; title: string; scale: number }>> = {
  rate: {
    label: 'Rate (inferences/s)',
    title: 'Inferences per second of all replicas together. Default: the rate of one replica.',
    scale: 1,
  },
  p99Ms: {
    label: 'p99 target (ms)',
    title: 'Highest acceptable p99 latency. Default: the p99 budget of the run.',
    scale: 1,
  },
  headroom: {
    label: 'Headroom (%)',
    title: 'Spare capacity above the rate. Default: 30 %.',
    scale: 100,
  },
  spare: { label: 'Spare replicas', title: 'Replicas that may fail. Default: 1.', scale: 1 },
  pricePerHour: {
    label: 'Price per hour',
    title: 'Price of one replica with its GPUs per hour, in any currency. Empty: no cost is shown.',
    scale: 1,
  },
};

function PlanField(props: {
  field: keyof CapacityAsk;
  value: number | null;
  error: string | undefined;
  onType: (value: number | null) => void;
}) {
  const { field, value, error, onType } = props;
  const { label, title, scale } = looks[field];
  // 0.3 is 30, and not 30.000000000000004.
  const exact = (number: number): number => Number(number.toPrecision(12));
  const typed = useTypedNumber(value === null ? null : exact(value * scale), (next) =>
    onType(next === null ? null : exact(next / scale)),
  );
  return (
    <NumberInput
      size="xs"
      w={136}
      label={label}
      title={title}
      placeholder={field === 'pricePerHour' ? 'none' : ''}
      hideControls
      thousandSeparator=","
      error={error}
      {...typed}
    />
  );
}

/** Which levels decide, and whether each holds the target. */
function LevelsTable({ state, p99Ms }: { state: RunState; p99Ms: number }) {
  return (
    <ScrollTable label="Levels of the capacity">
      <TableHead headings={['Level', numeric('Inferences/s'), numeric('p99'), 'Target']} />
      <tbody>
        {decisiveLevels(state).map((level) => {
          const target = targetText(level.point, p99Ms);
          return (
            <tr key={bestLevelText(level)}>
              <td>{bestLevelText(level)}</td>
              <td className="number">{formatRate(level.point.inferencesPerSecond)}</td>
              <td className="number">{p99Text(level.point)}</td>
              <td className={target === 'holds' ? 'tone-good' : 'dim'}>{target}</td>
            </tr>
          );
        })}
      </tbody>
    </ScrollTable>
  );
}

function CapacityChart(props: { state: RunState; found: Capacity | NoCapacity; p99Ms: number }) {
  const { state, found, p99Ms } = props;
  const theme = useChartTheme();
  const chart = useMemo(() => {
    const chosen = isCapacity(found) ? found.held : null;
    const scenario = (chosen ?? decisiveLevels(state)[0])?.scenario ?? 'online';
    const measured = shownScenario(state, scenario);
    const input = { scenario, state: measured, planned: [], level: null, budgetMs: p99Ms, theme };
    return capacityChart(input, chosen === null ? null : { ...chosen, name: 'One replica holds' });
  }, [state, found, p99Ms, theme]);
  return (
    <ChartPanel
      id="capacity"
      title="Rate and p99 latency of one replica, measured levels"
      chart={chart}
      height={220}
      fileName={state.runId}
      wide
    />
  );
}

/** Writes a bundle whose manifests have the planned replicas. */
function UseInBundle(props: { runId: string; search: string | undefined; capacity: CapacityAsk }) {
  const { runId, search, capacity } = props;
  const { client } = useWorkbench();
  const [busy, working] = useWork();
  return (
    <SmallButton
      icon={IconPackageExport}
      loading={busy}
      title="Writes a deployment bundle whose Kubernetes and KServe manifests have these replicas"
      onClick={working(async () => {
        const title = 'Empty folder for the deployment bundle';
        const chosen = await client.call('desktop.choosePath', { kind: 'folder', title });
        if (chosen === null) return;
        const { path } = await client.call('runs.bundle', {
          ...{ runId, out: chosen.path, capacity },
          ...(search === undefined ? {} : { search }),
        });
        noticeDone('Bundle written', path);
      })}
    >
      Use in bundle…
    </SmallButton>
  );
}

/** Loads the model by itself, for what it takes. */
function MeasureMemory({ runId }: { runId: string }) {
  const { client } = useWorkbench();
  const [busy, working] = useWork();
  return (
    <SmallButton
      icon={IconRulerMeasure}
      loading={busy}
      title="Loads the model three times side by side on a separate Triton, and shows the memory of context, weights and one instance"
      onClick={working(async () => {
        await client.call('runs.measureMemory', { runId });
        noticeDone('Memory measured', 'The panel shows the memory of the model and how many servers fit.');
      })}
    >
      Measure memory
    </SmallButton>
  );
}

interface PlannedWith {
  readonly state: RunState;
  /** The search whose configuration it is; absent: the run itself. */
  readonly search?: string | undefined;
}

function CapacityAnswer({ state, search, asked }: PlannedWith & { asked: CapacityAsk }) {
  const found = useMemo(() => capacityOf(state, asked), [state, asked]);
  const isFound = isCapacity(found);
  return (
    <>
      <div className="row wrap">
        <strong role="status">{capacityText(found)}</strong>
        <CopyButton label="Copy as text" text={() => capacityLines(state, found).join('\n')} />
        {isFound && isDeployable(state) ? (
          <UseInBundle runId={state.runId} search={search} capacity={asked} />
        ) : null}
        {search === undefined && isDeployable(state) ? <MeasureMemory runId={state.runId} /> : null}
      </div>
      {isFound ? (
        <>
          {capacityNotes(found).map((note) => (
            <div key={note} className="tone-warn">
              {note}
            </div>
          ))}
          <Facts facts={capacityFacts(state, found)} />
        </>
      ) : null}
      <CapacityChart state={state} found={found} p99Ms={asked.p99Ms} />
      <LevelsTable state={state} p99Ms={asked.p99Ms} />
    </>
  );
}

/** How many replicas a rate takes, by what one was measured to hold. Nothing for a run without a rate. */
export const CapacityPanel = memo(function CapacityPanel({ state, search }: PlannedWith) {
  const usual = useMemo(() => usualDraft(state), [state]);
  const [typed, setTyped] = useState<Partial<CapacityDraft>>({});
  const draft = useMemo(() => (usual === null ? null : { ...usual, ...typed }), [usual, typed]);
  const asked = useMemo(() => (draft === null ? null : askOf(draft)), [draft]);
  if (draft === null || asked === null) return null;
  const problem = isProblem(asked) ? asked : null;
  return (
    <Panel title="Capacity" note="Replicas that a rate needs, from the measured levels">
      <div className="panel-body stack">
        <div className="row wrap capacity-fields">
          {capacityFields.map((field) => (
            <PlanField
              key={field}
              field={field}
              value={draft[field]}
              error={problem?.field === field ? `${problem.message}.` : undefined}
              onType={(value) => setTyped({ ...typed, [field]: value })}
            />
          ))}
        </div>
        {isProblem(asked) ? (
          <div role="status">{`${asked.message}. ${asked.remedy}`}</div>
        ) : (
          <CapacityAnswer state={state} search={search} asked={asked} />
        )}
      </div>
    </Panel>
  );
});
