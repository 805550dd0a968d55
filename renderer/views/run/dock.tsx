import { IconAlertTriangle, IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { StepState } from '../../../main/contract/run/run-state';
import { stepTitle } from '../../../main/contract/words';
import { CommandText } from '../../components/copy-button';
import { ErrorPanel } from '../../components/error-panel';
import { useWorkbench } from '../../workbench';
import { LogLines, LogTools } from './live/log-lines';

const tabs = [
  ['log', () => 'Log'],
  ['commands', ({ commands }: StepState) => `Commands (${commands.length})`],
  ['facts', ({ facts, warnings }: StepState) => `Facts (${facts.length + warnings.length})`],
] as const;
type Tab = (typeof tabs)[number][0];

function Commands({ step }: { step: StepState }) {
  if (step.commands.length === 0) return <p className="column dock-list dim">This step ran no commands.</p>;
  return (
    <ul className="column dock-list">
      {step.commands.map((command, index) => (
        <li key={index}>
          <CommandText argv={command.argv} note={command.note} />
        </li>
      ))}
    </ul>
  );
}

function Facts({ step }: { step: StepState }) {
  if (step.facts.length + step.warnings.length === 0 && step.error === null) {
    return <p className="column dock-list dim">No details for this step.</p>;
  }
  return (
    <div className="column dock-list">
      {step.error === null ? null : <ErrorPanel error={step.error} />}
      <ul>
        {step.warnings.map((warning) => (
          <li key={warning} className="tone-warn">
            <IconAlertTriangle size={14} aria-hidden="true" /> {warning}
          </li>
        ))}
      </ul>
      <dl className="facts">
        {step.facts.map((fact, index) => [
          <dt key={`${index} name`}>{fact.name}</dt>,
          <dd key={index}>{fact.value}</dd>,
        ])}
      </dl>
    </div>
  );
}

/** What is new in a log that is folded. */
function LastLine() {
  const { log } = useWorkbench();
  const line = useStore(log, ({ lines }) => lines.at(lines.length - 1) ?? '');
  return <span className="dim cut dock-last">{line}</span>;
}

export function Dock(props: { runId: string; step: StepState; open: boolean; onToggle: () => void }) {
  const { runId, step, open } = props;
  const { log } = useWorkbench();
  const [tab, setTab] = useState<Tab>('log');
  const [wrap, setWrap] = useState(false);
  const [follow, setFollow] = useState(true);
  useEffect(() => void log.getState().open(runId, step.id), [log, runId, step.id, step.attempt]);
  const Chevron = open ? IconChevronDown : IconChevronUp;
  return (
    <section className={open ? 'column dock open' : 'column dock'} aria-label={`Step: ${stepTitle[step.id]}`}>
      <div className="row wrap dock-head">
        <button
          type="button"
          className="plain-button dock-title"
          aria-expanded={open}
          onClick={props.onToggle}
        >
          <Chevron size={16} aria-hidden="true" />
          {stepTitle[step.id]}
        </button>
        {open ? (
          <>
            <div className="dock-tabs" role="tablist" aria-label="Step details">
              {tabs.map(([name, textOf]) => (
                <button
                  key={name}
                  type="button"
                  role="tab"
                  id={`dock-tab-${name}`}
                  aria-controls="dock-body"
                  aria-selected={tab === name}
                  className="plain-button dock-tab"
                  onClick={() => setTab(name)}
                >
                  {textOf(step)}
                </button>
              ))}
            </div>
            {tab === 'log' ? (
              <LogTools wrap={wrap} onWrap={setWrap} follow={follow} onFollow={setFollow} />
            ) : null}
          </>
        ) : (
          <LastLine />
        )}
      </div>
      {open ? (
        <div className="dock-body" role="tabpanel" id="dock-body" aria-labelledby={`dock-tab-${tab}`}>
          {tab === 'log' ? <LogLines step={step} wrap={wrap} follow={follow} onFollow={setFollow} /> : null}
          {tab === 'commands' ? <Commands step={step} /> : null}
          {tab === 'facts' ? <Facts step={step} /> : null}
        </div>
      ) : null}
    </section>
  );
}
