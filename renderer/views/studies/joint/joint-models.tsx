import type { ReactNode } from 'react';
import type { JointModel } from '../../../../main/contract/study/joint';
import type { StudyDetail, WinnerConfigs } from '../../../../main/contract/study/study';
import type { JointRow } from '../../../../main/domain/study/joint/joint-answer';
import { ErrorPanel } from '../../../components/error-panel';
import { PageLink } from '../../../components/links';
import { useAnswer } from '../../../use-answer';
import { ConfigChanges } from '../search/config-changes';
import { SearchCapacity } from '../search/search-capacity';
import { WinnerActions } from '../search/winner-actions';

/** What becomes of the best configuration of one of the models. */
function FoundModel(props: {
  name: string;
  updatedAt: string;
  number: number;
  model: JointModel;
  row: JointRow | undefined;
  configs: WinnerConfigs | null;
}) {
  const { name, updatedAt, number, model, row, configs } = props;
  const { runId, title } = model;
  return (
    <div className="stack-small column" data-model={title}>
      <h3 className="joint-title">
        {runId === null ? title : <PageLink to={{ page: 'run', runId }}>{title}</PageLink>}{' '}
        <span className="dim">{row?.configuration}</span>
      </h3>
      {runId === null ? (
        <p className="dim">Its run was not made.</p>
      ) : (
        <div className="row wrap">
          <WinnerActions
            {...{ name, runId, configs }}
            model={{ number, title }}
            isChange={configs !== null && configs.winner !== configs.present}
          />
          <SearchCapacity {...{ name, updatedAt }} model={number} />
        </div>
      )}
    </div>
  );
}

/** Each model with what becomes of it, the charts, and how each differs. */
export function FoundModels(props: {
  study: StudyDetail;
  models: readonly JointModel[];
  rows: readonly JointRow[];
  charts: ReactNode;
}) {
  const { study, models, rows, charts } = props;
  const { name, updatedAt } = study;
  const { value, error } = useAnswer(
    (of) => Promise.all(models.map((_model, at) => of.call('searches.configs', { name, model: at + 1 }))),
    `${name} ${updatedAt}`,
  );
  return (
    <>
      <div className="charts">
        {models.map((model, at) => (
          <FoundModel
            key={at}
            {...{ name, updatedAt, model, number: at + 1, row: rows[at], configs: value?.[at] ?? null }}
          />
        ))}
      </div>
      {error === null ? null : <ErrorPanel error={error} />}
      {charts}
      <div className="charts">
        {models.map(({ title }, at) => {
          const configs = value?.[at] ?? null;
          return configs === null ? null : <ConfigChanges key={at} configs={configs} of={title} />;
        })}
      </div>
    </>
  );
}
