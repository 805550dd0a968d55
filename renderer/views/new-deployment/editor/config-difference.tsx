import { repositoryOf } from '../../../../main/contract/run/run-spec';
import { unifiedDiff } from '../../../../main/domain/unified-diff';
import { DiffText, unifiedLines } from '../../../components/code/diff-text';
import { CopyButton } from '../../../components/copy-button';
import { Panel } from '../../../components/panel';
import { useWizard } from '../wizard-context';

/** What the form changes of a repository's config.pbtxt; nothing for other models. */
export function ConfigDifference() {
  const { preview } = useWizard().draft;
  const source = preview?.spec?.model.source;
  const repository = source === undefined ? null : repositoryOf({ source });
  if (source === undefined || repository === null) return null;
  const diff = unifiedDiff(
    `${source.title}/config.pbtxt`,
    preview?.generatedPbtxt ?? '',
    preview?.configPbtxt ?? '',
    repository.config === null,
  );
  if (diff !== '') {
    return (
      <Panel
        title="Difference of config.pbtxt"
        level={3}
        note="in the copy that the run serves; the file in the repository is unchanged"
        head={<CopyButton label="Copy the difference" text={diff} />}
      >
        <DiffText lines={unifiedLines(diff)} />
      </Panel>
    );
  }
  return (
    <p className="dim">
      {repository.config === null
        ? 'The model has no config.pbtxt: Triton completes it, and the run shows the result.'
        : 'config.pbtxt is served as it is, byte for byte.'}
    </p>
  );
}
