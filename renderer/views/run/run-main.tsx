import { IconRepeat } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { importedFileOf, serverLoadOf, specOf } from '../../../main/contract/run/run-source';
import type { RunState } from '../../../main/contract/run/run-state';
import { type MetricTitles, metricTitlesOf } from '../../../main/contract/words';
import { againTime, againTitle, offeredAgain } from '../../../main/domain/measured/again';
import { answerOf } from '../../../main/domain/measured/answer';
import { doubtsOf } from '../../../main/domain/measured/doubts';
import { keyFigures } from '../../../main/domain/measured/key-figures';
import { measuredPoints } from '../../../main/domain/measured/points';
import { endVerdict, type Verdict } from '../../../main/domain/measured/verdict';
import { SmallButton } from '../../components/actions';
import { Answer } from '../../components/answer';
import { FigurePanel } from '../../components/figure-panel';
import { hasFailed } from '../../stores/run-work';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';
import { RunHistory } from '../runs/run-history';
import { AccuracyPanel } from './accuracy-panel';
import { ColdStartPanel } from './cold-start-panel';
import { FailurePanel } from './failure-panel';
import { LimitsPanel } from './limits-panel';
import { LivePanel } from './live/live-panel';
import { Measurements } from './measurements';
import {
  ChangesNotice,
  ImportPanel,
  JobNotice,
  LeftOutNotice,
  OriginNotice,
  ServerPanel,
  StoppedNotice,
  WaitingNotice,
} from './notices';
import { CapacityPanel } from './plan/capacity-panel';
import { PredictPanel } from './plan/predict-panel';
import { showsMeasurements } from './shown-step';
import { SlowPanel } from './slow-panel';

/** The same before, at and after the end of a run. */
function Figures({ state, titles }: { state: RunState; titles: MetricTitles }) {
  return (
    <div className="figures">
      {keyFigures(state, titles).map((figure) => (
        <FigurePanel key={figure.label} figure={figure} />
      ))}
    </div>
  );
}

/** Green needs an answer without doubt, of a complete run that passed its accuracy gate. */
const isSure = (state: RunState): boolean =>
  state.status === 'done' && !state.unverified && (answerOf(state)?.isSure ?? false);

function MeasureAgain({ state }: { state: RunState }) {
  const { client, run } = useWorkbench();
  const [busy, working] = useWork();
  const again = offeredAgain(state);
  const { runId } = state;
  if (again === null) return null;
  const hasOthers = measuredPoints(state).length > again.levels.length;
  return (
    <>
      <SmallButton
        icon={IconRepeat}
        loading={busy}
        onClick={working(async () => {
          await client.call('runs.resume', { runId, again: true });
          await run.getState().open(runId);
        })}
      >
        {againTitle(again)}
      </SmallButton>
      <span className="dim small">
        {againTime(again)} of measuring. {hasOthers ? 'The other levels are kept; the' : 'The'} old figures
        stay in the journal.
      </span>
    </>
  );
}

function RunAnswer({ state, verdict }: { state: RunState; verdict: Verdict }) {
  const { lead, doubts, partial } = verdict;
  return (
    <Answer
      text={lead}
      tone={isSure(state) ? 'good' : 'warn'}
      notes={[...doubts, ...(partial === null ? [] : [partial])].map((line) => (
        <div key={line} className="tone-warn">
          {line}
        </div>
      ))}
      actions={<MeasureAgain state={state} />}
    />
  );
}

function DoubtsPanel({ state }: { state: RunState }) {
  const doubts = useMemo(() => doubtsOf(state), [state]);
  if (doubts.length === 0) return null;
  return (
    <details className="panel folded" aria-label="What is doubtful">
      <summary>
        What is doubtful <span className="dim">{doubts.length}</span>
      </summary>
      <ul className="panel-body doubts-list">
        {doubts.map((doubt) => (
          <li key={doubt}>{doubt}</li>
        ))}
      </ul>
    </details>
  );
}

function Conclusions({ state }: { state: RunState }) {
  return (
    <>
      <LimitsPanel state={state} />
      <PredictPanel key={`what if ${state.runId}`} state={state} />
      <CapacityPanel key={state.runId} state={state} />
    </>
  );
}

/** Of a run under way from its first window on. */
function useMeasured(state: RunState): boolean {
  const { run } = useWorkbench();
  // A boolean: the level changes with every window.
  const hasWindows = useStore(run, ({ level }) => level !== null);
  return showsMeasurements(state) || (state.status === 'running' && hasWindows);
}

export function RunMain({ state, onOpenLog }: { state: RunState; onOpenLog: () => void }) {
  const { presets } = useWorkbench();
  const spec = specOf(state);
  const [file, load] = [importedFileOf(state), serverLoadOf(state)];
  const preset = useStore(presets, (list) =>
    spec === null ? undefined : list.value?.find(({ id }) => id === spec.model.preset),
  );
  const titles = preset === undefined ? {} : metricTitlesOf(preset);
  const verdict = endVerdict(state, titles);
  const measurements = useMeasured(state);
  const answered = verdict !== null && measurements;
  return (
    <div className="run-main" tabIndex={0} role="region" aria-label="Results">
      <div className={answered ? 'stack' : 'stack measured-nothing'}>
        {state.error !== null && hasFailed(state.status) ? (
          <FailurePanel
            key={`${state.runId} ${state.attempt}`}
            state={state}
            error={state.error}
            onOpenLog={onOpenLog}
          />
        ) : null}
        {file === null ? null : <ImportPanel source={file} />}
        {load === null ? null : <ServerPanel load={load} />}
        {state.waitsFor === null ? null : <WaitingNotice waitsFor={state.waitsFor} />}
        <JobNotice state={state} />
        <OriginNotice state={state} />
        <LeftOutNotice state={state} />
        <StoppedNotice state={state} />
        {answered ? <RunAnswer state={state} verdict={verdict} /> : null}
        <ChangesNotice changes={state.specChanges} />
        <LivePanel state={state} preset={preset} measured={measurements} />
        {measurements ? (
          <>
            <Figures state={state} titles={titles} />
            {verdict === null ? null : <DoubtsPanel state={state} />}
            <Measurements state={state} />
            <SlowPanel state={state} />
            {verdict === null ? null : <Conclusions state={state} />}
          </>
        ) : null}
        <ColdStartPanel state={state} />
        {state.accuracy === null ? null : <AccuracyPanel result={state.accuracy.result} preset={preset} />}
        <RunHistory runId={state.runId} />
      </div>
    </div>
  );
}
