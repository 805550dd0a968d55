import { Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { LicensedSoftware } from '../../../main/contract/calls/application-calls';
import { ErrorPanel } from '../../components/error-panel';
import { useAnswer } from '../../use-answer';
import { useWorkbench } from '../../workbench';

const groups = {
  program: 'Programs in this package',
  npm: 'JavaScript packages in this package',
  pypi: 'Python packages that the set-up installs from an index',
} as const;

function One({ software: { name, version, license, text } }: { software: LicensedSoftware }) {
  const title = `${name} ${version}`;
  return (
    <details className="license">
      <summary>
        {title} <span className="dim">{license}</span>
      </summary>
      <pre tabIndex={0} role="region" aria-label={`License of ${title}`}>
        {text === '' ? 'The text of the license comes with the installed package.' : text}
      </pre>
    </details>
  );
}

function List() {
  const [sought, setSought] = useState('');
  const { value, error } = useAnswer((one) => one.call('support.licenses'));
  if (error !== null) return <ErrorPanel error={error} />;
  if (value === null) return <p className="dim">Loading…</p>;
  const { software } = value;
  if (software === null) {
    return (
      <p>
        An installed package lists its software here. In a clone, see package-lock.json and
        resources/requirements/locked.
      </p>
    );
  }
  const words = sought.trim().toLowerCase();
  const found = software.filter(({ name, license }) => `${name} ${license}`.toLowerCase().includes(words));
  return (
    <div className="stack">
      <TextInput
        label="Find"
        placeholder="Name or license"
        value={sought}
        onChange={({ currentTarget }) => setSought(currentTarget.value)}
      />
      {found.length === 0 && <p role="status">No software has “{sought.trim()}” in its name or license.</p>}
      {(Object.keys(groups) as (keyof typeof groups)[]).map((kind) => {
        const of = found.filter((one) => one.kind === kind);
        return of.length === 0 ? null : (
          <section key={kind} aria-label={groups[kind]}>
            <h3>
              {groups[kind]} ({of.length})
            </h3>
            {of.map((one) => (
              <One key={`${one.name} ${one.version}`} software={one} />
            ))}
          </section>
        );
      })}
    </div>
  );
}

export function Licenses() {
  const { overlay } = useWorkbench();
  const { shown, close } = useStore(overlay);
  const isShown = shown === 'licenses';
  return (
    <Modal opened={isShown} onClose={close} size={760} title="Licenses">
      {isShown && <List />}
    </Modal>
  );
}
