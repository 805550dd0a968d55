import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { CommandText } from '../../../components/command-text';
import { LinkButton } from '../../../components/links';
import { Panel } from '../../../components/panel';
import { pageOf } from '../../../stores/draft/wizard-page';
import { useGoToField } from '../form-view';
import type { planText } from '../plan-text';

/** The steps of a run, each with what it does. */
export function PlanPanel({ steps, note }: { steps: ReturnType<typeof planText>; note?: ReactNode }) {
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

/** How the same is done without the window. @param argv null: the choice has a problem, for which the command would be refused */
export function CommandPanel({ argv, children }: { argv: readonly string[] | null; children?: ReactNode }) {
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

/** In a row of a change: takes it back. */
export const ResetButton = (props: { label: string; onClick: () => void }) => (
  <Button size="compact-xs" variant="subtle" color="gray" aria-label={props.label} onClick={props.onClick}>
    Reset
  </Button>
);

/** To the field, on the page that has it. */
export function FieldLink({ path, label }: { path: string; label: string }) {
  const goToField = useGoToField();
  return (
    <LinkButton
      title={path}
      onClick={() => {
        goToField(path, pageOf(path));
      }}
    >
      {label}
    </LinkButton>
  );
}
