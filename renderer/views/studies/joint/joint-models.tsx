import type { JointModel } from '../../../../main/contract/study/joint';
import type { StudyDetail } from '../../../../main/contract/study/study';
import type { JointRow } from '../../../../main/domain/study/joint/joint-answer';
import { ErrorPanel } from '../../../components/error-panel';
import { PageLink } from '../../../components/links';
import { useAnswer } from '../../../use-answer';
import { ConfigChanges } from '../search/config-changes';
import { WinnerActions } from '../search/winner-actions';

/** What becomes of the best configuration of one of the models, and how it differs. */
function FoundModel(props: { study: StudyDetail; number: number; model: JointModel; row: JointRow }) {
  const { study, number, model, row } = props;
  const { name, updatedAt } = study;
  const { runId, title } = model;
  const { value: configs, error } = useAnswer(
    (of) => of.call('searches.configs', { name, model: number }),
    `${name} ${number} ${updatedAt}`,
  );
  return (
    <div className="stack column" data-model={title}>
      <h3 className="joint-title">
        {runId === null ? title : <PageLink to={{ page: 'run', runId }}>{title}</PageLink>}
        <span className="dim"> {row.configuration}</span>
      </h3>
      {runId === null ? (
        <p className="dim">Its run was not made.</p>
      ) : (
        <WinnerActions
          {...{ name, runId, configs }}
          model={{ number, title }}
          isChange={configs !== null && configs.winner !== configs.present}
        />
      )}
      {error === null ? null : <ErrorPanel error={error} />}
      {configs === null ? null : <ConfigChanges configs={configs} of={title} />}
    </div>
  );
}

export function FoundModels(props: {
  study: StudyDetail;
  models: readonly JointModel[];
  rows: readonly JointRow[];
}) {
  const { study, models, rows } = props;
  return (
    <div className="charts">
      {models.map((model, at) => {
        const row = rows[at];
        return row === undefined ? null : (
          <FoundModel key={at} study={study} number={at + 1} model={model} row={row} />
        );
      })}
    </div>
  );
}
