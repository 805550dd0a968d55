import { useStore } from 'zustand';
import { hasPipeline } from '../../../../main/contract/run/hugging-face';
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

/** How the Hugging Face folder of the draft is served, and the way to its pipeline where its task has one. */
export function ServedAsTensors({ path }: { path: string }) {
  const choice = useStore(useWorkbench().pipelineChoice);
  const model = useWizard().draft.preview?.spec?.model;
  const isOffered = hasPipeline(model?.source?.huggingFace?.task);
  const isOwn = choice.path === path;
  return (
    <div className="dim">
      Served as tensors.{' '}
      {!isOffered ? null : isOwn && choice.busy ? (
        <Writing />
      ) : (
        <>
          <LinkButton
            onClick={attempting(async () => {
              await choice.write(path, model.shapes);
            })}
          >
            Serve as a pipeline
          </LinkButton>
          : callers send raw inputs, such as texts, and receive results, such as labels.
        </>
      )}
      {isOwn && choice.error !== null ? <ErrorPanel error={choice.error} /> : null}
    </div>
  );
}
