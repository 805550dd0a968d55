import { Button, NumberInput, TextInput } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { reasonAgainst } from '../../../../main/contract/run/run-name';
import type { RunSpec } from '../../../../main/contract/run/run-spec';
import { Panel } from '../../../components/panel';
import { TableHead } from '../../../components/table';
import { useTypedNumber } from '../../../components/use-typed-number';
import { onText } from '../../../handlers';
import { ownModelKeys } from '../../../stores/draft/draft-state';
import { pageTitle } from '../../../stores/draft/wizard-page';
import { pathOf } from '../fields/field';
import { cliCommand, commandChanges, modelWords, planText } from '../plan-text';
import { fieldText } from '../read-text';
import { resetField } from '../reset-field';
import { useWizard } from '../wizard-context';
import { ChangePanel } from './change-panel';
import { CommandPanel, FieldLink, PlanPanel } from './plan-panel';
import { ProblemList } from './problem-list';

const headings = ['Field', 'Default', 'Chosen', { title: 'Action', hidden: true }];

function Differences() {
  const wizard = useWizard();
  const { changes, fields } = wizard;
  if (changes.length === 0) return <p className="panel-body dim">No changes: preset defaults.</p>;
  const fieldAt = (path: string) => fields.find((field) => pathOf(field) === path);
  const nameOf = (path: string): string =>
    fieldAt(path)?.label ?? (path === 'configure.configPatch' ? 'Edited by hand in config.pbtxt' : path);
  return (
    <table className="table differences-table">
      <TableHead headings={headings} />
      <tbody>
        {changes.map(({ keys, from, to }) => {
          const path = keys.join('.');
          return (
            <tr key={path}>
              <td>
                <FieldLink path={path} label={nameOf(path)} />
              </td>
              <td className="dim">{fieldText(fieldAt(path)?.control, from)}</td>
              <td>{fieldText(fieldAt(path)?.control, to)}</td>
              <td className="actions-cell">
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="gray"
                  aria-label={`Reset ${nameOf(path)}`}
                  onClick={() => {
                    resetField(wizard, keys);
                  }}
                >
                  Reset
                </Button>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Verdict() {
  const { problems, ready } = useWizard();
  if (problems.length > 0) {
    return (
      <Panel title={ready ? 'Before you start' : 'Fix these first'} label="Problems" level={3}>
        <div className="panel-body">
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

/** What the run is called, and the p99 that its answer has to keep: both can change later, and nothing is measured otherwise. */
function NameAndBudget() {
  const { p99BudgetMs, setBudget, name, setName } = useWizard().draft;
  const typed = useTypedNumber(p99BudgetMs, (next) => {
    setBudget(next === null || next <= 0 ? null : Math.min(next, 1e9));
  });
  return (
    <Panel title="Name and latency budget" level={3}>
      <div className="panel-body stack">
        <TextInput
          label="Name"
          description="Names the run in lists, reports and on the command line. Default: none."
          w={300}
          placeholder="none"
          maxLength={80}
          error={reasonAgainst(name)}
          value={name}
          onChange={onText(setName)}
        />
        <NumberInput
          label="p99 budget"
          description="The result names the best steady level whose p99 is within the budget, and its headroom. Default: none."
          w={300}
          suffix=" ms"
          placeholder="none"
          min={0}
          max={1e9}
          hideControls
          allowNegative={false}
          {...typed}
        />
      </div>
    </Panel>
  );
}

/** A run of its own: what it does, what differs, and how to do it without the window. */
function NewRun({ spec }: { spec: RunSpec | null }) {
  const { draft, changes, preset, valueAt } = useWizard();
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
        argv={cliCommand(
          modelWords(draft.preset, source),
          commandChanges(changes, valueAt(['engine', 'kind'])),
          { noGpu, p99BudgetMs: draft.p99BudgetMs, name: draft.name },
        )}
      >
        <p className="field-help">{pageTitle.review} and the command lead to the same specification.</p>
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
