import { IconAlertTriangle, IconCircleX } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { Loading } from '../../../components/loading';
import { Remedy } from '../../../components/remedy';
import { useWorkbench } from '../../../workbench';

/** What the preflight found against this machine; the Environment page has all of it. */
export function MachineNotes() {
  const { machine, route } = useWorkbench();
  const { value, error } = useStore(machine);
  if (value === null) return error === null ? <Loading label="Looking at this machine" /> : null;
  const found = value.checks.filter(({ status }) => status === 'problem' || status === 'warning');
  const { environment, gpus } = value;
  return (
    <section className="panel" aria-label="This machine">
      <div className="panel-head">
        <h3>This machine</h3>
        <span className="dim">
          {environment.cpuCount} CPUs,{' '}
          {gpus.gpus.length === 0 ? 'no GPU' : gpus.gpus.map(({ name }) => name).join(', ')}
        </span>
      </div>
      <ul className="problem-list inset">
        {found.length === 0 ? <li className="dim">The preflight has nothing against it.</li> : null}
        {found.map((check) => (
          <li key={check.id} className="problem-item" data-severity={check.status}>
            {check.status === 'problem' ? (
              <IconCircleX size={15} className="tone-bad" aria-label="Problem" />
            ) : (
              <IconAlertTriangle size={15} className="tone-warn" aria-label="Warning" />
            )}
            <div className="stack-small">
              <span>
                <strong>{check.title}</strong>: {check.finding}
              </span>
              {check.remedy === null ? null : <Remedy text={check.remedy} />}
            </div>
          </li>
        ))}
        <li>
          <button
            type="button"
            className="plain-button link"
            onClick={() => {
              route.getState().go({ page: 'environment' });
            }}
          >
            All checks and GPUs
          </button>
        </li>
      </ul>
    </section>
  );
}
