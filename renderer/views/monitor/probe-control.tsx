import { Checkbox, NumberInput, Select } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import type { ModelSample, MonitorState } from '../../../main/contract/monitor/monitor';
import { SmallButton } from '../../components/actions';
import { attempt, attempting } from '../../components/notices';
import { useWorkbench } from '../../workbench';

/** A dead Python model takes a second to say so: two probes a second show it within two. */
const startPerSecond = 2;

const firstSettings = (model: ModelSample): NonNullable<MonitorState['probe']> => ({
  model: model.name,
  version: '',
  perSecond: startPerSecond,
  input: 'zero',
  shapes: {},
});

/** In the chart of probes while there is none. `live`: of a server, not of a recording. */
export function NoProbes({ model, state, live }: { model: ModelSample; state: MonitorState; live: boolean }) {
  const { client } = useWorkbench();
  if (!live) return <p className="dim">No probes in this time range.</p>;
  if (state.probe?.model === model.name)
    return <p className="dim">{state.probeProblem ?? 'Waiting for the first probe.'}</p>;
  return (
    <>
      <p className="dim">
        Probes measure the latency that a client sees: {startPerSecond} synthetic requests per second, with
        zeros as inputs.
      </p>
      <SmallButton
        icon={IconActivity}
        onClick={attempting(() => client.call('monitor.setProbe', { probe: firstSettings(model) }))}
      >
        Start probes
      </SmallButton>
    </>
  );
}

export function ProbeControl({ model, state }: { model: ModelSample; state: MonitorState }) {
  const { client } = useWorkbench();
  const { probe, probeProblem } = state;
  const own = probe?.model === model.name ? probe : null;
  const set = (next: MonitorState['probe']): void =>
    attempt(() => client.call('monitor.setProbe', { probe: next }));
  const settings = own ?? firstSettings(model);
  return (
    <div className="row end monitor-probe">
      <Checkbox
        size="xs"
        label="Send probes"
        checked={own !== null}
        onChange={(event) => set(event.currentTarget.checked ? settings : null)}
      />
      {own === null ? null : (
        <>
          <NumberInput
            size="xs"
            w={92}
            aria-label="Probes per second"
            suffix=" /s"
            min={0.1}
            max={20}
            step={1}
            value={own.perSecond}
            onChange={(value) => {
              if (typeof value === 'number' && value >= 0.1 && value <= 20) set({ ...own, perSecond: value });
            }}
          />
          <Select
            size="xs"
            w={104}
            aria-label="Probe values"
            allowDeselect={false}
            data={[
              { value: 'zero', label: 'zeros' },
              { value: 'random', label: 'random' },
            ]}
            value={own.input}
            onChange={(value) => set({ ...own, input: value === 'random' ? 'random' : 'zero' })}
          />
          {probeProblem === null ? null : (
            <span className="tone-bad cut monitor-problem" role="status" title={probeProblem}>
              {probeProblem}
            </span>
          )}
        </>
      )}
    </div>
  );
}
