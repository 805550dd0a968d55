import { Button, Modal, NumberInput, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { toWire, type WireError } from '../../../main/contract/errors';
import type { SearchRequest } from '../../../main/contract/study/search';
import type { SearchPlan } from '../../../main/contract/study/study';
import { durationText } from '../../../main/domain/run/time-left';
import { AskFirst } from '../../components/confirm-in-place';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { counted } from '../../format/words';
import type { SearchSubject } from '../../stores/overlay';
import { useAnswer } from '../../use-answer';
import { onSubmit, useFormWork } from '../../use-form-work';
import { useWorkbench } from '../../workbench';
import { PlaceField, placeFieldOf, placeOf, usualPlace } from './search/place-field';
import { noReplay, ReplayField, replayOf } from './search/replay-field';
import { hasWrongValues, noneTried, spaceOf, TriedValues } from './search/tried-values';

const loads = [
  { value: 'open', label: 'Highest rate' },
  { value: 'closed', label: 'Highest concurrency' },
];
const loadHelp: Readonly<Record<SearchRequest['load'], string>> = {
  open: 'Requests are sent at Poisson times or those of a trace, whether the ones before are answered or not: what can be promised.',
  closed: 'A fixed number of requests is under way.',
};

const usualMinutes = 5;

interface Planned {
  readonly plan: SearchPlan | null;
  readonly error: WireError | null;
  /** False: of an earlier request, as this one is still asked. */
  readonly isCurrent: boolean;
}

/**
 * @param request null: nothing to ask yet
 * @param times a request is asked once more for another number
 */
function usePlan(request: SearchRequest | null, times: number): Planned {
  const key = JSON.stringify([request, times]);
  const { value } = useAnswer(async (of) => {
    if (request === null) return { key, plan: null, error: null };
    return of.call('searches.plan', request).then(
      (plan) => ({ key, plan, error: null }),
      (failure: unknown) => ({ key, plan: null, error: toWire(failure) }),
    );
  }, key);
  const isCurrent = value?.key === key;
  return { plan: request === null ? null : (value?.plan ?? null), error: value?.error ?? null, isCurrent };
}

function Start(props: { plan: SearchPlan; isCurrent: boolean; onStarted: () => void }) {
  const { plan, isCurrent, onStarted } = props;
  const { client, studies, route } = useWorkbench();
  const { busy, error, begin } = useFormWork();
  const { spec, asks } = plan;
  const start = async (): Promise<void> => {
    await client.call('studies.start', { spec });
    await studies.getState().load();
    onStarted();
    route.getState().go({ page: 'studies', name: spec.name });
  };
  const button = (ask: () => void) => (
    <Button loading={busy !== null} disabled={!isCurrent} onClick={ask}>
      Start search
    </Button>
  );
  const startNow = (): void => begin('submit', start);
  return (
    <>
      {error === null ? null : <ErrorPanel error={error} />}
      {asks === undefined || !isCurrent ? (
        button(startNow)
      ) : (
        <AskFirst question={asks.question} action="Load and search" onConfirm={startNow}>
          {button}
        </AskFirst>
      )}
    </>
  );
}

function Plan({ plan }: { plan: SearchPlan }) {
  const { search, candidates, notes, asks } = plan;
  return (
    <>
      <p role="status">
        {counted(candidates.length, 'configuration')}, at most {durationText(search.budgetS)} of load.
      </p>
      {asks === undefined ? null : (
        <ul className="dim" aria-label="Running Triton">
          {asks.facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      )}
      <div className="planned-runs dim" tabIndex={0} role="region" aria-label="Configurations to compare">
        <ul>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
          {candidates.map((candidate, at) => (
            <li key={candidate}>
              {at + 1}: {candidate}
            </li>
          ))}
        </ul>
      </div>
    </>
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
  const { plan, error, isCurrent } = usePlan(request, place.times);
  return (
    <form className="stack" onSubmit={onSubmit(() => undefined)}>
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
          label="Most load (minutes)"
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
      {error === null || placeFieldOf(error) !== null ? null : <ErrorPanel error={error} />}
      {plan === null && !isCurrent ? <Loading label="Planning the search" /> : null}
      {plan === null ? null : (
        <>
          <Plan plan={plan} />
          <Start plan={plan} isCurrent={isCurrent} onStarted={onDone} />
        </>
      )}
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
