import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { studyNamePattern } from '../../../main/contract/opened';
import type { StudySpec } from '../../../main/contract/study/study';
import { durationText } from '../../../main/domain/run/time-left';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { counted } from '../../format/words';
import { onText } from '../../handlers';
import { useAnswer } from '../../use-answer';
import { onSubmit, useFormWork } from '../../use-form-work';
import { useWorkbench } from '../../workbench';
import { beginStudy } from './begin-study';
import { choiceText } from './study-chart';

interface StartProps {
  readonly spec: StudySpec;
  readonly onStarted: () => void;
  /** To what the plan was made from; absent: a file. */
  readonly onBack?: () => void;
}

export function StartStudy({ spec, onStarted, onBack }: StartProps) {
  const workbench = useWorkbench();
  const [name, setName] = useState(spec.name);
  const plan = useAnswer((of) => of.call('studies.plan', { spec }), JSON.stringify(spec));
  const { busy, error, begin } = useFormWork();
  if (plan.error !== null) return <ErrorPanel error={plan.error} />;
  if (plan.value === null) return <Loading label="Planning the runs" />;
  const { runs, notes, seconds } = plan.value;
  const leftOut = runs.filter((run) => run.leftOut !== null);
  const possible = runs.length - leftOut.length;
  const isName = studyNamePattern.test(name);
  const start = async (): Promise<void> => {
    await beginStudy(workbench, { ...spec, name });
    onStarted();
  };
  return (
    <form className="stack" onSubmit={onSubmit(() => begin('submit', start))}>
      <TextInput
        label="Name"
        description="Names the study and its reports, and tags its runs."
        maxLength={40}
        error={isName ? null : 'Use up to 40 letters, digits, ".", "_" and "-".'}
        value={name}
        onChange={onText(setName)}
      />
      <p role="status">
        {counted(possible, 'run')}
        {leftOut.length === 0 ? '' : `, ${leftOut.length} left out`}.{' '}
        {seconds === null
          ? ''
          : `Measuring takes about ${durationText(seconds)}; export, conversion and checks add to it.`}
      </p>
      <div className="planned-runs dim" tabIndex={0} role="region" aria-label="Planned runs">
        <ul>
          {runs.map((run) => (
            <li key={run.number}>
              Run {run.number}: {choiceText(run)}
              {run.leftOut === null ? null : `. Left out: ${run.leftOut}`}
            </li>
          ))}
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      </div>
      {error === null ? null : <ErrorPanel error={error} />}
      <Button type="submit" loading={busy !== null} disabled={possible === 0 || !isName}>
        Start {counted(possible, 'run')}
      </Button>
      {onBack === undefined ? null : (
        <Button variant="default" onClick={onBack}>
          Change the fields
        </Button>
      )}
    </form>
  );
}

export function StartDialog({ spec, onClose }: { spec: StudySpec | null; onClose: () => void }) {
  return (
    <Modal opened={spec !== null} onClose={onClose} title="Start study" size="lg">
      {spec === null ? null : <StartStudy spec={spec} onStarted={onClose} />}
    </Modal>
  );
}
