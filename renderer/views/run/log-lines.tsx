import { useMemo } from 'react';
import { useStore } from 'zustand';
import { ErrorPanel } from '../../components/error-panel';
import { LogView } from '../../components/log-view';
import { matchingLines } from '../../format/log-search';
import { useWorkbench } from '../../workbench';

/** The log of the step that is shown, cut down to the lines with the search. */
export function LogLines(props: { search: string; follow: boolean; onFollow: (follow: boolean) => void }) {
  const { search } = props;
  const { log } = useWorkbench();
  const { lines, version, error } = useStore(log);
  // The list grows in place: its version, not its identity, says that it has changed.
  const { found } = useMemo(
    () => ({ version, found: matchingLines(lines, search) }),
    [lines, search, version],
  );
  if (error !== null) return <ErrorPanel error={error} />;
  return (
    <LogView
      {...props}
      lines={lines}
      version={version}
      shown={found}
      marked={null}
      empty={search === '' ? 'No lines yet.' : `No line contains “${search}”.`}
    />
  );
}
