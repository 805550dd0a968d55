import { IconFolders, IconRefresh } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { missing } from '../../../../main/contract/numbers';
import type { CheckedModel } from '../../../../main/contract/repository-check';
import { SmallButton } from '../../../components/actions';
import { Answer } from '../../../components/answer';
import { ErrorPanel } from '../../../components/error-panel';
import { LinkButton } from '../../../components/links';
import { Loading } from '../../../components/loading';
import { attempting } from '../../../components/notices';
import { Page } from '../../../components/page';
import { Panel } from '../../../components/panel';
import { Status } from '../../../components/status-text';
import { ScrollTable, TableHead } from '../../../components/table';
import { useWorkbench } from '../../../workbench';
import { executedBy, toneOf, verdictWord } from './check-words';
import { ModelCheck } from './model-check';
import { TakeModel } from './take-model';
import { useChooseRepository } from './use-choose-repository';

const headings = [
  { title: 'Model', width: '20%' },
  { title: 'Backend', width: '12%' },
  { title: 'Executed by', width: '26%' },
  { title: 'Composing models', width: '20%' },
  'Check',
];

function ModelTable({ path, models }: { path: string; models: readonly CheckedModel[] }) {
  const { chosen, choose } = useStore(useWorkbench().repository);
  return (
    <ScrollTable label={`Models of ${path}`} className="panel-table row-table fixed-table repository-models">
      <TableHead headings={headings} />
      <tbody>
        {models.map((model) => (
          <tr
            key={model.name}
            data-model={model.name}
            className={model.name === chosen ? 'selected' : undefined}
            onClick={() => choose(model.name)}
          >
            <td>
              <LinkButton aria-current={model.name === chosen} onClick={() => choose(model.name)}>
                {model.name}
              </LinkButton>
            </td>
            <td>{model.backend === '' ? missing : model.backend}</td>
            <td>{executedBy(model)}</td>
            <td>{model.steps.join(', ') || missing}</td>
            <td>
              <Status {...verdictWord(model)} />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function Models() {
  const { repository, route } = useWorkbench();
  const { path, models, text, chosen } = useStore(repository);
  const model = models.find(({ name }) => name === chosen);
  return (
    <div className="stack">
      <Answer
        text={text}
        tone={toneOf(models)}
        notes={
          <p>
            <span className="mono">{path}</span> was read without executing any of it, as{' '}
            <code>triton-workbench check</code> does.
          </p>
        }
      />
      <ModelTable path={path} models={models} />
      {model === undefined ? (
        <p role="status">Choose a model to see its tensors, and to use it.</p>
      ) : (
        <Panel title={model.name} note={<Status {...verdictWord(model)} />}>
          <div className="panel-body cards">
            <ModelCheck model={model} />
            <TakeModel
              key={model.name}
              model={model}
              onTaken={() => route.getState().go({ page: 'new', draft: true })}
            />
          </div>
        </Panel>
      )}
    </div>
  );
}

/** An existing repository: its models as `check` finds them, one of which becomes a draft. */
export function RepositoryView() {
  const { repository, draft } = useWorkbench();
  const { given, path, models, busy, error, open } = useStore(repository);
  const choose = useChooseRepository();
  // Drafts are read before one begins.
  useEffect(() => void draft.getState().open(), [draft]);
  const chooseButton = (
    <SmallButton icon={IconFolders} variant={given === null ? 'filled' : 'default'} onClick={choose}>
      {given === null ? 'Choose a repository…' : 'Choose another repository…'}
    </SmallButton>
  );
  return (
    <Page
      title="Triton repository"
      actions={
        given === null ? null : (
          <>
            <SmallButton icon={IconRefresh} loading={busy} onClick={attempting(() => open(given))}>
              Check again
            </SmallButton>
            {chooseButton}
          </>
        )
      }
    >
      {given === null ? (
        <div className="empty tall">
          <h2>No repository chosen yet</h2>
          <p>
            Choose the folder that you give to Triton as --model-repository. Its models are listed with
            everything that Triton would refuse. You can then measure one of them as it is.
          </p>
          {chooseButton}
        </div>
      ) : null}
      {error === null ? null : <ErrorPanel error={error} />}
      {busy ? <Loading label={`Checking ${given ?? ''}`} /> : null}
      {path === '' || models.length === 0 ? null : <Models />}
    </Page>
  );
}
