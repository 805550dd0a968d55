import { fieldAt } from '../../../../main/contract/fields/fields';
import type { EngineStatus } from '../../../../main/contract/machine';
import { engines } from '../../../../main/contract/run/run-spec';
import { imageFamily } from '../../../../main/contract/run/serving';
import { asSentence } from '../../../format/words';
import type { Field, FieldContext, Option, Section } from './field';
import { formField } from './form-field';
import { engineOf } from './why-not';

const engineNote: Readonly<Record<EngineStatus['kind'], string>> = {
  local: 'A server process on this machine’s CPU; nothing else to install.',
  docker: 'Triton and the client in containers of one release, with or without GPUs.',
  remote: 'A running server that the workbench neither starts nor stops.',
  slurm: 'A job on a node of the cluster, which continues when the workbench is closed.',
  kubernetes: 'A Job in a pod of the cluster, which continues when the workbench is closed.',
};

function engineOption(kind: EngineStatus['kind'], context: FieldContext): Option {
  const { [kind]: label = kind } = fieldAt('engine.kind').choices ?? {};
  const note = engineNote[kind];
  const status = context.machine?.engines.find((engine) => engine.kind === kind);
  // A cluster without commands here may have a login node among the hosts.
  const isElsewhere = kind === 'remote' || (kind === 'slurm' && (context.hosts ?? []).length > 0);
  // One that nobody has looked at yet, and one elsewhere, are not refused.
  if (status === undefined || status.available || isElsewhere) return { value: kind, label, note };
  // The paths that are missing are on the Environment page.
  const why =
    kind === 'local'
      ? 'Not installed on this machine. Install it on the Environment page.'
      : [asSentence(status.note), status.remedy].filter(Boolean).join(' ');
  return { value: kind, label, note, why };
}

const engineField = (context: FieldContext): Field =>
  formField('engine.kind', context, {
    wide: true,
    help: '',
    control: {
      kind: 'choice',
      cards: 'list',
      options: engines.map((kind) => engineOption(kind, context)),
    },
  });

/** Applies only with an address in TLS; the terms are perf_analyzer's. */
const tlsSection = (context: FieldContext): Section => ({
  title: 'TLS',
  note: 'PEM files on this machine. The server’s certificate is always verified.',
  fields: [
    ...['caFile', 'certFile', 'keyFile'].map((name) =>
      formField(`engine.tls.${name}`, context, { wide: true }),
    ),
    formField('engine.tls.serverName', context),
  ],
});

const addressSection = (context: FieldContext): Section => ({
  title: 'Address',
  fields: [
    formField('engine.url', context, {
      wide: true,
      control: { kind: 'text', placeholder: 'localhost:8000' },
    }),
  ],
});

const ports = (context: FieldContext): readonly Field[] =>
  ['engine.httpPort', 'engine.grpcPort'].map((path) => formField(path, context));

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
  const withGpus = engine.kind === 'docker' && engine.gpus.length > 0;
  const family = engine.kind === 'docker' ? imageFamily(engine) : 'cpu';
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
          control: {
            kind: 'choice',
            cards: false,
            options: Object.entries(choices).map(([value, label]) => ({
              ...{ value, label },
              ...(value === 'cpu' && withGpus ? { why: 'Without CUDA; GPUs need NVIDIA’s images.' } : {}),
            })),
          },
        }),
        formField('engine.release', context),
        formField('engine.shmSizeMiB', context),
      ],
    },
    {
      title: 'Ports and other images',
      folded: true,
      fields: [
        ...ports(context),
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
      ...['profile', 'partition', 'gres', 'timeLimit'].map((name) => formField(`engine.${name}`, context)),
    ],
  },
  {
    title: 'Account, node and container',
    folded: true,
    fields: ['account', 'constraint', 'pauseAheadS', 'container', 'containerImage'].map((name) =>
      formField(`engine.${name}`, context),
    ),
  },
];

const kubernetesSections = (context: FieldContext): readonly Section[] => {
  const named = (names: readonly string[]) => names.map((name) => formField(`engine.${name}`, context));
  return [
    {
      title: 'Job',
      note: 'Empty fields come from the profile, then from the kubeconfig.',
      fields: named(['profile', 'context', 'namespace', 'image', 'gpuCount', 'activeDeadlineS']),
    },
    {
      title: 'Volume, resources and node',
      folded: true,
      fields: named([
        ...['claim', 'mountPath', 'triton', 'gpuResource', 'cpu', 'memory'],
        ...['tolerations', 'serviceAccount', 'pauseAheadS'],
      ]),
    },
  ];
};

const ownSections: Readonly<Record<EngineStatus['kind'], (context: FieldContext) => readonly Section[]>> = {
  local: (context) => [{ title: 'Ports', fields: ports(context) }],
  docker: dockerSections,
  remote: (context) => [addressSection(context), tlsSection(context)],
  slurm: slurmSections,
  kubernetes: kubernetesSections,
};

/** Where Triton runs, with the fields of the engine that is chosen. */
export function environmentSections(context: FieldContext): readonly Section[] {
  const { kind } = engineOf(context);
  return [{ title: 'Where it runs', fields: [engineField(context)] }, ...ownSections[kind](context)];
}
