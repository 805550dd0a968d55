import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import type { ProblemFix, SpecProblem } from '../../../../main/contract/run/spec-tools';
import { SmallButton } from '../../../components/actions';
import { LinkButton } from '../../../components/links';
import { Panel } from '../../../components/panel';
import { InstallTools } from '../../../components/setup/install-tools';
import { asSentence } from '../../../format/words';
import { pageOf, pageTitle } from '../../../stores/draft/wizard-page';
import { pathOf } from '../fields/field';
import { useGoToField } from '../form-view';
import { configTextField, isAbout, problemText } from '../problems';
import { useWizard } from '../wizard-context';

const fixText: Readonly<Record<Exclude<ProblemFix, 'install-tools'>, string>> = {
  'use-docker': 'Use Docker',
  'use-local': 'Use local Triton',
  'use-free-port': 'Use a free port',
};

export const ProblemFixes = ({ problem }: { problem: SpecProblem }) =>
  (problem.fixes ?? []).length === 0 ? null : <Fixes problem={problem} />;

function Fixes({ problem }: { problem: SpecProblem }) {
  const { draft } = useWizard();
  const { fixes = [], field } = problem;
  const apply = (fix: Exclude<ProblemFix, 'install-tools'>): void => {
    if (fix === 'use-free-port') draft.reset(field.split('.'));
    else draft.change(['engine', 'kind'], fix === 'use-docker' ? 'docker' : 'local');
  };
  return (
    <div className="problem-fixes">
      {fixes.map((fix) =>
        fix === 'install-tools' ? (
          <InstallTools key={fix} />
        ) : (
          <SmallButton key={fix} onClick={() => apply(fix)}>
            {fixText[fix]}
          </SmallButton>
        ),
      )}
    </div>
  );
}

const styles = {
  problem: [IconCircleX, 'tone-bad'],
  warning: [IconAlertTriangle, 'tone-warn'],
  note: [IconInfoCircle, 'dim'],
} as const;

export function useProblemPlace() {
  const { fields } = useWizard();
  const goToField = useGoToField();
  return (problem: SpecProblem) => {
    const field = fields.find((known) => isAbout(problem, pathOf(known)));
    const page = pageOf(problem.field);
    const go = (): void => goToField(field === undefined ? null : pathOf(field), page);
    return { field, page, go };
  };
}

export function ProblemList({ problems, linked }: { problems: readonly SpecProblem[]; linked: boolean }) {
  const placeOf = useProblemPlace();
  return (
    <ul className="problem-list">
      {problems.map((problem) => {
        const { field, page, go } = placeOf(problem);
        const place = field?.label ?? (problem.field === configTextField ? 'config.pbtxt' : pageTitle[page]);
        const [Glyph, tone] = styles[problem.severity];
        return (
          <li
            key={`${problem.field} ${problem.message}`}
            className="problem-item"
            data-severity={problem.severity}
          >
            <Glyph size={15} className={tone} aria-hidden="true" />
            <div>
              {linked ? <LinkButton onClick={go}>{place}</LinkButton> : <strong>{place}</strong>}
              {': '}
              {asSentence(problemText(problem))}
              {problem.remedy === null ? null : <span className="dim"> {problem.remedy}</span>}
              <ProblemFixes problem={problem} />
            </div>
          </li>
        );
      })}
    </ul>
  );
}

export function Verdict() {
  const { problems, ready } = useWizard();
  if (problems.length > 0) {
    return (
      <Panel title={ready ? 'Before you start' : 'Fix these first'} label="Problems" level={3}>
        <div className="panel-body" id="wizard-problems" tabIndex={-1}>
          <ProblemList problems={problems} linked />
        </div>
      </Panel>
    );
  }
  return ready ? (
    <p className="ready tone-good">
      <IconCircleCheck size={16} aria-hidden="true" />
      Ready to run.
    </p>
  ) : null;
}
