import { IconAlertTriangle, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import type { SpecProblem } from '../../../../main/contract/run/spec-tools';
import { LinkButton } from '../../../components/links';
import { asSentence } from '../../../format/words';
import { pageOf, pageTitle } from '../../../stores/draft/wizard-page';
import { pathOf } from '../fields/field';
import { useGoToField } from '../form-view';
import { configTextField, isAbout, problemText } from '../problems';
import { useWizard } from '../wizard-context';
import { ProblemFixes } from './problem-fixes';

const looks = {
  problem: [IconCircleX, 'tone-bad'],
  warning: [IconAlertTriangle, 'tone-warn'],
  note: [IconInfoCircle, 'dim'],
} as const;

/** Problems, each with the way to its field. */
export function ProblemList({ problems, linked }: { problems: readonly SpecProblem[]; linked: boolean }) {
  const { fields } = useWizard();
  const goToField = useGoToField();
  return (
    <ul className="problem-list">
      {problems.map((problem) => {
        const field = fields.find((known) => isAbout(problem, pathOf(known)));
        const page = pageOf(problem.field);
        const place = field?.label ?? (problem.field === configTextField ? 'config.pbtxt' : pageTitle[page]);
        const [Glyph, tone] = looks[problem.severity];
        return (
          <li
            key={`${problem.field} ${problem.message}`}
            className="problem-item"
            data-severity={problem.severity}
          >
            <Glyph size={15} className={tone} aria-hidden="true" />
            <div>
              {linked ? (
                <LinkButton
                  onClick={() => {
                    goToField(field === undefined ? null : pathOf(field), page);
                  }}
                >
                  {place}
                </LinkButton>
              ) : (
                <strong>{place}</strong>
              )}
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
