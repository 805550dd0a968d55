import { Button } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { CommandText } from '../../../components/command-text';
import { Panel } from '../../../components/panel';
import { ownModelKeys } from '../../../stores/draft/draft-state';
import { pageOf, pageTitle } from '../../../stores/draft/wizard-page';
import { pathOf } from '../fields/field';
import { cliCommand, commandChanges, modelWords, planText } from '../plan-text';
import { fieldText } from '../read-text';
import { resetField } from '../reset-field';
import { useWizard } from '../wizard-context';
import { ChangePanel } from './change-panel';
import { ProblemList } from './problem-list';

function Differences() {
  const wizard = useWizard();
  const { changes, fields, draft } = wizard;
  if (changes.length === 0) return <p className="panel-body dim">No changes: preset defaults.</p>;
  const fieldAt = (path: string) => fields.find((field) => pathOf(field) === path);
  const nameOf = (path: string): string =>
    fieldAt(path)?.label ?? (path === 'configure.configPatch' ? 'Edited by hand in config.pbtxt' : path);
  return (
    <table className="table differences-table">
      <thead>
        <tr>
          <th>Field</th>
          <th>Default</th>
          <th>Chosen</th>
          <th>
            <span className="visually-hidden">Action</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ keys, from, to }) => {
          const path = keys.join('.');
          return (
            <tr key={path}>
              <td>
                <button
                  type="button"
                  className="plain-button link"
                  title={path}
                  onClick={() => {
                    draft.goTo(pageOf(path));
                  }}
                >
                  {nameOf(path)}
                </button>
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

/** The whole run once more: what stands against it, what it does, what differs, and how to do it without the window. */
export function Review() {
  const { draft, changes, preset, valueAt } = useWizard();
  const spec = draft.preview?.spec ?? null;
  const hash = draft.preview?.specHash ?? null;
  const source = valueAt(ownModelKeys);
  const gpus = spec?.engine.kind === 'docker' ? spec.engine.gpus : [];
  const { changing } = draft;
  return (
    <>
      <Verdict />
      {changing === null || spec === null || draft.plan === null ? null : (
        <ChangePanel runId={changing} plan={draft.plan} spec={spec} />
      )}
      {spec === null || changing !== null ? null : (
        <Panel
          title="What will be done"
          label="Plan"
          level={3}
          head={
            hash === null ? null : (
              <span className="dim">
                Specification hash <span className="mono">{hash.slice(0, 12)}</span>
              </span>
            )
          }
        >
          <ol className="plan panel-body">
            {planText(spec, preset.metrics).map(({ step, title, what }) => (
              <li key={step}>
                <div>
                  <span className="plan-title">{title}</span> <span className="plan-what">{what}</span>
                </div>
              </li>
            ))}
          </ol>
        </Panel>
      )}
      {changing !== null ? null : (
        <>
          <Panel title="Differences from the defaults" level={3}>
            <Differences />
          </Panel>
          <Panel title="The same on the command line" label="Command line" level={3}>
            <div className="panel-body">
              <CommandText
                argv={cliCommand(
                  modelWords(draft.preset, source),
                  commandChanges(changes, valueAt(['engine', 'kind'])),
                  {
                    noGpu: source === undefined && valueAt(['targetGpu']) === undefined && gpus.length > 0,
                  },
                )}
              />
              <p className="field-help">{pageTitle.review} and the command lead to the same specification.</p>
            </div>
          </Panel>
        </>
      )}
    </>
  );
}
