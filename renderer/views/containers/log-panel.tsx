import { IconChevronDown, IconChevronUp, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { ContainerInfo } from '../../../main/contract/docker';
import { formatCount } from '../../../main/contract/numbers';
import { BareIcon, CompactButton } from '../../components/actions';
import { CopyButton } from '../../components/copy-button';
import { ErrorPanel } from '../../components/error-panel';
import { SearchInput } from '../../components/input/search-input';
import { LogView } from '../../components/log-view';
import { useWorkbench } from '../../workbench';

function Search() {
  const { containerLog } = useWorkbench();
  const { search, found, current, setSearch, jump } = useStore(containerLog);
  const place =
    current === null ? formatCount(found.length) : `${current + 1} of ${formatCount(found.length)}`;
  return (
    <>
      {search === '' ? null : (
        <span className="dim" role="status">
          {found.length === 0 ? 'Not found' : place}
        </span>
      )}
      <SearchInput
        w={220}
        label="Search the log"
        value={search}
        onSearch={setSearch}
        onKeyDown={(event) => {
          if (event.key === 'Enter') jump(event.shiftKey ? -1 : 1);
          if (event.key === 'Escape') setSearch('');
        }}
      />
      {([-1, 1] as const).map((by) => (
        <BareIcon
          key={by}
          icon={by === 1 ? IconChevronDown : IconChevronUp}
          size={16}
          label={by === 1 ? 'Next line found' : 'Previous line found'}
          disabled={found.length === 0}
          onClick={() => jump(by)}
        />
      ))}
    </>
  );
}

/** `container` is null once Docker has removed it: its lines stay. */
export function LogPanel({ container }: { container: ContainerInfo | null }) {
  const { containerLog } = useWorkbench();
  const state = useStore(containerLog);
  const { name, title, lines, version, found, current, search, paused, heldCount, error } = state;
  const running = container?.state === 'running';
  return (
    <section className="column container-log" aria-label={`Log of ${name}`}>
      <div className="row wrap dock-head">
        <h2 className="dock-title cut" title={name}>
          Log of {title}
        </h2>
        {container === null ? (
          <span className="dim">The container was removed. These are its last log lines.</span>
        ) : null}
        <div className="row end">
          <Search />
          {container === null && heldCount === 0 ? null : (
            <CompactButton
              icon={paused ? IconPlayerPlay : IconPlayerPause}
              onClick={paused ? state.resume : state.pause}
            >
              {!paused ? 'Pause' : heldCount === 0 ? 'Resume' : `Resume, ${formatCount(heldCount)} new`}
            </CompactButton>
          )}
          <CopyButton text={() => lines.join('\n')} label="Copy the whole log" />
        </div>
      </div>
      <div className="dock-body">
        {error === null ? (
          <LogView
            lines={lines}
            version={version}
            search={search}
            marked={current === null ? null : (found[current] ?? null)}
            follow={!paused}
            onFollow={(follow) => {
              if (!follow) state.pause();
            }}
            empty={running ? 'No output yet.' : 'The container wrote no output.'}
          />
        ) : (
          <ErrorPanel error={error} />
        )}
      </div>
    </section>
  );
}
