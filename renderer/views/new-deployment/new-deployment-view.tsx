import { Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { CommandText } from '../../components/command-text';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { attempt } from '../../components/notices';
import { Page } from '../../components/page';
import { useWorkbench } from '../../workbench';
import { FieldInput } from './field-input';
import { fieldGroups } from './fields';
import { cliCommand, planText } from './plan-text';

function Side() {
  const { draft } = useWorkbench();
  const { spec, values, preset } = useStore(draft);
  if (spec === null) return null;
  return (
    <aside className="deploy-side" aria-label="What will happen" tabIndex={0}>
      <h2>What will happen</h2>
      <ol className="plan">
        {planText(spec).map(({ step, title, what }) => (
          <li key={step}>
            <div>
              <div>{title}</div>
              <div className="plan-what">{what}</div>
            </div>
          </li>
        ))}
      </ol>
      <h2>The same on the command line</h2>
      <CommandText argv={cliCommand(preset, values)} />
    </aside>
  );
}

/** Puts a deployment together: the preset's values stand there already, Start is in reach at once. */
export function NewDeploymentView() {
  const { client, draft, machine, presets, route } = useWorkbench();
  const { spec, values, problems, error, preset: presetId, resolve, resetAll } = useStore(draft);
  const list = useStore(presets);
  const engines = useStore(machine, (state) => state.value?.engines) ?? [];
  const [starting, setStarting] = useState(false);
  const preset = list.value?.find((known) => known.id === presetId);

  useEffect(() => {
    void resolve();
  }, [resolve]);

  const start = async (): Promise<void> => {
    setStarting(true);
    try {
      // What is started is what the choices lead to now, not what was resolved before the last key.
      await resolve();
      const state = draft.getState();
      if (state.spec === null || state.error !== null) return;
      const { runId } = await client.call('runs.start', { spec: state.spec });
      route.getState().go({ page: 'run', runId });
    } finally {
      setStarting(false);
    }
  };

  // The choice, even while it leads to no specification.
  const engine = values['engine.kind'] ?? spec?.engine.kind;
  const groups = preset === undefined ? [] : fieldGroups(preset, engine === 'docker', engines);
  const besideField = groups.some((group) => group.fields.some((field) => field.path === error?.where));
  const problem = list.error ?? (besideField ? null : error);
  const wrong = Object.keys(problems).length + (besideField ? 1 : 0);
  const changes = Object.keys(values).length;
  return (
    <Page
      title="New deployment"
      bare
      after={preset === undefined ? null : <span className="dim">{preset.title}</span>}
      actions={
        <>
          {wrong === 0 ? null : (
            <span className="tone-bad" role="status">
              {wrong === 1 ? '1 field needs' : `${wrong} fields need`} correcting
            </span>
          )}
          {changes === 0 ? null : (
            <Button size="xs" variant="subtle" color="gray" onClick={resetAll}>
              Reset {changes === 1 ? 'the change' : `all ${changes} changes`}
            </Button>
          )}
          <Button
            size="xs"
            leftSection={<IconPlayerPlay size={14} aria-hidden="true" />}
            disabled={spec === null || error !== null || Object.keys(problems).length > 0}
            loading={starting}
            onClick={() => {
              attempt(start);
            }}
          >
            Start deployment
          </Button>
        </>
      }
    >
      <div className="deploy">
        <div className="deploy-form" role="region" aria-label="Choices" tabIndex={0}>
          {problem === null ? null : <ErrorPanel error={problem} />}
          {preset === undefined || spec === null ? (
            problem === null ? (
              <Loading label="Reading the presets" />
            ) : null
          ) : (
            <>
              <p className="dim">{preset.profiles[spec.model.profile]?.summary ?? preset.summary}</p>
              {groups.map((group) => (
                <section key={group.title} className="panel" aria-label={group.title}>
                  <div className="panel-head">
                    <h2>{group.title}</h2>
                  </div>
                  <div className={group.fields.length === 4 ? 'panel-body fields four' : 'panel-body fields'}>
                    {group.fields.map((field) => (
                      <FieldInput key={field.path} field={field} />
                    ))}
                  </div>
                </section>
              ))}
            </>
          )}
        </div>
        <Side />
      </div>
    </Page>
  );
}
