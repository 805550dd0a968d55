import { useStore } from 'zustand';
import { ErrorPanel } from '../../components/error-panel';
import { LogView } from '../../components/log-view';
import { useWorkbench } from '../../workbench';

/** The log of the step that is shown, cut down to the lines that are wanted. */
export function LogLines(props: { wrap: boolean; follow: boolean; onFollow: (follow: boolean) => void }) {
  const { log } = useWorkbench();
  const { lines, version, error, wish } = useStore(log);
  if (error !== null) return <ErrorPanel error={error} />;
  const which = wish.level === 'info' ? 'line' : wish.level === 'error' ? 'error' : 'warning or error';
  return (
    <LogView
      {...props}
      lines={lines}
      version={version}
      search={wish.search}
      marked={null}
      empty={
        wish.search === ''
          ? which === 'line'
            ? 'No lines yet.'
            : `No ${which} so far.`
          : `No ${which} contains “${wish.search}”.`
      }
    />
  );
}
