import { useEffect, useEffectEvent, useState } from 'react';
import { useStore } from 'zustand';
import {
  definitionOf,
  settingGroups,
  type SettingKey,
  settingKeys,
  type SettingsState,
} from '../../../main/contract/settings/settings';
import { SmallButton } from '../../components/actions';
import { Answer } from '../../components/answer';
import { ErrorPanel } from '../../components/error-panel';
import { SearchInput } from '../../components/input/search-input';
import { attempting, noticeDone } from '../../components/notices';
import { Page } from '../../components/page';
import { Panel } from '../../components/panel';
import { useWorkbench } from '../../workbench';
import { KeepRunsRow } from './keep-runs-row';
import { SettingRow } from './setting-control';
import { StoragePanel } from './storage-panel';

const storageWords = 'storage workbench home folder move size cache trash images clean up';

export function findSettings(search: string): ReadonlySet<SettingKey> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return new Set(
    settingKeys.filter((key) => {
      const { title, help, group, choices = {} } = definitionOf(key);
      const text = [key, title, help, group, ...Object.values(choices)].join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    }),
  );
}

function FileProblems({ state }: { state: SettingsState }) {
  const { client, settings } = useWorkbench();
  const { broken, invalid, unknown, file } = state;
  if (broken !== null) {
    return (
      <ErrorPanel
        withRemedy={false}
        error={{ code: 'input-invalid', message: `The settings cannot be read: ${broken}.`, where: file }}
      >
        <p>All settings have their defaults, and none can be changed. Correct the file, or set it aside.</p>
        <SmallButton
          onClick={attempting(async () => {
            const { path } = await client.call('settings.setAside');
            await settings.getState().load();
            noticeDone('Settings set aside', path);
          })}
        >
          Set aside
        </SmallButton>
      </ErrorPanel>
    );
  }
  const lines = [
    ...invalid.map(({ key, reason }) => `${definitionOf(key).title} ${reason}. The default is used.`),
    ...(unknown.length === 0 ? [] : [`Unknown keys, which have no effect: ${unknown.join(', ')}.`]),
  ];
  if (lines.length === 0) return null;
  return (
    <Panel title="settings.json" note={file}>
      <ul className="panel-body">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Panel>
  );
}

const changedText = (changed: readonly SettingKey[]): string => {
  if (changed.length === 0) return 'Every setting has its default';
  const named = changed.map((key) => definitionOf(key).title).join(', ');
  return changed.length === 1
    ? `1 setting is changed (${named})`
    : `${changed.length} settings are changed (${named})`;
};

function Groups({ state, search }: { state: SettingsState; search: string }) {
  const found = findSettings(search);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const showsStorage = found.has('runs.keepDays') || words.every((word) => storageWords.includes(word));
  const rows = (group: string) =>
    settingKeys.filter((key) => definitionOf(key).group === group && found.has(key));
  const groups = settingGroups.filter((group) => group !== 'Storage' && rows(group).length > 0);
  if (groups.length === 0 && !showsStorage) return <p className="dim">No setting matches “{search}”.</p>;
  return (
    <>
      {groups.map((group) => (
        <Panel key={group} title={group}>
          {rows(group).map((key) => (
            <SettingRow key={key} id={key} value={state.values[key]} />
          ))}
        </Panel>
      ))}
      {showsStorage ? (
        <StoragePanel>
          <KeepRunsRow value={state.values['runs.keepDays']} />
        </StoragePanel>
      ) : null}
    </>
  );
}

function useSoughtSetting(showAll: () => void): void {
  const { settings, app } = useWorkbench();
  const { state, sought } = useStore(settings);
  const info = useStore(app, ({ value }) => value);
  const isReady = state !== null && info !== null;
  const show = useEffectEvent(showAll);
  useEffect(() => {
    if (sought === null || !isReady) return undefined;
    show();
    // After the palette has given the focus back.
    const timer = setTimeout(() => {
      const row = document.querySelector(`[data-setting="${sought}"]`);
      row?.scrollIntoView({ block: 'nearest' });
      row?.querySelector<HTMLElement>('input, select, button')?.focus({ preventScroll: true });
      settings.getState().seek(null);
    }, 50);
    return () => clearTimeout(timer);
  }, [settings, sought, isReady]);
}

export function SettingsView() {
  const { settings, storage, overlay } = useWorkbench();
  const { state, error } = useStore(settings);
  const [search, setSearch] = useState('');
  useEffect(() => {
    void settings.getState().load();
    void storage.getState().load();
  }, [settings, storage]);
  useSoughtSetting(() => setSearch(''));
  return (
    <Page
      title="Settings"
      actions={
        <SmallButton onClick={() => overlay.getState().show('shortcuts')}>Keyboard shortcuts</SmallButton>
      }
    >
      <div className="stack settings">
        <SearchInput size="sm" type="search" label="Search settings" value={search} onSearch={setSearch} />
        {error === null ? null : <ErrorPanel error={error} />}
        {state === null ? null : (
          <>
            <Answer text={changedText(state.changed)} tone="dim" />
            <FileProblems state={state} />
            <div className="settings-groups">
              <Groups state={state} search={search} />
            </div>
            <p className="dim">
              Kept in {state.file}. The command “triton-workbench settings” lists and sets the same settings.
            </p>
          </>
        )}
      </div>
    </Page>
  );
}
