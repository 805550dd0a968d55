import { Modal, NativeSelect, NumberInput, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { toWire } from '../../../../main/contract/errors';
import { formatDuration } from '../../../../main/contract/numbers';
import type { ServedModel } from '../../../../main/contract/run/measure-request';
import type { SoakRequest } from '../../../../main/contract/study/soak';
import type { SoakPlan } from '../../../../main/contract/study/study';
import { soakLevelText } from '../../../../main/domain/study/soak/soak-text';
import type { Client } from '../../../client';
import { onText } from '../../../handlers';
import type { SoakTarget } from '../../../stores/overlay';
import { useAnswer } from '../../../use-answer';
import { onSubmit } from '../../../use-form-work';
import { useWorkbench } from '../../../workbench';
import { PlannedEnd, usePlan } from '../search/plan-search';
import { missingText, type SoakLoadKind, soakRequestOf, type SoakText, soakTextOf } from './soak-request';
import { type AskedServer, SoakSubject } from './soak-subject';

const loads: readonly { readonly value: SoakLoadKind; readonly label: string; readonly field: string }[] = [
  { value: 'share', label: 'Share of the run', field: 'Share of the run’s rate (%)' },
  { value: 'rate', label: 'Request rate', field: 'Rate (requests/s)' },
  { value: 'concurrency', label: 'Concurrency', field: 'Requests in flight' },
];
const loadHelp: Readonly<Record<SoakLoadKind, string>> = {
  share: 'Requests arrive as a Poisson process, independent of earlier responses.',
  rate: 'Requests arrive as a Poisson process, independent of earlier responses.',
  concurrency: 'Each request follows the response to an earlier one.',
};

interface PartProps {
  text: SoakText;
  onChange: (change: Partial<SoakText>) => void;
}

function TimeAndLoad({ text, onChange }: PartProps) {
  const { kind, load, amount, time, timeUnit } = text;
  const offered = loads.filter(({ value }) => kind !== 'server' || value !== 'share');
  const field = loads.find(({ value }) => value === load)?.field ?? '';
  return (
    <>
      <div className="row">
        <NumberInput
          label="Time under load"
          flex={2}
          min={0}
          value={time}
          onChange={(value) => onChange({ time: value })}
        />
        <NativeSelect
          label="Unit of the time"
          flex={1}
          data={['hours', 'minutes']}
          value={timeUnit}
          onChange={onText((unit) => onChange({ timeUnit: unit === 'minutes' ? 'minutes' : 'hours' }))}
        />
      </div>
      <SegmentedControl
        aria-label="Load"
        data={offered.map(({ value, label }) => ({ value, label }))}
        value={load}
        onChange={(value) => onChange({ load: loads.find((one) => one.value === value)?.value ?? 'rate' })}
      />
      <p className="dim">{loadHelp[load]}</p>
      <NumberInput
        label={field}
        min={0}
        value={amount[load]}
        onChange={(value) => onChange({ amount: { ...amount, [load]: value } })}
      />
    </>
  );
}

function More({ text, onChange }: PartProps) {
  return (
    <details>
      <summary>Batch size, unloading, and a limit</summary>
      <div className="fields measure-load">
        <NumberInput
          label="Batch size per request"
          min={1}
          allowDecimal={false}
          placeholder={text.kind === 'server' ? '1' : 'from the run'}
          value={text.batchSize}
          onChange={(batchSize) => onChange({ batchSize })}
        />
        <NumberInput
          label="Maximum RSS growth (MB per hour)"
          min={0}
          placeholder="no limit"
          value={text.growth}
          onChange={(growth) => onChange({ growth })}
        />
        <NumberInput
          label="Unload and load again every"
          min={0}
          placeholder="never"
          value={text.reload}
          onChange={(reload) => onChange({ reload })}
        />
        <NativeSelect
          label="Unit of unloading"
          data={['requests', 'seconds']}
          value={text.reloadUnit}
          onChange={onText((unit) => onChange({ reloadUnit: unit === 'seconds' ? 'seconds' : 'requests' }))}
        />
      </div>
    </details>
  );
}

/** What the address serves that was typed to its end. */
function useServer({ kind, asked, times }: SoakText): AskedServer {
  const address = kind === 'server' && asked?.url !== '' ? asked : null;
  const key = JSON.stringify([address, times]);
  const { value } = useAnswer(async (client) => {
    if (address === null) return { key, server: null, error: null };
    return client.call('servers.describe', { ...address }).then(
      (server) => ({ key, server, error: null }),
      (failure: unknown) => ({ key, server: null, error: toWire(failure) }),
    );
  }, key);
  const answer = value?.key === key ? value : null;
  return { server: answer?.server ?? null, error: answer?.error ?? null, isAsking: answer === null };
}

const planSoak = (client: Client, request: SoakRequest): Promise<SoakPlan> =>
  client.call('soaks.plan', request);

const summaryOf = ({ soak: { title, forMs, level } }: SoakPlan): string =>
  `${title} for ${formatDuration(forMs * 1000)}, ${soakLevelText(level)}.`;

const words = {
  ...{ of: 'soak', notes: 'What is sent and read' },
  ...{ start: 'Start soak', action: 'Unload and soak' },
};

function SoakForm({ target, onDone }: { target: SoakTarget; onDone: () => void }) {
  const [text, setText] = useState(() => soakTextOf(target));
  const change = (more: Partial<SoakText>): void => setText({ ...text, ...more });
  const asked = useServer(text);
  const model: ServedModel | null = asked.server?.models.find(({ name }) => name === text.model) ?? null;
  const request = soakRequestOf(text, model);
  const planned = usePlan(planSoak, request);
  const missing = missingText(text, model);
  return (
    <form className="stack" onSubmit={onSubmit(() => undefined)}>
      <SoakSubject {...{ text, asked, model }} onChange={change} />
      <TimeAndLoad text={text} onChange={change} />
      <More text={text} onChange={change} />
      {missing === null ? null : <p role="status">{missing}</p>}
      <PlannedEnd {...{ planned, words }} summary={summaryOf} onStarted={onDone} />
    </form>
  );
}

/** The same load for hours, while the memory of the server is read: from its subject to its page. */
export function SoakDialog() {
  const { overlay } = useWorkbench();
  const { soaked, close } = useStore(overlay);
  return (
    <Modal opened={soaked !== null} onClose={close} title="Does its memory grow?" size="lg">
      {soaked === null ? null : <SoakForm target={soaked} onDone={close} />}
    </Modal>
  );
}
