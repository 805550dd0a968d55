import { useState } from 'react';
import { useStore } from 'zustand';
import type { WireError } from '../../../../main/contract/errors';
import { hasPipeline, mediaOf, type PipelineTask } from '../../../../main/contract/run/hugging-face';
import { present } from '../../../../main/contract/trees';
import { SmallButton } from '../../../components/actions';
import { ErrorPanel } from '../../../components/error-panel';
import { LinkButton } from '../../../components/links';
import { attempting } from '../../../components/notices';
import { useWorkbench } from '../../../workbench';
import { useWizard } from '../wizard-context';

function Writing() {
  const { work, cancel } = useStore(useWorkbench().pipelineChoice);
  return (
    <div className="row">
      <progress
        className="bar"
        max={1}
        aria-label="Writing the pipeline"
        {...present({ value: work?.fraction ?? undefined })}
      />
      <span className="dim">{work?.text ?? 'Starting'}</span>
      <SmallButton disabled={work === null} onClick={attempting(cancel)}>
        Cancel
      </SmallButton>
    </div>
  );
}

/** How samples are given for what a pipeline takes. */
const kinds = {
  texts: {
    kind: 'file',
    text: 'Choose a file of texts…',
    title: 'Texts: one per line, or a table (.csv, .jsonl)',
  },
  images: { kind: 'folder', text: 'Choose a folder of images…', title: 'Folder of images' },
  audio: { kind: 'folder', text: 'Choose a folder of recordings…', title: 'Folder of WAV files' },
} as const;

/** Those of the workbench, or a person's own with their labels. */
function SamplesField(props: {
  of: keyof typeof kinds;
  path: string | null;
  onChange: (path: string | null) => void;
}) {
  const { client } = useWorkbench();
  const { path, onChange } = props;
  const { kind, text, title } = kinds[props.of];
  const choose = async (): Promise<void> => {
    const chosen = await client.call('desktop.choosePath', { kind, title });
    if (chosen !== null) onChange(chosen.path);
  };
  return (
    <div>
      Samples of the pipeline:{' '}
      {path === null ? 'those of the workbench.' : <span title={path}>{path.replace(/^.*[/\\]/, '')}</span>}{' '}
      <LinkButton onClick={attempting(choose)}>{text}</LinkButton>{' '}
      {path === null ? null : <LinkButton onClick={() => onChange(null)}>Remove</LinkButton>} With labels, a
      run also measures the metrics of the task, such as accuracy.
    </div>
  );
}

/** Writes the pipeline, which is then the model of the draft. */
function AsPipeline({ path, task }: { path: string; task: PipelineTask }) {
  const { write } = useStore(useWorkbench().pipelineChoice);
  const shapes = useWizard().draft.preview?.spec?.model.shapes;
  const [own, setOwn] = useState<string | null>(null);
  const of = mediaOf[task] ?? 'texts';
  const given = own === null ? {} : of === 'texts' ? { texts: own } : { samples: own };
  return (
    <>
      <LinkButton
        onClick={attempting(async () => {
          await write(path, shapes, given);
        })}
      >
        Serve as a pipeline
      </LinkButton>
      : callers send raw inputs, such as texts, and receive results, such as labels.
      <SamplesField of={of} path={own} onChange={setOwn} />
    </>
  );
}

/** The window does not name options of the command line. */
const withoutOption = ({ where, ...error }: WireError): WireError =>
  where === undefined || where.startsWith('--') ? error : { ...error, where };

/** How the Hugging Face folder of the draft is served, and the way to its pipeline where its task has one. */
export function ServedAsTensors({ path }: { path: string }) {
  const choice = useStore(useWorkbench().pipelineChoice);
  const task = useWizard().draft.preview?.spec?.model.source?.huggingFace?.task;
  const isOwn = choice.path === path;
  const isWriting = isOwn && choice.busy;
  return (
    <div className="dim">
      Served as tensors.{' '}
      {!hasPipeline(task) ? null : (
        <>
          {isWriting ? <Writing /> : null}
          <div hidden={isWriting}>
            <AsPipeline key={path} path={path} task={task} />
          </div>
        </>
      )}
      {isOwn && choice.error !== null ? <ErrorPanel error={withoutOption(choice.error)} /> : null}
    </div>
  );
}
