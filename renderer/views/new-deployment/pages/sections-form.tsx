import type { Section } from '../fields/field';
import { FieldInput } from '../controls/field-input';
import { AddArgument } from './model-extras';
import type { ReactNode } from 'react';
import { useWizard } from '../wizard-context';

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

/** The sections of a page; a folded one is open from the start where something in it was changed. */
export function SectionsForm({ sections }: { sections: readonly Section[] }) {
  const { isChanged } = useWizard();
  return sections.map((section) => {
    if (section.fields.length === 0) return null;
    if (section.folded !== true) {
      return (
        <section key={section.title} className="panel" aria-label={section.title}>
          <div className="panel-head">
            <h3>{section.title}</h3>
          </div>
          <Fields section={section} />
        </section>
      );
    }
    const changed = section.fields.filter((field) => isChanged(field.keys)).length;
    return (
      <details key={section.title} className="panel folded" open={changed > 0 ? true : undefined}>
        <summary>
          {section.title}
          <span className="dim">{changed === 0 ? ' · as the defaults' : ` · ${changed} changed`}</span>
        </summary>
        <Fields section={section} after={section.open === true ? <AddArgument /> : undefined} />
      </details>
    );
  });
}
