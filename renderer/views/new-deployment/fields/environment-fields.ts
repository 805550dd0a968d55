import { fieldAt } from '../../../../main/contract/fields/fields';
import type { EngineStatus } from '../../../../main/contract/machine';
import {
  askedGpus,
  engineWords,
  imageFamily,
  inContainers,
  isElsewhere,
  isProcess,
} from '../../../../main/contract/run/engine-kinds';
import { asSentence } from '../../../format/words';
import type { Field, FieldContext, Option, Section } from './field';
import { choiceOf, formField } from './form-field';
import { engineOf } from './why-not';

/** What an engine is, and why it cannot be chosen here. */
function aboutEngine(kind: EngineStatus['kind'], context: FieldContext): Pick<Option, 'note' | 'why'> {
  const { note } = engineWords(kind);
  const status = context.machine?.engines.find((engine) => engine.kind === kind);
  // A cluster without commands here may have a login node among the hosts.
  const isAway = isElsewhere({ kind }) || (kind === 'slurm' && (context.hosts ?? []).length > 0);
  // One that nobody has looked at yet, and one elsewhere, are not refused.
  if (status === undefined || status.available || isAway) return { note };
  // The paths that are missing are on the Environment page.
  const why = isProcess({ kind })
    ? 'Not installed on this machine. Install it on the Environment page.'
    : [asSentence(status.note), status.remedy].filter(Boolean).join(' ');
  return { note, why };
}

const engineField = (context: FieldContext): Field =>
  formField('engine.kind', context, {
    wide: true,
    help: '',
    control: choiceOf('engine.kind', 'list', (kind: EngineStatus['kind']) => aboutEngine(kind, context)),
  });

const engineFields = (context: FieldContext, names: readonly string[]): readonly Field[] =>
  names.map((name) => formField(`engine.${name}`, context));

/** TLS applies only with such an address; its terms are perf_analyzer's. */
const remoteSections = (context: FieldContext): readonly Section[] => [
  {
    title: 'Address',
    fields: [
      formField('engine.url', context, {
        wide: true,
        control: { kind: 'text', placeholder: 'localhost:8000' },
      }),
    ],
  },
  {
    title: 'TLS',
    note: 'PEM files on this machine. The server’s certificate is always verified.',
    fields: [
      ...['caFile', 'certFile', 'keyFile'].map((name) =>
        formField(`engine.tls.${name}`, context, { wide: true }),
      ),
      formField('engine.tls.serverName', context),
    ],
  },
];

const ports = ['httpPort', 'grpcPort'];

/** One that was removed from the list is shown as long as it is chosen. */
function hostField(name: 'host' | 'login', context: FieldContext): readonly Field[] {
  const { hosts = [], value } = context;
  const chosen = value('engine', name);
  const names = [...new Set([...hosts, ...(typeof chosen === 'string' ? [chosen] : [])])];
  if (names.length === 0) return [];
  const options: readonly Option[] = [
    { value: '', label: 'This machine' },
    ...names.map((host) => ({
      ...{ value: host, label: host },
      ...(hosts.includes(host) ? {} : { why: 'Not in the list of hosts.' }),
    })),
  ];
  return [formField(`engine.${name}`, context, { control: { kind: 'choice', cards: false, options } })];
}

function dockerSections(context: FieldContext): readonly Section[] {
  const engine = engineOf(context);
  const withGpus = askedGpus(engine).length > 0;
  const family = inContainers(engine) ? imageFamily(engine) : 'cpu';
  const problem = context.machine?.gpus.problem ?? null;
  const gpus = formField('engine.gpus', context, { wide: true, control: { kind: 'gpus' } });
  const { choices = {} } = fieldAt('engine.images');
  return [
    {
      title: 'Containers',
      fields: [
        ...hostField('host', context),
        problem === null ? gpus : { ...gpus, help: `${gpus.help} On this machine: ${problem}` },
        formField('engine.images', context, {
          help: `Default: decided by the GPUs, now ${choices[family] ?? family}.`,
          control: choiceOf('engine.images', false, (value) =>
            value === 'cpu' && withGpus ? { why: 'Without CUDA; GPUs need NVIDIA’s images.' } : {},
          ),
        }),
        ...engineFields(context, ['release', 'shmSizeMiB']),
      ],
    },
    {
      title: 'Ports and other images',
      folded: true,
      fields: [
        ...engineFields(context, ports),
        formField('engine.tritonImage', context, {
          control: { kind: 'text', placeholder: 'nvcr.io/nvidia/tritonserver:…' },
        }),
        formField('engine.clientImage', context, {
          control: { kind: 'text', placeholder: 'registry/name:tag' },
        }),
      ],
    },
  ];
}

const slurmSections = (context: FieldContext): readonly Section[] => [
  {
    title: 'Job',
    note: 'Empty fields come from the profile, then from the cluster.',
    fields: [
      ...hostField('login', context),
      ...engineFields(context, ['profile', 'partition', 'gres', 'timeLimit']),
    ],
  },
  {
    title: 'Account, node and container',
    folded: true,
    fields: engineFields(context, ['account', 'constraint', 'pauseAheadS', 'container', 'containerImage']),
  },
];

const kubernetesSections = (context: FieldContext): readonly Section[] => [
  {
    title: 'Job',
    note: 'Empty fields come from the profile, then from the kubeconfig.',
    fields: engineFields(context, [
      'profile',
      'context',
      'namespace',
      'image',
      'gpuCount',
      'activeDeadlineS',
    ]),
  },
  {
    title: 'Volume, resources and node',
    folded: true,
    fields: engineFields(context, [
      ...['claim', 'mountPath', 'triton', 'gpuResource', 'cpu', 'memory'],
      ...['tolerations', 'serviceAccount', 'pauseAheadS'],
    ]),
  },
];

const ownSections: Readonly<Record<EngineStatus['kind'], (context: FieldContext) => readonly Section[]>> = {
  local: (context) => [{ title: 'Ports', fields: engineFields(context, ports) }],
  docker: dockerSections,
  remote: remoteSections,
  slurm: slurmSections,
  kubernetes: kubernetesSections,
};

/** Where Triton runs, with the fields of the engine that is chosen. */
export function environmentSections(context: FieldContext): readonly Section[] {
  const { kind } = engineOf(context);
  return [{ title: 'Where it runs', fields: [engineField(context)] }, ...ownSections[kind](context)];
}
