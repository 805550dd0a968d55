import { Button } from '@mantine/core';
import { toWire, type WireError } from '../../../../main/contract/errors';
import type { LoadQuestion, StudySpec } from '../../../../main/contract/study/study';
import type { Client } from '../../../client';
import { AskFirst } from '../../../components/confirm-in-place';
import { ErrorPanel } from '../../../components/error-panel';
import { useAnswer } from '../../../use-answer';
import { useFormWork } from '../../../use-form-work';
import { useWorkbench } from '../../../workbench';

interface Planned<Plan> {
  readonly plan: Plan | null;
  readonly error: WireError | null;
  /** False: of an earlier request, as this one is still asked. */
  readonly isCurrent: boolean;
}

/**
 * @param request null: nothing to ask yet
 * @param times a request is asked once more for another number
 */
export function usePlan<Request, Plan>(
  ask: (client: Client, request: Request) => Promise<Plan>,
  request: Request | null,
  times = 0,
): Planned<Plan> {
  const key = JSON.stringify([request, times]);
  const { value } = useAnswer(async (client) => {
    if (request === null) return { key, plan: null, error: null };
    return ask(client, request).then(
      (plan) => ({ key, plan, error: null }),
      (failure: unknown) => ({ key, plan: null, error: toWire(failure) }),
    );
  }, key);
  const isCurrent = value?.key === key;
  return { plan: request === null ? null : (value?.plan ?? null), error: value?.error ?? null, isCurrent };
}

/** Starts what was planned and opens its page; where models are loaded on a Triton that runs already, after a question. */
export function StartPlanned(props: {
  plan: { readonly spec: StudySpec; readonly asks?: LoadQuestion | undefined };
  isCurrent: boolean;
  text: string;
  /** Of the answer to the question: "Load and search". */
  action: string;
  onStarted: () => void;
}) {
  const { plan, isCurrent, text, action, onStarted } = props;
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
      {text}
    </Button>
  );
  const startNow = (): void => begin('submit', start);
  return (
    <>
      {error === null ? null : <ErrorPanel error={error} />}
      {asks === undefined || !isCurrent ? (
        button(startNow)
      ) : (
        <AskFirst question={asks.question} action={action} onConfirm={startNow}>
          {button}
        </AskFirst>
      )}
    </>
  );
}

/** What is loaded on a Triton that runs already, and what is unloaded. */
export function LoadFacts({ asks }: { asks: LoadQuestion | undefined }) {
  return asks === undefined ? null : (
    <ul className="dim" aria-label="Running Triton">
      {asks.facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}

/** What was chosen and why. */
export function PlanNotes({ label, notes }: { label: string; notes: readonly string[] }) {
  return (
    <div className="planned-runs dim" tabIndex={0} role="region" aria-label={label}>
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </div>
  );
}
