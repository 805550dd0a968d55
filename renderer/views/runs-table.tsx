import { useStore } from 'zustand';
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { RunSummary } from '../../main/contract/api';
import { RunStatusText } from '../components/status-text';
import { formatMs, formatRate, formatWhen, formatWhenFully } from '../format/numbers';
import { useWorkbench } from '../workbench';

function Accuracy({ run }: { run: RunSummary }) {
  if (run.accuracyPassed === null) return <span className="dim">–</span>;
  if (run.accuracyPassed) {
    return (
      <span className="status tone-good">
        <IconCircleCheck size={15} aria-hidden="true" /> Passed
      </span>
    );
  }
  return run.best === null ? (
    <span className="status tone-bad">
      <IconCircleX size={15} aria-hidden="true" /> Not passed
    </span>
  ) : (
    <span className="status tone-warn">
      <IconAlertTriangle size={15} aria-hidden="true" /> Unverified
    </span>
  );
}

/** One row a run; the name is the row's link, a click anywhere does the same. */
export function RunsTable({ runs }: { runs: readonly RunSummary[] }) {
  const { route, presets } = useWorkbench();
  const known = useStore(presets, (state) => state.value) ?? [];
  const open = (runId: string): void => {
    route.getState().go({ page: 'run', runId });
  };
  return (
    <div className="panel table-scroll">
      <table className="table runs-table">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Format</th>
            <th scope="col">Profile</th>
            <th scope="col">Engine</th>
            <th scope="col">State</th>
            <th scope="col">Accuracy</th>
            <th scope="col" className="number">
              Best, inferences/s
            </th>
            <th scope="col" className="number">
              its p99, ms
            </th>
            <th scope="col" className="number">
              Started
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr
              key={run.runId}
              data-run={run.runId}
              onClick={() => {
                open(run.runId);
              }}
            >
              <td>
                <button
                  type="button"
                  className="plain-button run-name"
                  title={run.runId}
                  onClick={(event) => {
                    event.stopPropagation();
                    open(run.runId);
                  }}
                >
                  {known.find((preset) => preset.id === run.preset)?.title ?? run.preset}
                </button>
              </td>
              <td>
                {run.format} {run.precision}
              </td>
              <td>{run.profile}</td>
              <td>{run.engine}</td>
              <td>
                <RunStatusText status={run.status} />
              </td>
              <td>
                <Accuracy run={run} />
              </td>
              <td className="number">{run.best === null ? '–' : formatRate(run.best.inferencesPerSecond)}</td>
              <td className="number">{run.best === null ? '–' : formatMs(run.best.p99Us)}</td>
              <td className="number" title={formatWhenFully(run.createdAt)}>
                {formatWhen(run.createdAt)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
