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
import { PlaceField, placeFieldOf } from './search/place-field';
import { PlannedEnd, usePlan } from './search/plan-search';
import { ReplayField } from './search/replay-field';
import { likeOf, searchRequestOf, type SearchText, searchTextOf } from './search/search-request';
import { TriedValues } from './search/tried-values';

const loads = [
  { value: 'open', label: 'Highest rate' },
  { value: 'closed', label: 'Highest concurrency' },
];
const loadHelp: Readonly<Record<SearchRequest['load'], string>> = {
  open: 'Requests arrive as a Poisson process or at the times of a trace, independent of earlier responses. The result is a rate that can be promised.',
  closed: 'A fixed number of requests is in flight.',
};

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

interface FormPart {
  readonly typed: SearchText;
  readonly subject: SearchSubject;
  readonly onChange: (more: Partial<SearchText>) => void;
}

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

function LatencyAndTime({ typed, subject, onChange }: FormPart) {
  const { latencyMs, minutes } = typed;
  const { percentile = 99, objective } = likeOf(subject) ?? {};
  const ofRun = objective?.kind === 'latency' ? 'none' : 'from the run';
  return (
    <div className="row">
      <NumberInput
        label={`Largest p${percentile} (ms)`}
        flex={1}
        min={0}
        placeholder={'runId' in subject ? ofRun : 'from the settings'}
        value={latencyMs}
        onChange={(value) => onChange({ latencyMs: value })}
      />
      <NumberInput
        label="Maximum time under load (minutes)"
        flex={1}
        min={0.5}
        max={600}
        value={minutes}
        onChange={(value) => onChange({ minutes: value })}
      />
    </div>
  );
}

function SearchForm({ subject, onDone }: { subject: SearchSubject; onDone: () => void }) {
  const [typed, setTyped] = useState(() => searchTextOf(subject));
  const onChange = (more: Partial<SearchText>): void => setTyped({ ...typed, ...more });
  const { load, replay, place, tried } = typed;
  const planned = usePlan(planSearch, searchRequestOf(typed, subject), place.times);
  const { error, isCurrent } = planned;
  return (
    <form className="stack" onSubmit={onSubmit(() => undefined)}>
      {likeOf(subject) === null ? (
        <TogetherWithOthers subject={subject} />
      ) : (
        <p className="dim">The same search again, with twice the maximum time under load.</p>
      )}
      <SegmentedControl
        aria-label="Load"
        data={loads}
        value={load}
        onChange={(value) => onChange({ load: value === 'closed' ? 'closed' : 'open' })}
      />
      <p className="dim">{loadHelp[load]}</p>
      <LatencyAndTime {...{ typed, subject, onChange }} />
      {load === 'open' ? <ReplayField replay={replay} onChange={(to) => onChange({ replay: to })} /> : null}
      <PlaceField
        place={place}
        error={error}
        isAsking={!isCurrent}
        onChange={(to) => onChange({ place: to })}
      />
      <TriedValues tried={tried} onChange={(to) => onChange({ tried: to })} />
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
