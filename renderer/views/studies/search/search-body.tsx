import { IconClockPlus } from '@tabler/icons-react';
import { type ReactNode, useMemo } from 'react';
import type { Searched, SearchStrategy } from '../../../../main/contract/study/search';
import type { StudyDetail } from '../../../../main/contract/study/study';
import { placeLines } from '../../../../main/domain/study/place-text';
import { isLatencySearch } from '../../../../main/domain/study/search/objective';
import { type SearchAnswer, searchAnswer } from '../../../../main/domain/study/search/search-answer';
import { longerSearch } from '../../../../main/domain/study/search/search-longer';
import {
  promisedBelowText,
  searchFigures,
  unjudgedText,
  untriedLines,
} from '../../../../main/domain/study/search/search-text';
import { fieldEffects } from '../../../../main/domain/study/search/search-values';
import { ChartPanel } from '../../../charts/chart-panel';
import { CompactButton } from '../../../components/actions';
import { Answer } from '../../../components/answer';
import { CommandText } from '../../../components/copy-button';
import { ErrorPanel } from '../../../components/error-panel';
import { FigurePanel } from '../../../components/figure-panel';
import { PageLink } from '../../../components/links';
import { useChartTheme } from '../../../components/use/use-chart-theme';
import { useAnswer } from '../../../use-answer';
import { useWorkbench } from '../../../workbench';
import { CandidateTable } from './candidate-table';
import { ConfigChanges } from './config-changes';
import { HelpedValues } from './helped-values';
import { SearchCapacity } from './search-capacity';
import { searchChart } from './search-chart';
import { answerText, LoadProgress, Untried } from './search-parts';
import { WinnerActions } from './winner-actions';

/** What becomes of the best configuration, the charts, and how it differs. */
function Found(props: { study: StudyDetail; runId: string; charts: ReactNode; untried: ReactNode }) {
  const { study, runId, charts, untried } = props;
  const { name, winner, updatedAt } = study;
  const { value: configs, error } = useAnswer(
    (of) => of.call('searches.configs', { name }),
    `${name} ${updatedAt}`,
  );
  return (
    <>
      <WinnerActions name={name} runId={runId} isChange={winner !== null} configs={configs} />
      {error === null ? null : <ErrorPanel error={error} />}
      {charts}
      <div className="charts">
        {configs === null ? null : <ConfigChanges configs={configs} />}
        <div className="stack column">
          {untried}
          {winner === null ? null : <CommandText argv={winner.argv} note="On the command line:" />}
        </div>
      </div>
    </>
  );
}

function Charts(props: { study: StudyDetail; search: SearchStrategy; searched: Searched }) {
  const { study, search, searched } = props;
  const theme = useChartTheme();
  const answer = useMemo(() => searchAnswer(search, searched), [search, searched]);
  const chart = useMemo(
    () => searchChart(search, searched, answer, theme),
    [search, searched, answer, theme],
  );
  const effects = useMemo(() => fieldEffects(search, searched, answer), [search, searched, answer]);
  const below = promisedBelowText(search, searched, answer);
  if (searched.looks.length === 0) return null;
  return (
    <div className="charts">
      <ChartPanel
        id="front"
        title="Throughput and latency of each load"
        chart={chart}
        height={260}
        fileName={study.name}
        note={below}
        empty={
          <span className="dim">
            {study.state === 'running'
              ? 'Points appear once configurations are measured below full load.'
              : 'No configuration was measured below full load.'}
          </span>
        }
      />
      <HelpedValues
        effects={effects}
        latency={isLatencySearch(search) ? `p${search.target.percentile} (ms)` : null}
      />
    </div>
  );
}

/** What a longer search would find is a click away. */
function NotTried(props: { search: SearchStrategy; answer: SearchAnswer; isDone: boolean }) {
  const { search, answer, isDone } = props;
  const { overlay } = useWorkbench();
  const line = isDone ? unjudgedText(search, answer) : null;
  const like = line === null ? null : longerSearch(search);
  const { runId } = search;
  const lines = untriedLines(search, answer);
  if (line === null || like === null || runId === null) return <Untried lines={lines} />;
  const button = (
    <CompactButton icon={IconClockPlus} onClick={() => overlay.getState().search({ runId, like })}>
      Search longer…
    </CompactButton>
  );
  return <Untried lines={lines} action={{ line, button }} />;
}

/** A search: the answer first, then how it was found. */
export function SearchBody(props: { study: StudyDetail; search: SearchStrategy; searched: Searched }) {
  const { study, search, searched } = props;
  const { name, state, error } = study;
  const answer = useMemo(() => searchAnswer(search, searched), [search, searched]);
  const { runId } = search;
  const isRunning = state === 'running';
  const hasLooks = searched.looks.length > 0;
  const charts = <Charts study={study} search={search} searched={searched} />;
  const untried = <NotTried search={search} answer={answer} isDone={state === 'done'} />;
  return (
    <>
      <Answer
        text={answerText(study, hasLooks && answer.winner !== null)}
        tone={answer.isConfirmed ? 'good' : isRunning ? 'info' : 'warn'}
      />
      {error === null ? null : <ErrorPanel error={error} />}
      <LoadProgress study={study} share={answer.seconds / Math.max(1, search.budgetS)} />
      {hasLooks ? (
        <div className="figures">
          {searchFigures(search, answer, isRunning).map((figure) => (
            <FigurePanel key={figure.label} figure={figure} />
          ))}
        </div>
      ) : null}
      {answer.winner === null || isRunning || runId === null ? (
        <>
          {charts}
          {isRunning ? null : untried}
        </>
      ) : (
        <>
          <Found study={study} runId={runId} charts={charts} untried={untried} />
          <SearchCapacity name={name} updatedAt={study.updatedAt} />
        </>
      )}
      <CandidateTable name={name} search={search} rows={answer.rows} />
      {placeLines(answer).map((line) => (
        <p key={line} className="dim">
          {line}.
        </p>
      ))}
      {runId === null ? null : (
        <div>
          <PageLink to={{ page: 'run', runId }}>Open the run whose model it is</PageLink>
        </div>
      )}
    </>
  );
}
