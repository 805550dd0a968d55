import type { ReactNode } from 'react';
import { useState } from 'react';
import { Panel } from '../../../components/panel';
import { FieldInput } from '../controls/field-input';
import type { Section } from '../fields/field';
import { useWizard } from '../wizard-context';
import { AddArgument } from './model-extras';

function Fields({ section, after }: { section: Section; after?: ReactNode }) {
  return (
    <div className="panel-body">
      {section.note === undefined ? null : <p className="section-note">{section.note}</p>}
      <div className="fields">
        {section.fields.map((field) => (
          <FieldInput key={field.keys.join('.')} field={field} />
        ))}
      </div>
      {after}
    </div>
  );
}

/** Open from the start where something in it was changed; what is open stays so, also when that is taken back. */
function FoldedSection({ section }: { section: Section }) {
  const { isChanged } = useWizard();
  const changed = section.fields.filter((field) => isChanged(field.keys)).length;
  const [seen, setSeen] = useState(changed);
  const [open, setOpen] = useState(changed > 0);
  if (changed !== seen) {
    setSeen(changed);
    if (seen === 0) setOpen(true);
  }
  return (
    <details
      className="panel folded"
      open={open}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        {section.title}
        <span className="dim">{changed === 0 ? ' · as the defaults' : ` · ${changed} changed`}</span>
      </summary>
      <Fields section={section} after={section.open === true ? <AddArgument /> : undefined} />
    </details>
  );
}

export function SectionsForm({ sections }: { sections: readonly Section[] }) {
  return sections.map((section) => {
    if (section.fields.length === 0) return null;
    if (section.folded !== true) {
      return (
        <Panel key={section.title} title={section.title} level={3}>
          <Fields section={section} />
        </Panel>
      );
    }
    return <FoldedSection key={section.title} section={section} />;
  });
}
