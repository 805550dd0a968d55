import { Button } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { CommandText } from '../../../components/command-text';
import { pageOf, pageTitle } from '../../../stores/wizard-page';
import { pathOf } from '../fields/field';
import { cliCommand, commandChanges, planText } from '../plan-text';
import { valueText } from '../read-text';
import { resetField } from '../reset-field';
import { useWizard } from '../wizard-context';
import { ProblemList } from './problem-list';

function Differences() {
  const wizard = useWizard();
  const { changes, fields, draft } = wizard;
  if (changes.length === 0) return <p className="panel-body dim">No changes: preset defaults.</p>;
  const nameOf = (path: string): string =>
    fields.find((field) => pathOf(field) === path)?.label ??
    (path === 'configure.configPatch' ? 'Edited by hand in config.pbtxt' : path);
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
              <td className="dim">{valueText(from)}</td>
              <td>{valueText(to)}</td>
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
      <section className="panel" aria-label="Problems">
        <div className="panel-head">
          <h3>{ready ? 'To be known before' : 'To be mended first'}</h3>
        </div>
        <div className="panel-body">
          <ProblemList problems={problems} linked />
        </div>
      </section>
    );
  }
  return ready ? (
    <p className="ready tone-good">
      <IconCircleCheck size={16} aria-hidden="true" />
      Nothing stands against the run.
    </p>
  ) : null;
}

/** The whole run once more: what stands against it, what it does, what differs, and how to do it without the window. */
export function Review() {
  const { draft, changes, preset, valueAt } = useWizard();
  const spec = draft.preview?.spec ?? null;
  const hash = draft.preview?.specHash ?? null;
  const gpus = spec?.engine.kind === 'docker' ? spec.engine.gpus : [];
  return (
    <>
      <Verdict />
      {spec === null ? null : (
        <section className="panel" aria-label="Plan">
          <div className="panel-head">
            <h3>What will be done</h3>
            {hash === null ? null : (
              <span className="dim mono" title="Hash of the specification">
                {hash.slice(0, 12)}
              </span>
            )}
          </div>
          <ol className="plan panel-body">
            {planText(spec, preset.metrics).map(({ step, title, what }) => (
              <li key={step}>
                <div>
                  <span className="plan-title">{title}</span> <span className="plan-what">{what}</span>
                </div>
              </li>
            ))}
          </ol>
        </section>
      )}
      <section className="panel" aria-label="Differences from the defaults">
        <div className="panel-head">
          <h3>Differences from the defaults</h3>
        </div>
        <Differences />
      </section>
      <section className="panel" aria-label="Command line">
        <div className="panel-head">
          <h3>The same on the command line</h3>
        </div>
        <div className="panel-body">
          <CommandText
            argv={cliCommand(draft.preset, commandChanges(changes, valueAt(['engine', 'kind'])), {
              noGpu: valueAt(['targetGpu']) === undefined && gpus.length > 0,
            })}
          />
          <p className="field-help">{pageTitle.review} and the command lead to the same specification.</p>
        </div>
      </section>
    </>
  );
}
