import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { askedGpus } from '../../../../main/contract/run/engine-kinds';
import { type Scenario, scenarios } from '../../../../main/contract/run/run-events';
import type { RunSpec } from '../../../../main/contract/run/run-spec';
import type { ChangePlan } from '../../../../main/contract/run/spec-tools';
import { levelText, stepTitle } from '../../../../main/contract/words';
import { CommandText } from '../../../components/copy-button';
import { LinkButton } from '../../../components/links';
import { Panel } from '../../../components/panel';
import { TableHead } from '../../../components/table';
import { ownModelKeys } from '../../../stores/draft/draft-state';
import { pageOf } from '../../../stores/draft/wizard-page';
import { settingsOf } from '../../../stores/settings';
import { useWorkbench } from '../../../workbench';
import { useGoToField } from '../form-view';
import { useChangesOfRun, useNamedChanges } from '../named-changes';
import { cliCommand, commandChanges, keptText, modelWords, planText, resumeCommand } from '../plan-text';
import { useWizard } from '../wizard-context';
import { BudgetInput, NameInput } from './name-and-budget';
import { Verdict } from './problem-list';

function PlanPanel({ steps, note }: { steps: ReturnType<typeof planText>; note?: ReactNode }) {
  return (
    <Panel title="What will be done" label="Plan" level={3} note={note}>
      <ol className="plan panel-body">
        {steps.map(({ step, title, what }) => (
          <li key={step}>
            <div>
              <span className="plan-title">{title}</span> <span className="plan-what">{what}</span>
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** @param argv null: the choice has a problem, for which the command would be refused */
function CommandPanel({ argv, children }: { argv: readonly string[] | null; children?: ReactNode }) {
  return (
    <Panel title="The same on the command line" label="Command line" level={3}>
      <div className="panel-body">
        {argv === null ? (
          <p className="dim">Fix the problems in the form to see the command.</p>
        ) : (
          <>
            <CommandText argv={argv} />
            {children}
          </>
        )}
      </div>
    </Panel>
  );
}

export const ResetButton = (props: { label: string; onClick: () => void }) => (
  <Button size="compact-xs" variant="subtle" color="gray" aria-label={props.label} onClick={props.onClick}>
    Reset
  </Button>
);

export function FieldLink({ path, label }: { path: string; label: string }) {
  const goToField = useGoToField();
  return (
    <LinkButton title={path} onClick={() => goToField(path, pageOf(path))}>
      {label}
    </LinkButton>
  );
}

const headings = ['Field', 'Default', 'Chosen', { title: 'Action', hidden: true, width: 76 }];

function Differences() {
  const changes = useNamedChanges();
  if (changes.length === 0)
    return <p className="panel-body dim">No changes: every setting has its default.</p>;
  return (
    <table className="table differences-table">
      <TableHead headings={headings} />
      <tbody>
        {changes.map(({ path, label, from, to, reset }) => (
          <tr key={path}>
            <td>
              <FieldLink path={path} label={label} />
            </td>
            <td className="dim">{from}</td>
            <td>{to}</td>
            <td className="actions-cell">
              <ResetButton label={`Reset ${label}`} onClick={reset} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const NameAndBudget = () => (
  <Panel title="Name and p99 budget" level={3}>
    <div className="panel-body stack name-and-budget">
      <NameInput />
      <BudgetInput />
    </div>
  </Panel>
);

function NewRun({ spec }: { spec: RunSpec | null }) {
  const { draft, changes, preset, valueAt } = useWizard();
  const ofSettings = settingsOf(useStore(useWorkbench().settings));
  const budgetOfCommand = draft.p99BudgetMs === null ? ofSettings['deployment.p99BudgetMs'] : null;
  const hash = draft.preview?.specHash ?? null;
  const source = valueAt(ownModelKeys);
  const usesGpu = spec !== null && askedGpus(spec.engine).length > 0;
  const noGpu = source === undefined && valueAt(['targetGpu']) === undefined && usesGpu;
  return (
    <>
      {spec === null ? null : (
        <PlanPanel
          steps={planText(spec, preset.metrics)}
          note={
            hash === null ? undefined : (
              <>
                Specification hash <span className="mono">{hash.slice(0, 12)}</span>
              </>
            )
          }
        />
      )}
      <Panel title="Differences from the defaults" level={3}>
        <Differences />
      </Panel>
      <NameAndBudget />
      <CommandPanel
        argv={
          spec === null
            ? null
            : cliCommand(
                modelWords(draft.preset, source),
                commandChanges(changes, valueAt(['engine', 'kind']), ofSettings['deployment.engine']),
                { noGpu, p99BudgetMs: draft.p99BudgetMs, name: draft.name },
              )
        }
      >
        <p className="field-help">The form and the command produce the same specification.</p>
        {budgetOfCommand === null ? null : (
          <p className="field-help">The command uses the p99 budget of {budgetOfCommand} ms from Settings.</p>
        )}
      </CommandPanel>
    </>
  );
}

const headingsOfChange = ['Field', 'This run', 'New'];

function ChangedFields() {
  const changes = useChangesOfRun();
  return (
    <table className="table differences-table">
      <TableHead headings={headingsOfChange} />
      <tbody>
        {changes.map(({ path, label, from, to }) => (
          <tr key={path}>
            <td>
              <FieldLink path={path} label={label} />
            </td>
            <td className="dim">{from}</td>
            <td>{to}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const levelsOf = ({ keptLevels }: ChangePlan, scenario: Scenario): readonly string[] =>
  keptLevels.filter((level) => level.scenario === scenario).map(levelText);

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

function ChangePanel({ runId, plan, spec }: { runId: string; plan: ChangePlan; spec: RunSpec }) {
  const { preset } = useWizard();
  const command = resumeCommand(runId, plan.changed, spec);
  return (
    <>
      <Panel title="What changes" label="Changes" level={3}>
        {plan.changed.length === 0 ? (
          <p className="panel-body dim">No changes yet. Change a setting on any page.</p>
        ) : (
          <ChangedFields />
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

export function Review() {
  const { changing, plan, preview } = useWizard().draft;
  const spec = preview?.spec ?? null;
  return (
    <>
      <Verdict />
      {changing === null ? (
        <NewRun spec={spec} />
      ) : spec === null || plan === null ? null : (
        <ChangePanel runId={changing} plan={plan} spec={spec} />
      )}
    </>
  );
}
