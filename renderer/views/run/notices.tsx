import { IconHourglass, IconServer2, IconShieldCheck } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { jobLine } from '../../../main/contract/job/run-job';
import { importKindText, type ImportSource } from '../../../main/contract/run/imported';
import { originText } from '../../../main/contract/run/run-content';
import {
  type LeftOutLines,
  leftOutText,
  type RunWait,
  waitRemedy,
  waitText,
} from '../../../main/contract/run/run-events';
import { isDeployed } from '../../../main/contract/run/run-source';
import type { RunState, RunStatus } from '../../../main/contract/run/run-state';
import { measuredOnText, type ServerLoad } from '../../../main/contract/run/server-load';
import { changesText } from '../../../main/contract/run/spec-tools';
import { measuresInTurns } from '../../../main/domain/run/in-turns';
import { SmallButton } from '../../components/actions';
import { PageLink } from '../../components/links';
import { formatWhen } from '../../format/times';
import { doRunWork, worksFor } from '../../stores/run-work';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';
import { showsMeasurements } from './shown-step';

export function OriginNotice({ state }: { state: Pick<RunState, 'runId' | 'origin' | 'status' | 'source'> }) {
  const { client, run } = useWorkbench();
  const [busy, working] = useWork();
  const { runId, origin, status } = state;
  const text = originText[origin];
  if (text === null) return null;
  const goesOn = worksFor(status).includes('resume');
  return (
    <section className="panel panel-body stack" role="status">
      {text}
      {origin === 'foreign' && isDeployed(state) ? (
        <div>
          <SmallButton
            icon={IconShieldCheck}
            loading={busy}
            title="Shows the files, images and paths that the run would use, and asks for confirmation"
            onClick={working(async () => {
              await client.call('runs.trust', { runId });
              if (goesOn) await doRunWork(client, runId, 'resume');
              await run.getState().open(runId);
            })}
          >
            {goesOn ? 'Trust and continue…' : 'Trust this run…'}
          </SmallButton>
        </div>
      ) : null}
    </section>
  );
}

/** Lines of the journal that could not be read. */
export function LeftOutNotice({ state }: { state: LeftOutLines }) {
  const text = leftOutText(state);
  return text === null ? null : (
    <section className="panel run-notice unverified" role="status">
      {text}
    </section>
  );
}

export function ImportPanel({ source }: { source: ImportSource }) {
  return (
    <section className="panel run-notice unverified" role="status" aria-label="Imported">
      <p>
        Imported from <strong>{source.fileName}</strong> ({importKindText[source.kind]}): not measured here.
        Machine, Triton and parameters are unknown; – marks values that are not in the file.
      </p>
      <ul>
        {source.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}

export function ServerPanel({ load }: { load: ServerLoad }) {
  return (
    <section className="panel panel-body" aria-label="Measured server">
      {measuredOnText(load)} The workbench did not deploy its model: the configuration is that of the server,
      and accuracy was not checked.
    </section>
  );
}

export function ChangesNotice({ changes }: { changes: RunState['specChanges'] }) {
  if (changes.length === 0) return null;
  return (
    <section className="panel panel-body stack" aria-label="Specification changes">
      {changes.map(({ at, changed }) => (
        <div key={at}>
          Specification changed {formatWhen(at)}: <span className="mono">{changesText(changed)}</span>
        </div>
      ))}
    </section>
  );
}

const texts: Partial<Record<RunStatus, string>> = {
  paused: 'Paused. Resume continues with the next level; nothing is repeated.',
  interrupted: 'Interrupted: the workbench closed during this run. Resume continues; nothing is repeated.',
  cancelled: 'Cancelled. Resume continues with the first step or level that is not done.',
};

const inTurns = 'Levels whose last window had ended are kept; the others are measured again.';
const turnsTexts: typeof texts = {
  paused: `Paused. Resume continues. ${inTurns}`,
  interrupted: `Interrupted: the workbench closed during this run. Resume continues. ${inTurns}`,
  cancelled: `Cancelled. Resume continues. ${inTurns}`,
};

export function StoppedNotice({ state }: { state: RunState }) {
  const text = measuresInTurns(state) ? turnsTexts[state.status] : texts[state.status];
  if (text === undefined) return null;
  // The end of the job says more than the state of the run.
  const job = jobLine(state);
  const resume = 'Resume submits a new job; nothing measured is repeated.';
  return (
    <section
      className={state.status === 'cancelled' ? 'panel run-notice neutral' : 'panel run-notice unverified'}
      role="status"
    >
      {job === null ? text : `${job} ${resume}`}{' '}
      {showsMeasurements(state) ? 'Results so far are kept.' : 'Nothing was measured yet.'}
    </section>
  );
}

export function JobNotice({ state }: { state: RunState }) {
  const text = state.status === 'running' ? jobLine(state) : null;
  if (text === null) return null;
  return (
    <section className="panel run-notice waiting" role="status">
      <IconServer2 size={15} aria-hidden="true" /> {text} The job continues when you close the window.
    </section>
  );
}

export function WaitingNotice({ waitsFor }: { waitsFor: RunWait }) {
  const { runs, presets } = useWorkbench();
  const row = useStore(runs, (list) => list.value?.find((run) => run.runId === waitsFor.what));
  const title = useStore(presets, (list) => list.value?.find((preset) => preset.id === row?.preset)?.title);
  return (
    <section className="panel run-notice waiting" role="status">
      <IconHourglass size={15} aria-hidden="true" />{' '}
      {row === undefined ? (
        waitText(waitsFor)
      ) : (
        <>
          Waiting for{' '}
          <PageLink to={{ page: 'run', runId: row.runId }}>
            {row.name ?? `${title ?? row.preset} · ${row.format} ${row.precision} · ${row.profile}`}
          </PageLink>
          .
        </>
      )}{' '}
      {waitRemedy(waitsFor)}
    </section>
  );
}
