import { Button, Modal, NumberInput, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { SearchRequest } from '../../../main/contract/study/search';
import { durationText } from '../../../main/domain/run/time-left';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { counted } from '../../format/words';
import type { SearchSubject } from '../../stores/overlay';
import { useAnswer } from '../../use-answer';
import { onSubmit, useFormWork } from '../../use-form-work';
import { useWorkbench } from '../../workbench';
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

function Plan({ request, onStarted }: { request: SearchRequest; onStarted: () => void }) {
  const { client, studies, route } = useWorkbench();
  const plan = useAnswer((of) => of.call('searches.plan', request), JSON.stringify(request));
  const { busy, error, begin } = useFormWork();
  if (plan.error !== null) return <ErrorPanel error={plan.error} />;
  if (plan.value === null) return <Loading label="Planning the search" />;
  const { spec, search, candidates, notes } = plan.value;
  const start = async (): Promise<void> => {
    await client.call('studies.start', { spec });
    await studies.getState().load();
    onStarted();
    route.getState().go({ page: 'studies', name: spec.name });
  };
  return (
    <>
      <p role="status">
        {counted(candidates.length, 'configuration')}, at most {durationText(search.budgetS)} of load.
      </p>
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
      {error === null ? null : <ErrorPanel error={error} />}
      <Button loading={busy !== null} onClick={() => begin('submit', start)}>
        Start search
      </Button>
    </>
  );
}

function SearchForm({ subject, onDone }: { subject: SearchSubject; onDone: () => void }) {
  const [load, setLoad] = useState<SearchRequest['load']>('open');
  const [latencyMs, setLatencyMs] = useState<number | string>('');
  const [minutes, setMinutes] = useState<number | string>(usualMinutes);
  const [replay, setReplay] = useState(noReplay);
  const [tried, setTried] = useState(noneTried);
  const request: SearchRequest = {
    ...subject,
    space: spaceOf(tried),
    load,
    ...(typeof latencyMs === 'number' && latencyMs > 0 ? { latencyUs: Math.round(latencyMs * 1000) } : {}),
    ...(typeof minutes === 'number' && minutes > 0 ? { budgetS: minutes * 60 } : {}),
    ...(load === 'open' ? replayOf(replay) : {}),
  };
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
      <TriedValues tried={tried} onChange={setTried} />
      {hasWrongValues(tried) ? null : <Plan request={request} onStarted={onDone} />}
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
