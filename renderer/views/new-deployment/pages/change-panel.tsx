import { type Scenario, scenarios } from '../../../../main/contract/run/run-events';
import type { RunSpec } from '../../../../main/contract/run/run-spec';
import type { ChangePlan } from '../../../../main/contract/run/spec-tools';
import { levelText, stepTitle } from '../../../../main/contract/words';
import { Panel } from '../../../components/panel';
import { TableHead } from '../../../components/table';
import { pathOf } from '../fields/field';
import { keptText, planText, resumeCommand } from '../plan-text';
import { fieldText } from '../read-text';
import { useWizard } from '../wizard-context';
import { CommandPanel, FieldLink, PlanPanel } from './plan-panel';

const headings = ['Field', 'This run', 'New'];

/** What the run says now and what it will say, field by field. */
function ChangedFields({ changed }: Pick<ChangePlan, 'changed'>) {
  const { fields } = useWizard();
  return (
    <table className="table differences-table">
      <TableHead headings={headings} />
      <tbody>
        {changed.map(({ path, from, to }) => {
          const field = fields.find((one) => pathOf(one) === path);
          return (
            <tr key={path}>
              <td>
                <FieldLink path={path} label={field?.label ?? path} />
              </td>
              <td className="dim">{fieldText(path, from)}</td>
              <td>{fieldText(path, to)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const levelsOf = ({ keptLevels }: ChangePlan, scenario: Scenario): readonly string[] =>
  keptLevels.filter((level) => level.scenario === scenario).map(levelText);

/** Steps and levels that the change does not touch. */
function Kept({ plan, spec }: { plan: ChangePlan; spec: RunSpec }) {
  const { preset } = useWizard();
  const steps = planText(spec, preset.metrics).filter(({ step }) => !plan.steps.includes(step));
  return (
    <Panel title="What is kept" label="Kept" level={3} note={keptText(plan)}>
      <dl className="kept panel-body">
        <div>
          <dt>Steps</dt>
          <dd>{steps.length === 0 ? 'none' : steps.map(({ title }) => title).join(', ')}</dd>
        </div>
        {scenarios
          .filter((scenario) => levelsOf(plan, scenario).length > 0)
          .map((scenario) => (
            <div key={scenario}>
              <dt>{stepTitle[scenario]}</dt>
              <dd>{levelsOf(plan, scenario).join('; ')}</dd>
            </div>
          ))}
      </dl>
    </Panel>
  );
}

/** What changes in a run, what is done again because of it, and what is kept. */
export function ChangePanel({ runId, plan, spec }: { runId: string; plan: ChangePlan; spec: RunSpec }) {
  const { preset } = useWizard();
  const command = resumeCommand(runId, plan.changed, spec);
  return (
    <>
      <Panel title="What changes" label="Changes" level={3}>
        {plan.changed.length === 0 ? (
          <p className="panel-body dim">No changes yet. Change a setting on any page.</p>
        ) : (
          <ChangedFields changed={plan.changed} />
        )}
      </Panel>
      {plan.changed.length === 0 ? null : (
        <>
          <PlanPanel steps={planText(spec, preset.metrics).filter(({ step }) => plan.steps.includes(step))} />
          <Kept plan={plan} spec={spec} />
        </>
      )}
      {command === null ? null : <CommandPanel argv={command} />}
    </>
  );
}
