import { useStore } from 'zustand';
import { attempting } from '../../../components/notices';
import { Panel } from '../../../components/panel';
import { useNow } from '../../../components/use-time';
import { formatAge } from '../../../format/age';
import { newDraftOf } from '../../../stores/draft/draft-session';
import { settingsOf } from '../../../stores/settings';
import { useWorkbench } from '../../../workbench';
import { runAgain } from '../../runs/run-tools';
import { type Recent, recentModels } from './recents';

/** What was put together or deployed last, to begin from: a draft as it was left, of a run only what it changed of the defaults. */
export function RecentList({ onDraft }: { onDraft: () => void }) {
  const workbench = useWorkbench();
  const { runs, presets, draft, settings } = workbench;
  const { older, openDraft } = useStore(draft);
  const fresh = newDraftOf(settingsOf(useStore(settings)));
  const now = useNow(false);
  const list = useStore(runs, (state) => state.value) ?? [];
  const known = useStore(presets, (state) => state.value) ?? [];
  const titleOf = (preset: string): string => known.find(({ id }) => id === preset)?.title ?? preset;
  const recents = recentModels(older, list, titleOf, fresh);
  if (recents.length === 0) return null;
  const use = async ({ from }: Recent): Promise<void> => {
    if (from.kind === 'run') {
      await runAgain(workbench, from.runId);
      return;
    }
    openDraft(from.draft);
    onDraft();
  };
  return (
    <Panel title="Recent">
      <ul className="recents">
        {recents.map((recent) => (
          <li key={recent.key}>
            <button type="button" className="plain-button recent" onClick={attempting(() => use(recent))}>
              <strong className="cut">{recent.title}</strong>
              <span className="cut dim" title={recent.detail}>
                {recent.detail}
              </span>
              <span className="dim">{formatAge(recent.at, now)} ago</span>
              <span className="link">
                {recent.from.kind === 'run' ? 'Run again with changes' : 'Continue this draft'}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
