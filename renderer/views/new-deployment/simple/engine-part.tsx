import { isJobEngine } from '../../../../main/contract/job/run-job';
import { PageLink } from '../../../components/links';
import { Panel } from '../../../components/panel';
import { ChoiceField } from '../controls/choice-control';
import { FieldInput } from '../controls/field-input';
import { type FieldContext, type Option, pathOf } from '../fields/field';
import { engineOf } from '../fields/why-not';
import { useWizard } from '../wizard-context';

const gpuKeys = ['engine', 'gpus'] as const;

/** Processor and GPU as they can be chosen with the engine. */
function devices(context: FieldContext): readonly Option[] {
  const { kind } = engineOf(context);
  const gpus = context.machine?.gpus ?? null;
  const [first] = gpus?.gpus ?? [];
  const why =
    kind === 'local'
      ? 'The local Triton uses the CPU. Choose Docker for a GPU.'
      : gpus !== null && first === undefined
        ? (gpus.problem ?? 'No NVIDIA GPU detected.')
        : undefined;
  return [
    { value: 'cpu', label: 'CPU', note: 'This machine’s processor.' },
    { value: 'gpu', label: 'GPU', note: first?.name ?? 'The idlest GPU.', why },
  ];
}

/** A server elsewhere decides this itself, and the node of a job. */
function DeviceInput() {
  const { context, draft } = useWizard();
  const engine = engineOf(context);
  if (engine.kind === 'remote' || isJobEngine(engine)) return null;
  const value = engine.kind === 'docker' && engine.gpus.length > 0 ? 'gpu' : 'cpu';
  return (
    <ChoiceField
      keys={gpuKeys}
      label="GPU or CPU"
      help=""
      options={devices(context)}
      cards="grid"
      value={value}
      onChoose={(chosen) => {
        draft.change(gpuKeys, chosen === 'gpu' ? ['idlest'] : []);
      }}
    />
  );
}

const shownPaths: ReadonlySet<string> = new Set([
  ...['engine.kind', 'engine.host', 'engine.url'],
  ...['engine.login', 'engine.profile', 'engine.partition', 'engine.gres', 'engine.timeLimit'],
]);

/** Where Triton runs, and on what. */
export function EnginePart() {
  const { fields } = useWizard();
  const shown = fields.filter((field) => shownPaths.has(pathOf(field)));
  const isRefused = shown.some(
    ({ control }) => control.kind === 'choice' && control.options.some(({ why }) => why !== undefined),
  );
  return (
    <Panel
      title="Where it runs"
      level={3}
      head={
        isRefused ? (
          <PageLink to={{ page: 'environment' }}>Set up on the Environment page</PageLink>
        ) : undefined
      }
    >
      <div className="panel-body">
        {shown.map((field) => (
          <FieldInput key={pathOf(field)} field={field} />
        ))}
        <DeviceInput />
      </div>
    </Panel>
  );
}
