import { Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { SpecProblem } from '../../../../main/contract/run/spec-tools';
import { asSentence } from '../../../format/words';
import type { Field } from '../fields/field';
import { pathOf } from '../fields/field';
import { ProblemFixes } from '../pages/problem-fixes';
import { isAbout, isMissing, problemText } from '../problems';
import { valueText } from '../read-text';
import { resetField } from '../reset-field';
import { useWizard } from '../wizard-context';
import { TopicHelp } from './topic-help';

export interface ControlProps {
  readonly id: string;
  readonly labelId: string;
  readonly error: ReactNode;
  readonly disabled: boolean;
}

function Term({ field }: { field: Field }) {
  const clipboard = useClipboard({ timeout: 1500 });
  const name = field.variable ?? pathOf(field);
  return (
    <Tooltip label={clipboard.copied ? `Copied ${name}` : `Copy ${name}`} openDelay={300}>
      <button
        type="button"
        className="plain-button field-term"
        aria-label={`Copy ${name}`}
        onClick={() => {
          clipboard.copy(name);
        }}
      >
        {field.term}
      </button>
    </Tooltip>
  );
}

/** What is wrong, and how to fix it: two sentences. */
const told = (problem: SpecProblem): string =>
  problem.remedy === null ? problemText(problem) : `${asSentence(problemText(problem))} ${problem.remedy}`;

/** Label in plain words, Triton's name in small, the way back to the default, the input, and what is wrong with it. */
export function FieldFrame(props: { field: Field; control: (control: ControlProps) => ReactNode }) {
  const { field } = props;
  const wizard = useWizard();
  const path = pathOf(field);
  const id = `field-${path}`;
  const labelId = `${id}-label`;
  const about = wizard.problems.filter((problem) => isAbout(problem, path));
  const found = about.find(({ severity }) => severity === 'problem');
  const missing = found !== undefined && isMissing(found, wizard.valueAt(field.keys));
  const problem = missing ? undefined : found;
  const warnings = about.filter(({ severity }) => severity === 'warning');
  const notes = about.filter(({ severity }) => severity === 'note');
  const changed = wizard.isChanged(field.keys);
  const grouped = field.control.kind === 'choice';
  return (
    <div
      className={field.wide === true ? 'field wide' : 'field'}
      data-field={path}
      data-kind={field.control.kind}
    >
      <div className="field-head">
        {grouped ? (
          <span id={labelId} className="field-label">
            {field.label}
          </span>
        ) : (
          <label id={labelId} htmlFor={id} className="field-label">
            {field.label}
          </label>
        )}
        <Term field={field} />
        {field.topic === undefined ? null : <TopicHelp topic={field.topic} />}
        {changed ? (
          <Tooltip label={`Back to the default: ${valueText(wizard.defaultOf(field.keys))}`} openDelay={300}>
            <button
              type="button"
              className="plain-button field-changed"
              aria-label={`Reset ${field.label}`}
              onClick={() => {
                resetField(wizard, field.keys);
                // The button goes with the change; the next key belongs to the field, or to the line that it is folded in.
                setTimeout(() => {
                  const input = document.getElementById(id);
                  const folded = input?.closest('details:not([open])');
                  (folded?.querySelector('summary') ?? input)?.focus();
                });
              }}
            >
              changed · reset
            </button>
          </Tooltip>
        ) : null}
      </div>
      {props.control({
        id,
        labelId,
        error: problem === undefined ? undefined : told(problem),
        disabled: field.idle !== undefined,
      })}
      {missing ? (
        <p className="field-help" role="note">
          {problemText(found)}
        </p>
      ) : null}
      {problem === undefined ? null : <ProblemFixes problem={problem} />}
      {notes.map((note) => (
        <p key={note.message} className="field-help" role="note">
          {[`${note.message}.`, note.remedy].filter(Boolean).join(' ')}
        </p>
      ))}
      {warnings.map((warning) => (
        <p key={warning.message} className="field-warning">
          {told(warning)}
        </p>
      ))}
      {warnings.map((warning) => (
        <ProblemFixes key={warning.message} problem={warning} />
      ))}
    </div>
  );
}

/** One line below the input: why it has no effect, else what it is. */
export const helpOf = (field: Field): string | undefined => {
  const text = field.idle === undefined ? field.help : `No effect. ${field.idle}`;
  return text === '' ? undefined : text;
};
