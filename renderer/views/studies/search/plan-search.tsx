import { Button } from '@mantine/core';
import { toWire, type WireError } from '../../../../main/contract/errors';
import type { LoadQuestion, StudySpec } from '../../../../main/contract/study/study';
import type { Client } from '../../../client';
import { AskFirst } from '../../../components/confirm-in-place';
import { ErrorPanel } from '../../../components/error-panel';
import { Loading } from '../../../components/loading';
import { useAnswer } from '../../../use-answer';
import { useFormWork } from '../../../use-form-work';
import { useWorkbench } from '../../../workbench';
import { beginStudy } from '../begin-study';

interface Planned<Plan> {
  readonly plan: Plan | null;
  readonly error: WireError | null;
  /** False: of an earlier request, as this one is still asked. */
  readonly isCurrent: boolean;
  /** Nothing to ask yet. */
  readonly isOpen: boolean;
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
  const isOpen = request === null;
  return {
    plan: isOpen ? null : (value?.plan ?? null),
    error: value?.error ?? null,
    isCurrent: value?.key === key,
    isOpen,
  };
}

interface Startable {
  readonly spec: StudySpec;
  /** Where models are loaded on a Triton that is already running. */
  readonly asks?: LoadQuestion | undefined;
  /** What was chosen and why. */
  readonly notes: readonly string[];
}

interface Words {
  /** "search": of what is planned. */
  readonly of: string;
  /** Of the notes: "Configurations to compare". */
  readonly notes: string;
  /** Of the button: "Start search". */
  readonly start: string;
  /** Of the answer to the question: "Load and search". */
  readonly action: string;
}

/** Starts what was planned and opens its page; after a question where the plan has one. */
function StartButton(props: { plan: Startable; isCurrent: boolean; words: Words; onStarted: () => void }) {
  const { plan, isCurrent, words, onStarted } = props;
  const workbench = useWorkbench();
  const { busy, error, begin } = useFormWork();
  const { spec, asks } = plan;
  const start = async (): Promise<void> => {
    await beginStudy(workbench, spec);
    onStarted();
  };
  const button = (ask: () => void) => (
    <Button loading={busy !== null} disabled={!isCurrent} onClick={ask}>
      {words.start}
    </Button>
  );
  const startNow = (): void => begin('submit', start);
  return (
    <>
      {error === null ? null : <ErrorPanel error={error} />}
      {asks === undefined || !isCurrent ? (
        button(startNow)
      ) : (
        <AskFirst question={asks.question} action={words.action} onConfirm={startNow}>
          {button}
        </AskFirst>
      )}
    </>
  );
}

function Notes({ label, notes }: { label: string; notes: readonly string[] }) {
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

/** What is loaded on a Triton that is already running, and what is unloaded. */
function LoadFacts({ asks }: Pick<Startable, 'asks'>) {
  return asks === undefined ? null : (
    <ul className="dim" aria-label="Running Triton">
      {asks.facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}

/**
 * How every dialog ends that starts a study which measures by itself: what is wrong, or what will be done and the button.
 * @param props.isAtField the error is shown at the field that it is about
 */
export function PlannedEnd<Plan extends Startable>(props: {
  planned: Planned<Plan>;
  words: Words;
  isAtField?: boolean;
  summary: (plan: Plan) => string;
  onStarted: () => void;
}) {
  const { planned, words, isAtField = false, summary, onStarted } = props;
  const { plan, error, isCurrent, isOpen } = planned;
  return (
    <>
      {error === null || isAtField ? null : <ErrorPanel error={error} />}
      {plan === null && !isCurrent && !isOpen ? <Loading label={`Planning the ${words.of}`} /> : null}
      {plan === null ? null : (
        <>
          <p role="status">{summary(plan)}</p>
          <LoadFacts asks={plan.asks} />
          <Notes label={words.notes} notes={plan.notes} />
          <StartButton {...{ plan, isCurrent, words, onStarted }} />
        </>
      )}
    </>
  );
}
