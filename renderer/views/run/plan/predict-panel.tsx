import { NumberInput } from '@mantine/core';
import { memo, useMemo, useState } from 'react';
import type { RunState } from '../../../../main/contract/run/run-state';
import {
  isPredictable,
  isPredicted,
  predictableRun,
  usualLevel,
  whatIf,
  type WhatIfAsk,
} from '../../../../main/domain/predict/what-if';
import {
  whatIfFacts,
  type WhatIfField,
  whatIfLines,
  whatIfNotes,
  whatIfProblem,
  whatIfText,
} from '../../../../main/domain/predict/what-if-text';
import { CopyButton } from '../../../components/copy-button';
import { useTypedNumber } from '../../../components/input/use-typed-number';
import { Panel } from '../../../components/panel';
import { Facts } from '../../../components/table';

type Shown = Extract<WhatIfField, 'rate' | 'concurrency' | 'instances' | 'maxBatchSize' | 'maxQueueDelayUs'>;

const looks: Readonly<Record<Shown, { label: string; title: string }>> = {
  rate: {
    label: 'Rate (requests/s)',
    title: 'Requests per second with Poisson arrivals. Empty: the concurrency is used.',
  },
  concurrency: {
    label: 'Concurrency',
    title: 'Requests in flight, in place of a rate. Empty: the rate is used.',
  },
  instances: { label: 'Instances', title: 'Model instances. Default: those of the run.' },
  maxBatchSize: { label: 'Maximum batch size', title: 'Default: that of the run.' },
  maxQueueDelayUs: { label: 'Queue delay (µs)', title: 'Maximum queue delay. Default: that of the run.' },
};
const shownFields = Object.keys(looks) as readonly Shown[];

function AskField(props: {
  field: Shown;
  value: number | undefined;
  error: string | undefined;
  onType: (value: number | null) => void;
}) {
  const { field, value, error, onType } = props;
  const typed = useTypedNumber(value ?? null, onType);
  return (
    <NumberInput
      size="xs"
      w={136}
      {...looks[field]}
      hideControls
      thousandSeparator=","
      error={error}
      {...typed}
    />
  );
}

function usualAsk(state: RunState): WhatIfAsk | null {
  const run = predictableRun(state);
  if (!isPredictable(run)) return null;
  const { instances, maxBatchSize, maxQueueDelayUs } = run.configure;
  const level = usualLevel(run);
  const load =
    level?.requestRate === undefined ? { concurrency: level?.concurrency ?? 1 } : { rate: level.requestRate };
  return { ...load, instances, maxBatchSize, maxQueueDelayUs };
}

function PredictedAnswer({ state, ask }: { state: RunState; ask: WhatIfAsk }) {
  const found = useMemo(() => whatIf(state, ask), [state, ask]);
  return (
    <>
      <div className="row">
        <strong role="status">{whatIfText(found)}</strong>
        <CopyButton label="Copy as text" text={() => whatIfLines(found).join('\n')} />
      </div>
      {isPredicted(found) ? (
        <>
          {whatIfNotes(found).map((note) => (
            <div key={note} className={found.predicted.isOutside ? 'tone-warn' : 'dim'}>
              {note}
            </div>
          ))}
          <Facts facts={whatIfFacts(found)} />
        </>
      ) : null}
    </>
  );
}

/** What the model would do under another load or configuration. Nothing for a run that nothing can be predicted from. */
export const PredictPanel = memo(function PredictPanel({ state }: { state: RunState }) {
  const usual = useMemo(() => usualAsk(state), [state]);
  const [typed, setTyped] = useState<WhatIfAsk>({});
  const ask = useMemo(() => ({ ...usual, ...typed }), [usual, typed]);
  if (usual === null) return null;
  const problem = whatIfProblem(ask);
  const onType = (field: Shown, value: number | null): void => {
    const next = { ...typed, [field]: value ?? undefined };
    // A load has one of the two.
    if (field === 'rate' && value !== null) setTyped({ ...next, concurrency: undefined });
    else if (field === 'concurrency' && value !== null) setTyped({ ...next, rate: undefined });
    else setTyped(next);
  };
  return (
    <Panel title="What if" note="Predicted from the measured execution times; nothing is measured">
      <div className="panel-body stack">
        <div className="row wrap capacity-fields">
          {shownFields.map((field) => (
            <AskField
              key={field}
              field={field}
              value={ask[field]}
              error={problem?.field === field ? `${problem.message}.` : undefined}
              onType={(value) => onType(field, value)}
            />
          ))}
        </div>
        {problem === null ? <PredictedAnswer state={state} ask={ask} /> : null}
      </div>
    </Panel>
  );
});
