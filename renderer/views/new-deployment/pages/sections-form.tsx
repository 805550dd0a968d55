import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SmallButton } from '../../../components/actions';
import { Panel } from '../../../components/panel';
import { onText } from '../../../handlers';
import { FieldInput } from '../controls/field-input';
import { type Field, pathOf, type Section } from '../fields/field';
import { idleText, shownFields } from '../fields/shown-fields';
import { isAbout } from '../problems';
import { useWizard } from '../wizard-context';

function AddArgument() {
  const { draft } = useWizard();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const good = /^[A-Za-z_]\w*$/.test(name);
  return (
    <div className="add-argument" role="group" aria-label="Another argument">
      <TextInput
        size="xs"
        label="Another argument"
        placeholder="name"
        value={name}
        error={name === '' || good ? undefined : 'Only letters, digits and “_”'}
        onChange={onText(setName)}
      />
      <TextInput size="xs" label="Value" value={value} onChange={onText(setValue)} />
      <SmallButton
        disabled={!good || value === ''}
        onClick={() => {
          draft.change(['model', 'args', name], value);
          setName('');
          setValue('');
        }}
      >
        Add
      </SmallButton>
    </div>
  );
}

const Inputs = ({ fields }: { fields: readonly Field[] }) => (
  <div className="fields">
    {fields.map((field) => (
      <FieldInput key={pathOf(field)} field={field} />
    ))}
  </div>
);

function useShownFields({ fields }: Section): ReturnType<typeof shownFields> {
  const { isChanged, problems } = useWizard();
  return shownFields(
    fields,
    (field) => isChanged(field.keys) || problems.some((problem) => isAbout(problem, pathOf(field))),
  );
}

/** Fields of a section; those without effect are one line. */
export function SectionFields({ section, after }: { section: Section; after?: ReactNode }) {
  const found = useShownFields(section);
  // A folded section has the reason in its own line.
  const isWhole = section.folded === true && found.shown.length === 0 && found.idle.length === 1;
  const { shown, idle } = isWhole ? { shown: section.fields, idle: [] } : found;
  return (
    <div className="panel-body">
      {section.note === undefined ? null : <p className="section-note">{section.note}</p>}
      {shown.length === 0 ? null : <Inputs fields={shown} />}
      {idle.map((group) => (
        <details key={group.reason} className="idle-fields">
          <summary className="dim">{idleText(group)}</summary>
          <Inputs fields={group.fields} />
        </details>
      ))}
      {after}
    </div>
  );
}

/** Open at first where something in it was changed; it stays open when that is undone. */
function FoldedSection({ section }: { section: Section }) {
  const { isChanged } = useWizard();
  const { shown, idle } = useShownFields(section);
  const [group] = shown.length === 0 ? idle : [];
  const changed = section.fields.filter((field) => isChanged(field.keys)).length;
  const unchanged = group === undefined ? 'defaults' : idleText(group);
  const [seen, setSeen] = useState(changed);
  const [open, setOpen] = useState(changed > 0);
  if (changed !== seen) {
    setSeen(changed);
    if (seen === 0) setOpen(true);
  }
  return (
    <details className="panel folded" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {section.title}
        <span className="dim">{` · ${changed === 0 ? unchanged : `${changed} changed`}`}</span>
      </summary>
      <SectionFields section={section} after={section.open === true ? <AddArgument /> : undefined} />
    </details>
  );
}

export function SectionsForm({ sections }: { sections: readonly Section[] }) {
  return sections.map((section) => {
    if (section.fields.length === 0) return null;
    if (section.folded !== true) {
      return (
        <Panel key={section.title} title={section.title} level={3}>
          <SectionFields section={section} />
        </Panel>
      );
    }
    return <FoldedSection key={section.title} section={section} />;
  });
}
