import { useMemo } from 'react';
import type { JointStrategy } from '../../../../main/contract/study/joint';
import type { Searched } from '../../../../main/contract/study/search';
import type { StudyDetail } from '../../../../main/contract/study/study';
import { jointAnswer, type JointRow, presentText } from '../../../../main/domain/study/joint/joint-answer';
import { jointColumns, jointTryColumns } from '../../../../main/domain/study/joint/joint-columns';
import { jointFigures } from '../../../../main/domain/study/joint/joint-figures';
import { jointTries, type JointTry } from '../../../../main/domain/study/joint/joint-tries';
import { placeLines } from '../../../../main/domain/study/place-text';
import { ChartPanel } from '../../../charts/chart-panel';
import { Answer } from '../../../components/answer';
import { ErrorPanel } from '../../../components/error-panel';
import { FigurePanel } from '../../../components/figure-panel';
import { ColumnTable } from '../../../components/table';
import { useChartTheme } from '../../../components/use/use-chart-theme';
import { TriedTable } from '../search/candidate-table';
import { answerText, LoadProgress, Untried } from '../search/search-parts';
import { jointChart } from './joint-chart';
import { FoundModels } from './joint-models';

function ModelTable({ name, rows }: { name: string; rows: readonly JointRow[] }) {
  return (
    <ColumnTable
      label={`Models of ${name}`}
      className="study-runs"
      columns={jointColumns}
      rows={rows}
      rowClass={({ isLimiting }) => (isLimiting ? 'best' : undefined)}
    />
  );
}

function Chart(props: { name: string; joint: JointStrategy; tries: readonly JointTry[] }) {
  const { name, joint, tries } = props;
  const theme = useChartTheme();
  const chart = useMemo(() => jointChart(joint, tries, theme), [joint, tries, theme]);
  return chart === null ? null : (
    <ChartPanel
      id="joint"
      title="Latency of each model by the load of all"
      chart={chart}
      height={240}
      fileName={name}
    />
  );
}

/** A search of several models: the answer first, then how it was found. */
export function JointBody(props: { study: StudyDetail; joint: JointStrategy; searched: Searched }) {
  const { study, joint, searched } = props;
  const { name, state, error } = study;
  const answer = useMemo(() => jointAnswer(joint, searched), [joint, searched]);
  const tries = useMemo(() => jointTries(joint, searched), [joint, searched]);
  const { rows, untried } = answer;
  const hasLooks = searched.looks.length > 0;
  const isFound = answer.factor !== null && state !== 'running';
  const beside = presentText(joint, answer);
  const charts = hasLooks ? (
    <div className="charts">
      <Chart name={name} joint={joint} tries={tries} />
      {untried.length === 0 || state === 'running' ? null : <Untried lines={untried} />}
    </div>
  ) : null;
  return (
    <>
      <Answer
        text={answerText(study, hasLooks)}
        tone={answer.isConfirmed ? 'good' : 'warn'}
        notes={beside === null ? undefined : <p>{beside}.</p>}
      />
      {error === null ? null : <ErrorPanel error={error} />}
      <LoadProgress study={study} share={answer.seconds / Math.max(1, joint.budgetS)} />
      {hasLooks ? (
        <div className="figures">
          {jointFigures(joint, answer).map((figure) => (
            <FigurePanel key={figure.label} figure={figure} />
          ))}
        </div>
      ) : null}
      <ModelTable name={name} rows={rows} />
      {isFound ? <FoundModels study={study} models={joint.models} rows={rows} charts={charts} /> : charts}
      {hasLooks ? (
        <TriedTable
          label={`Tries of ${name}`}
          columns={jointTryColumns(joint)}
          starred="configurations"
          rows={tries}
          of={(row) => row}
        />
      ) : null}
      {placeLines({ place: searched.place ?? null }).map((line) => (
        <p key={line} className="dim">
          {line}.
        </p>
      ))}
    </>
  );
}
