import { Button, MultiSelect } from '@mantine/core';
import { useStore } from 'zustand';
import type { CheckedModel } from '../../../../main/contract/repository-check';
import { sameValue } from '../../../../main/contract/trees';
import { SmallButton } from '../../../components/actions';
import { ErrorPanel } from '../../../components/error-panel';
import { attempting } from '../../../components/notices';
import { Facts } from '../../../components/table';
import { useWorkbench } from '../../../workbench';
import { ModelQuestions } from '../pages/own-model';
import { executedBy } from './check-words';

const factsOf = (model: CheckedModel): readonly (readonly [string, string])[] => [
  ['Backend', model.backend === '' ? 'Not known' : model.backend],
  ['Executed by', executedBy(model)],
  ...(model.versions.length === 0 ? [] : [['Versions', model.versions.join(', ')] as const]),
  ...(model.steps.length === 0 ? [] : [['Composing models', model.steps.join(', ')] as const]),
];

/** Further models, such as those that a BLS model calls. */
function AlsoLoad({ model, others }: { model: CheckedModel; others: readonly string[] }) {
  const { beside, loadWith } = useStore(useWorkbench().repository);
  const named = model.named.filter((name) => others.includes(name));
  const missing = named.filter((name) => !beside.includes(name));
  return (
    <div className="stack-small column">
      <MultiSelect
        label="Also load"
        description={
          named.length === 0
            ? 'Models that it calls while it runs (BLS). The composing models of an ensemble are always loaded.'
            : `Models that it calls while it runs (BLS). model.py names ${named.join(', ')}.`
        }
        searchable
        clearable
        hidePickedOptions
        maxValues={64}
        placeholder={beside.length === 0 ? 'none' : ''}
        data={[...others]}
        value={[...beside]}
        onChange={loadWith}
      />
      {missing.length === 0 ? null : (
        <div>
          <SmallButton onClick={() => loadWith([...beside, ...missing])}>
            Add {missing.join(', ')}
          </SmallButton>
        </div>
      )}
    </div>
  );
}

/** What is served with a model, and what it needs before it becomes a draft. */
export function TakeModel({ model, onTaken }: { model: CheckedModel; onTaken: () => void }) {
  const { repository, ownModel } = useWorkbench();
  const { path, models, beside } = useStore(repository);
  const own = useStore(ownModel);
  const at = `${path}/${model.name}`;
  // The one that was opened, with the same models beside it.
  const isOpen = own.path === at && sameValue(own.beside, beside);
  const others = models
    .map(({ name }) => name)
    .filter((name) => name !== model.name && !model.steps.includes(name));
  const isRefused = model.verdict === 'does not load';
  return (
    <div className="stack column">
      <Facts facts={factsOf(model)} />
      {others.length === 0 || isRefused ? null : <AlsoLoad model={model} others={others} />}
      <div className="row wrap">
        <Button
          size="xs"
          disabled={isRefused}
          aria-describedby="take-model-why"
          loading={isOpen && own.busy}
          onClick={attempting(async () => {
            if (await own.open(at, true, beside)) onTaken();
          })}
        >
          Use this model
        </Button>
        <span className="dim" id="take-model-why">
          {isRefused
            ? 'Fix the problems that the check found, and check again.'
            : 'Its files and its config.pbtxt are served as they are; the next page has its settings.'}
        </span>
      </div>
      {isOpen && own.error !== null ? <ErrorPanel error={own.error} /> : null}
      {isOpen ? <ModelQuestions asNew onTaken={onTaken} /> : null}
    </div>
  );
}
