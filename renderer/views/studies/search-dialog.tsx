import { Modal, NumberInput, SegmentedControl } from '@mantine/core';
import { IconStack2 } from '@tabler/icons-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { SearchRequest } from '../../../main/contract/study/search';
import type { SearchPlan } from '../../../main/contract/study/study';
import { durationText } from '../../../main/domain/run/time-left';
import type { Client } from '../../client';
import { TextAction } from '../../components/actions';
import { counted } from '../../format/words';
import type { SearchSubject } from '../../stores/overlay';
import { onSubmit } from '../../use-form-work';
import { useWorkbench } from '../../workbench';
import { PlaceField, placeFieldOf, placeOf, usualPlace } from './search/place-field';
import { PlannedEnd, usePlan } from './search/plan-search';
import { noReplay, ReplayField, replayOf } from './search/replay-field';
import { hasWrongValues, noneTried, spaceOf, TriedValues } from './search/tried-values';

const loads = [
  { value: 'open', label: 'Highest rate' },
  { value: 'closed', label: 'Highest concurrency' },
];
const loadHelp: Readonly<Record<SearchRequest['load'], string>> = {
  open: 'Requests arrive as a Poisson process or at the times of a trace, independent of earlier responses. The result is a rate that can be promised.',
  closed: 'A fixed number of requests is in flight.',
};

const usualMinutes = 5;

/** What is compared, numbered, below why. */
const planSearch = async (client: Client, request: SearchRequest) => {
  const plan = await client.call('searches.plan', request);
  const { candidates } = plan;
  return { ...plan, notes: [...plan.notes, ...candidates.map((candidate, at) => `${at + 1}: ${candidate}`)] };
};

const summaryOf = ({ search, candidates }: SearchPlan): string =>
  `${counted(candidates.length, 'configuration')}, at most ${durationText(search.budgetS)} of load.`;

const words = {
  ...{ of: 'search', notes: 'Configurations to compare' },
  ...{ start: 'Start search', action: 'Load and search' },
};

/** The model of a run, beside others that share its machine. */
function TogetherWithOthers({ subject }: { subject: SearchSubject }) {
  const { overlay } = useWorkbench();
  if (!('runId' in subject)) return null;
  return (
    <div>
      <TextAction
        icon={IconStack2}
        text="Together with other models…"
        label="Together with other models…"
        onClick={() => overlay.getState().searchTogether([subject.runId])}
      />
    </div>
  );
}

function SearchForm({ subject, onDone }: { subject: SearchSubject; onDone: () => void }) {
  const [load, setLoad] = useState<SearchRequest['load']>('open');
  const [latencyMs, setLatencyMs] = useState<number | string>('');
  const [minutes, setMinutes] = useState<number | string>(usualMinutes);
  const [replay, setReplay] = useState(noReplay);
  const [tried, setTried] = useState(noneTried);
  const [place, setPlace] = useState(usualPlace);
  const server = placeOf(place);
  const request: SearchRequest | null =
    server === null || hasWrongValues(tried)
      ? null
      : {
          ...subject,
          space: spaceOf(tried),
          load,
          ...(typeof latencyMs === 'number' && latencyMs > 0
            ? { latencyUs: Math.round(latencyMs * 1000) }
            : {}),
          ...(typeof minutes === 'number' && minutes > 0 ? { budgetS: minutes * 60 } : {}),
          ...(load === 'open' ? replayOf(replay) : {}),
          ...server,
        };
  const planned = usePlan(planSearch, request, place.times);
  const { error, isCurrent } = planned;
  return (
    <form className="stack" onSubmit={onSubmit(() => undefined)}>
      <TogetherWithOthers subject={subject} />
      <SegmentedControl
        aria-label="Load"
        data={loads}
        value={load}
        onChange={(value) => setLoad(value === 'closed' ? 'closed' : 'open')}
      />
      <p className="dim">{loadHelp[load]}</p>
      <div className="row">
        <NumberInput
          label="Largest p99 (ms)"
          flex={1}
          min={0}
          placeholder={'runId' in subject ? 'from the run' : 'from the settings'}
          value={latencyMs}
          onChange={setLatencyMs}
        />
        <NumberInput
          label="Maximum time under load (minutes)"
          flex={1}
          min={0.5}
          max={600}
          value={minutes}
          onChange={setMinutes}
        />
      </div>
      {load === 'open' ? <ReplayField replay={replay} onChange={setReplay} /> : null}
      <PlaceField place={place} error={error} isAsking={!isCurrent} onChange={setPlace} />
      <TriedValues tried={tried} onChange={setTried} />
      <PlannedEnd
        {...{ planned, words }}
        isAtField={error !== null && placeFieldOf(error) !== null}
        summary={summaryOf}
        onStarted={onDone}
      />
    </form>
  );
}

export function SearchDialog() {
  const { overlay } = useWorkbench();
  const { searched, close } = useStore(overlay);
  return (
    <Modal opened={searched !== null} onClose={close} title="Find the best configuration" size="lg">
      {searched === null ? null : <SearchForm subject={searched} onDone={close} />}
    </Modal>
  );
}
