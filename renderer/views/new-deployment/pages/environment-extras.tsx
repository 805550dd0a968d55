import { IconAlertTriangle, IconCircleX } from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { Check } from '../../../../main/contract/machine';
import type { EngineKind } from '../../../../main/contract/run/run-spec';
import { PageLink } from '../../../components/links';
import { Loading } from '../../../components/loading';
import { Panel } from '../../../components/panel';
import { Remedy } from '../../../components/remedy';
import { useWorkbench } from '../../../workbench';
import { engineOf } from '../fields/why-not';
import { useWizard } from '../wizard-context';

const outsideContainers: ReadonlySet<Check['id']> = new Set(['tools', 'disk']);

/** The checks that a run with this kind of engine depends on: containers bring their tools, the others need no Docker. */
const concerns = (kind: EngineKind, { id }: Pick<Check, 'id'>): boolean =>
  kind === 'docker' ? id !== 'tools' : outsideContainers.has(id);

/** What the preflight found against this machine; the Environment page has all of it. */
export function MachineNotes() {
  const { machine } = useWorkbench();
  const { value, error } = useStore(machine);
  const { kind } = engineOf(useWizard().context);
  if (value === null) return error === null ? <Loading label="Checking this machine" /> : null;
  const found = value.checks.filter(
    (check) => (check.status === 'problem' || check.status === 'warning') && concerns(kind, check),
  );
  const { environment, gpus } = value;
  return (
    <Panel
      title="This machine"
      level={3}
      note={
        <>
          {environment.cpuCount} CPUs,{' '}
          {gpus.gpus.length === 0 ? 'no GPU' : gpus.gpus.map(({ name }) => name).join(', ')}
        </>
      }
    >
      <ul className="problem-list inset">
        {found.length === 0 ? <li className="dim">No problems found for this engine.</li> : null}
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
              {/* The field of the engine, above, has the buttons for the tools. */}
              {check.remedy === null || check.id === 'tools' ? null : <Remedy text={check.remedy} />}
            </div>
          </li>
        ))}
        <li>
          <PageLink to={{ page: 'environment' }}>All checks and GPUs</PageLink>
        </li>
      </ul>
    </Panel>
  );
}
