import { Modal, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { DuelRequest } from '../../../main/contract/study/duel';
import type { DuelPlan } from '../../../main/contract/study/study';
import { durationText } from '../../../main/domain/run/time-left';
import type { Client } from '../../client';
import type { DuelPair } from '../../stores/overlay';
import { onSubmit } from '../../use-form-work';
import { useWorkbench } from '../../workbench';
import { PlaceField, placeFieldOf, placeOf, usualPlace } from './search/place-field';
import { PlannedEnd, usePlan } from './search/plan-search';

const usualMinutes = 5;

const planDuel = (client: Client, request: DuelRequest): Promise<DuelPlan> =>
  client.call('duels.plan', request);

const words = {
  ...{ of: 'comparison', notes: 'What is measured' },
  ...{ start: 'Start measuring', action: 'Load and measure' },
};

function DuelForm({ pair, onDone }: { pair: DuelPair; onDone: () => void }) {
  const [place, setPlace] = useState(usualPlace);
  const [minutes, setMinutes] = useState<number | string>(usualMinutes);
  const at = placeOf(place);
  const request: DuelRequest | null =
    at === null
      ? null
      : {
          between: pair,
          ...(typeof minutes === 'number' && minutes > 0 ? { budgetS: minutes * 60 } : {}),
          ...(at.server === undefined ? {} : { server: at.server }),
        };
  const planned = usePlan(planDuel, request, place.times);
  const { error, isCurrent } = planned;
  return (
    <form className="stack" onSubmit={onSubmit(() => undefined)}>
      <p className="dim">
        Serves both again side by side, and measures them in turns until the difference is clear.
      </p>
      <NumberInput
        label="Maximum time under load (minutes)"
        min={0.5}
        max={600}
        value={minutes}
        onChange={setMinutes}
      />
      <PlaceField place={place} withHosts={false} error={error} isAsking={!isCurrent} onChange={setPlace} />
      <PlannedEnd
        {...{ planned, words }}
        isAtField={error !== null && placeFieldOf(error) !== null}
        summary={({ duel }) => `At most ${durationText(duel.budgetS)} of load.`}
        onStarted={onDone}
      />
    </form>
  );
}

/** Two runs that are measured in turns: where, and how long at most. */
export function DuelDialog() {
  const { overlay } = useWorkbench();
  const { duel, close } = useStore(overlay);
  return (
    <Modal opened={duel !== null} onClose={close} title="Measure both until it is clear" size="lg">
      {duel === null ? null : <DuelForm pair={duel} onDone={close} />}
    </Modal>
  );
}
