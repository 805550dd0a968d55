import { ActionIcon, Popover, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconHelpCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import type { SpecProblem } from '../../../../main/contract/run/spec-tools';
import type { Keys } from '../../../../main/contract/trees';
import { asSentence } from '../../../format/words';
import { settingsOf } from '../../../stores/settings';
import { useWorkbench } from '../../../workbench';
import { type Field, pathOf } from '../fields/field';
import { useFormView } from '../form-view';
import { ProblemFixes } from '../pages/problem-list';
import { isAbout, isMissing, problemText } from '../problems';
import { fieldText } from '../read-text';
import { useFieldForm } from './field-form';
import { type Topic, topicText } from './topic-text';

function TopicHelp({ topic }: { topic: Topic }) {
  const { title, paragraphs } = topicText[topic];
  return (
    <Popover width={360} position="bottom-start" withArrow shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size={18} aria-label={`Help: ${title}`}>
          <IconHelpCircle size={15} aria-hidden="true" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={title}>
        <div className="topic" tabIndex={0} data-autofocus>
          <h3>{title}</h3>
          {paragraphs.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

export interface ControlProps {
  readonly field: Field;
  readonly labelId: string;
  readonly input: {
    readonly id: string;
    readonly size: 'xs';
    readonly error: ReactNode;
    readonly description: string | undefined;
    readonly inputWrapperOrder: ['input', 'error', 'description'];
    readonly disabled: boolean;
  };
}

function helpOf(field: Field): string | undefined {
  const text = field.idle === undefined ? field.help : `No effect. ${field.idle}`;
  return text === '' ? undefined : text;
}

/** Codes of fields are for those who write specifications: asked for, or beside all settings. */
function useShowsCodes(): boolean {
  const { settings } = useWorkbench();
  const codes = useStore(settings, (state) => settingsOf(state)['window.fieldCodes']);
  const view = useFormView();
  return codes === 'all-settings' ? view === 'all' : codes === 'on';
}

function Term({ field }: { field: Field }) {
  const clipboard = useClipboard({ timeout: 1500 });
  if (!useShowsCodes()) return null;
  const name = field.variable ?? pathOf(field);
  return (
    <Tooltip label={clipboard.copied ? `Copied ${name}` : `Copy ${name}`} openDelay={300}>
      <button
        type="button"
        className="plain-button field-term"
        aria-label={`Copy ${name}`}
        onClick={() => clipboard.copy(name)}
      >
        {field.term}
      </button>
    </Tooltip>
  );
}

export const problemWithRemedy = (problem: SpecProblem): string =>
  problem.remedy === null ? problemText(problem) : `${asSentence(problemText(problem))} ${problem.remedy}`;

function Changed({ id, label, all }: { id: string; label: string; all: readonly Keys[] }) {
  const form = useFieldForm();
  if (!all.some((keys) => form.isChanged(keys))) return null;
  return (
    <Tooltip
      label={`Back to the default: ${all.map((keys) => fieldText(pathOf({ keys }), form.defaultOf(keys))).join(', ')}`}
      openDelay={300}
    >
      <button
        type="button"
        className="plain-button field-changed"
        aria-label={`Reset ${label}`}
        onClick={() => {
          for (const keys of all) form.reset(keys);
          // The button goes with the change; the focus moves to the field, or to the line that it is folded in.
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
  );
}

export function FieldFrame(props: {
  field: Field;
  also?: readonly Keys[] | undefined;
  control: (control: ControlProps) => ReactNode;
}) {
  const { field, also = [] } = props;
  const form = useFieldForm();
  const path = pathOf(field);
  const all = [field.keys, ...also];
  const id = `${form.name}-${path}`;
  const labelId = `${id}-label`;
  const about = form.problems.filter((problem) => all.some((keys) => isAbout(problem, pathOf({ keys }))));
  const found = about.find(({ severity }) => severity === 'problem');
  const missing = found !== undefined && isMissing(found, form.valueAt(field.keys));
  const problem = missing ? undefined : found;
  const warnings = about.filter(({ severity }) => severity === 'warning');
  const notes = about.filter(({ severity }) => severity === 'note');
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
        <Changed id={id} label={field.label} all={all} />
      </div>
      {props.control({
        field,
        labelId,
        input: {
          id,
          size: 'xs',
          error: problem === undefined ? undefined : problemWithRemedy(problem),
          description: helpOf(field),
          inputWrapperOrder: ['input', 'error', 'description'],
          disabled: field.idle !== undefined,
        },
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
          {problemWithRemedy(warning)}
        </p>
      ))}
      {warnings.map((warning) => (
        <ProblemFixes key={warning.message} problem={warning} />
      ))}
    </div>
  );
}
