import { Button } from '@mantine/core';
import { useStore } from 'zustand';
import type { RunSpec } from '../../../../main/contract/run/run-spec';
import { Panel } from '../../../components/panel';
import { TableHead } from '../../../components/table';
import { ownModelKeys } from '../../../stores/draft/draft-state';
import { pageTitle } from '../../../stores/draft/wizard-page';
import { settingsOf } from '../../../stores/settings';
import { useWorkbench } from '../../../workbench';
import { useNamedChanges } from '../named-changes';
import { cliCommand, commandChanges, modelWords, planText } from '../plan-text';
import { useWizard } from '../wizard-context';
import { ChangePanel } from './change-panel';
import { BudgetInput, NameInput } from './name-and-budget';
import { CommandPanel, FieldLink, PlanPanel } from './plan-panel';
import { Verdict } from './verdict';

const headings = ['Field', 'Default', 'Chosen', { title: 'Action', hidden: true, width: 76 }];

function Differences() {
  const changes = useNamedChanges();
  if (changes.length === 0) return <p className="panel-body dim">No changes: preset defaults.</p>;
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
              <Button
                size="compact-xs"
                variant="subtle"
                color="gray"
                aria-label={`Reset ${label}`}
                onClick={reset}
              >
                Reset
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Both can change later, and nothing is measured otherwise. */
const NameAndBudget = () => (
  <Panel title="Name and latency budget" level={3}>
    <div className="panel-body stack name-and-budget">
      <NameInput />
      <BudgetInput label="p99 budget" />
    </div>
  </Panel>
);

/** A run of its own: what it does, what differs, and how to do it without the window. */
function NewRun({ spec }: { spec: RunSpec | null }) {
  const { draft, changes, preset, valueAt } = useWizard();
  const ofSettings = settingsOf(useStore(useWorkbench().settings));
  const budgetOfCommand = draft.p99BudgetMs === null ? ofSettings['deployment.p99BudgetMs'] : null;
  const hash = draft.preview?.specHash ?? null;
  const source = valueAt(ownModelKeys);
  const usesGpu = spec?.engine.kind === 'docker' && spec.engine.gpus.length > 0;
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
        <p className="field-help">{pageTitle.review} and the command lead to the same specification.</p>
        {budgetOfCommand === null ? null : (
          <p className="field-help">The command uses the p99 budget of {budgetOfCommand} ms from Settings.</p>
        )}
      </CommandPanel>
    </>
  );
}

/** The whole run once more: what stands against it, what it does, what differs, and how to do it without the window. */
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
