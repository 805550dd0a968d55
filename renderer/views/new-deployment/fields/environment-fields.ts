import type { EngineStatus } from '../../../../main/contract/engine-status';
import { imageFamily } from '../../../../main/contract/serving';
import type { Field, FieldContext, Option, Section } from './field';
import { engineOf } from './why-not';

const engineNote: Readonly<Record<EngineStatus['kind'], readonly [label: string, note: string]>> = {
  local: ['Local Triton', 'A server process on this machine’s CPU; nothing to install beside it.'],
  docker: ['Docker containers', 'Triton and the client in containers of one release; with GPUs or without.'],
  remote: ['Remote Triton', 'A server that runs already and that this workbench neither starts nor stops.'],
};

function engineOption(kind: EngineStatus['kind'], context: FieldContext): Option {
  const [label, note] = engineNote[kind];
  const status = context.machine?.engines.find((engine) => engine.kind === kind);
  // One that nobody has looked at yet, and a server elsewhere, are not refused.
  if (status === undefined || status.available || kind === 'remote') return { value: kind, label, note };
  // The paths that are missing are on the Environment page.
  const why =
    kind === 'local'
      ? 'Not installed on this machine. Install it on the Environment page.'
      : [status.note, status.remedy].filter(Boolean).join(' ');
  return { value: kind, label, note, why };
}

const engineField = (context: FieldContext): Field => ({
  keys: ['engine', 'kind'],
  label: 'Engine',
  term: 'engine',
  help: '',
  wide: true,
  control: {
    kind: 'choice',
    cards: true,
    options: (['local', 'docker', 'remote'] as const).map((kind) => engineOption(kind, context)),
  },
});

const port = (which: 'http' | 'grpc'): Field => ({
  keys: ['engine', `${which}Port`],
  label: which === 'http' ? 'HTTP port' : 'gRPC port',
  term: `${which}-port`,
  help: 'On the loopback address of this machine. Empty: a free one is taken.',
  control: { kind: 'integer', min: 1, isName: true, placeholder: 'a free port' },
});

const localSection: Section = { title: 'Ports', fields: [port('http'), port('grpc')] };

const tlsFile = (
  name: string,
  label: string,
  term: string,
  help: string,
  idle: string | undefined,
): Field => ({
  keys: ['engine', 'tls', name],
  label,
  term,
  help,
  wide: true,
  control: { kind: 'path', pathKind: 'file', placeholder: 'none' },
  idle,
});

/** Of effect with an address in TLS alone; the terms are perf_analyzer's. */
function tlsSection(context: FieldContext): Section {
  const url = context.value('engine', 'url');
  const idle =
    typeof url === 'string' && url.startsWith('https:')
      ? undefined
      : 'Of effect with an address that begins with https.';
  return {
    title: 'TLS',
    note: 'Files are PEM, on this machine. The server’s certificate is always checked.',
    fields: [
      tlsFile(
        'caFile',
        'Authority of the server',
        'ssl-https-ca-certificates-file',
        'Its certificate must come from one of these. Empty: those that this system trusts.',
        idle,
      ),
      tlsFile(
        'certFile',
        'Certificate of the client',
        'ssl-https-client-certificate-file',
        'With its chain, where the server asks for one.',
        idle,
      ),
      tlsFile(
        'keyFile',
        'Key of the client',
        'ssl-https-private-key-file',
        'Belongs to the certificate of the client.',
        idle,
      ),
      {
        keys: ['engine', 'tls', 'serverName'],
        label: 'Name in the certificate',
        term: 'tls-server-name',
        help: 'In place of the address’s host.',
        control: { kind: 'text', placeholder: 'the address’s host' },
        idle,
      },
    ],
  };
}

const addressSection: Section = {
  title: 'Address',
  fields: [
    {
      keys: ['engine', 'url'],
      label: 'Address of Triton',
      term: 'server-url',
      help: 'Host and port of its HTTP service. gRPC uses the next port unless the address ends in ?grpcPort=N.',
      wide: true,
      control: { kind: 'text', placeholder: 'localhost:8000' },
    },
  ],
};

function dockerSections(context: FieldContext): readonly Section[] {
  const engine = engineOf(context);
  const withGpus = engine.kind === 'docker' && engine.gpus.length > 0;
  const family = engine.kind === 'docker' ? imageFamily(engine) : 'cpu';
  const problem = context.machine?.gpus.problem ?? null;
  return [
    {
      title: 'Containers',
      fields: [
        {
          keys: ['engine', 'gpus'],
          label: 'GPUs',
          term: 'NVIDIA_VISIBLE_DEVICES',
          help:
            problem === null
              ? '“all”, or GPUs and MIG devices by UUID. Empty: none.'
              : `“all”, or UUIDs. Empty: none. On this machine: ${problem}`,
          wide: true,
          control: { kind: 'gpus' },
        },
        {
          keys: ['engine', 'images'],
          label: 'Images',
          term: 'images',
          help: `Not chosen: by the GPUs, which means ${family === 'ngc' ? 'NVIDIA’s' : 'built here'} now.`,
          control: {
            kind: 'choice',
            cards: false,
            options: [
              {
                value: 'cpu',
                label: 'Built here, CPU',
                ...(withGpus ? { why: 'Has no CUDA; GPUs need NVIDIA’s images.' } : {}),
              },
              { value: 'ngc', label: 'NVIDIA NGC' },
            ],
          },
        },
        {
          keys: ['engine', 'release'],
          label: 'NGC release',
          term: 'container_version',
          help: 'Of all NVIDIA images, as 26.07. Empty: the preset’s own.',
          control: { kind: 'text', placeholder: 'the preset’s own' },
        },
        {
          keys: ['engine', 'shmSizeMiB'],
          label: 'Shared memory',
          term: 'shm-size',
          help: '/dev/shm of the Triton container.',
          control: { kind: 'integer', min: 1, suffix: ' MiB' },
        },
      ],
    },
    {
      title: 'Ports and other images',
      folded: true,
      fields: [
        port('http'),
        port('grpc'),
        {
          keys: ['engine', 'tritonImage'],
          label: 'Another image for Triton',
          term: 'triton-image',
          help: 'In place of the one of the release; by digest where it must not change.',
          control: { kind: 'text', placeholder: 'nvcr.io/nvidia/tritonserver:…' },
        },
        {
          keys: ['engine', 'clientImage'],
          label: 'Another image for the client',
          term: 'client-image',
          help: 'In place of the one of the release; it must hold the toolkit’s packages.',
          control: { kind: 'text', placeholder: 'registry/name:tag' },
        },
      ],
    },
  ];
}

/** Where Triton runs, with the fields of the engine that is chosen. */
export function environmentSections(context: FieldContext): readonly Section[] {
  const { kind } = engineOf(context);
  const own =
    kind === 'docker'
      ? dockerSections(context)
      : kind === 'remote'
        ? [addressSection, tlsSection(context)]
        : [localSection];
  return [{ title: 'Where it runs', fields: [engineField(context)] }, ...own];
}
