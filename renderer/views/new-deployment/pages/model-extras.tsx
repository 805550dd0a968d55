import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { attempt } from '../../../components/notices';
import { Panel } from '../../../components/panel';
import { useNow } from '../../../components/use-time';
import { formatAge } from '../../../format/age';
import { onText } from '../../../handlers';
import { useWorkbench } from '../../../workbench';
import { useWizard } from '../wizard-context';
import { type Recent, recentModels } from './recents';

/** What was put together or deployed last, to begin from. */
export function RecentModels() {
  const { client, runs } = useWorkbench();
  const { draft } = useWizard();
  const now = useNow(false);
  const list = useStore(runs, (state) => state.value) ?? [];
  const recents = recentModels(draft.older, list);
  if (recents.length === 0) return null;
  const use = async ({ from, title, detail }: Recent): Promise<void> => {
    const what = `${title}, ${detail}`;
    if (from.kind === 'draft') {
      draft.reuse(from.draft.choice, what);
      return;
    }
    const { spec } = await client.call('runs.get', { runId: from.runId });
    draft.reuse(await client.call('spec.choice', { spec }), what);
  };
  return (
    <Panel title="Recent" level={3}>
      <ul className="recents">
        {recents.map((recent) => (
          <li key={recent.key}>
            <button
              type="button"
              className="plain-button recent"
              onClick={() => {
                attempt(() => use(recent));
              }}
            >
              <span className="link">{recent.title}</span>
              <span className="cut dim" title={recent.detail}>
                {recent.detail}
              </span>
              <span className="dim">
                {recent.from.kind === 'run' ? 'run' : 'draft'}, {formatAge(recent.at, now)} ago
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** An argument of the model's code that the profile does not name. */
export function AddArgument() {
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
      <Button
        size="xs"
        variant="default"
        disabled={!good || value === ''}
        onClick={() => {
          draft.change(['model', 'args', name], value);
          setName('');
          setValue('');
        }}
      >
        Add
      </Button>
    </div>
  );
}
