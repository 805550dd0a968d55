import { useStore } from 'zustand';
import type { StepState, StepStatus } from '../../../main/contract/run/run-state';
import { ErrorPanel } from '../../components/error-panel';
import { LogView } from '../../components/log-view';
import { useWorkbench } from '../../workbench';

/** What is said in place of the lines of a log that has none. Pure. */
export function emptyLogText(status: StepStatus): string {
  switch (status) {
    case 'running':
      return 'No lines yet.';
    case 'waiting':
      return 'This step has not started.';
    case 'skipped':
      return 'This step was not run, so it wrote no log.';
    case 'done':
    case 'failed':
    case 'cancelled':
      return 'This step wrote no log.';
  }
}

/** The log of the step that is shown, cut down to the lines that are wanted. */
export function LogLines(props: {
  step: StepState;
  wrap: boolean;
  follow: boolean;
  onFollow: (follow: boolean) => void;
}) {
  const { step, ...view } = props;
  const { log } = useWorkbench();
  const { lines, version, error, wish } = useStore(log);
  if (error !== null) return <ErrorPanel error={error} />;
  const isEmpty = lines.length === 0 && wish.search === '' && wish.level === 'all';
  // A run of an earlier version did not write why a step failed to its log.
  if (isEmpty && step.error !== null) return <ErrorPanel error={step.error} />;
  const which = wish.level === 'all' ? 'line' : wish.level;
  return (
    <LogView
      {...view}
      lines={lines}
      version={version}
      search={wish.search}
      marked={null}
      empty={
        wish.search === ''
          ? which === 'line'
            ? emptyLogText(step.status)
            : `No ${which} so far.`
          : `No ${which} contains “${wish.search}”.`
      }
    />
  );
}
