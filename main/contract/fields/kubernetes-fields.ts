import { type FieldRow, jobField, type ValueAt } from './field';

const withKubernetes = {
  text: 'a Kubernetes cluster',
  holds: (valueAt: ValueAt): boolean => valueAt('engine.kind') === 'kubernetes',
};

const row = jobField(withKubernetes);

/** What a run asks a Kubernetes cluster for. */
export const kubernetesFields: readonly FieldRow[] = [
  row('context', {
    label: 'Context',
    term: 'context',
    help: 'Context of your kubeconfig that the Job is submitted with.',
    absent: 'the current context',
    option: '--kubernetes-context <name>',
    essential: true,
  }),
  row('namespace', {
    label: 'Namespace',
    term: 'namespace',
    help: 'Namespace of the Job.',
    absent: 'that of the context',
    option: '--kubernetes-namespace <name>',
  }),
  row('image', {
    label: 'Image',
    term: 'image',
    help: 'Container image of the Job; it has triton-workbench on its PATH.',
    absent: 'that of the profile',
    option: '--kubernetes-image <image>',
    decides: 'step',
    essential: true,
  }),
  row('triton', {
    label: 'Triton',
    term: 'triton',
    help: 'Which Triton serves: the tritonserver of the image, or the one of the workbench home on the CPU.',
    choices: { image: 'Of the image', home: 'Of the home (CPU)' },
    absent: 'that of the image',
    option: '--kubernetes-triton <which>',
    decides: 'step',
  }),
  row('claim', {
    label: 'Volume claim',
    term: 'persistent-volume-claim',
    help: 'Persistent volume claim that holds the workbench home.',
    absent: 'that of the profile',
    option: '--kubernetes-claim <name>',
  }),
  row('mountPath', {
    label: 'Mount path',
    term: 'mount-path',
    help: 'Where the volume of the claim is mounted on this machine; the pod has it at the same path.',
    absent: 'that of the profile',
    option: '--kubernetes-mount-path <path>',
    pathKind: 'folder',
  }),
  row('gpuCount', {
    label: 'GPUs per pod',
    term: 'limits',
    help: 'How many GPUs the pod is given.',
    absent: 'none',
    option: '--kubernetes-gpus <n>',
    essential: true,
  }),
  row('gpuResource', {
    label: 'GPU resource',
    term: 'resource-name',
    help: 'Resource that the GPUs are, for example nvidia.com/mig-1g.10gb.',
    absent: 'nvidia.com/gpu',
    option: '--kubernetes-gpu-resource <name>',
  }),
  row('cpu', {
    label: 'CPUs',
    term: 'cpu',
    help: 'CPUs of the pod, as request and limit: 8, 500m.',
    absent: 'what the cluster gives',
    option: '--kubernetes-cpu <amount>',
    identifier: true,
  }),
  row('memory', {
    label: 'Memory',
    term: 'memory',
    help: 'Memory of the pod, as request and limit: 32Gi.',
    absent: 'what the cluster gives',
    option: '--kubernetes-memory <amount>',
    identifier: true,
  }),
  row('nodeSelector.*', {
    label: 'Node label',
    term: 'node-selector',
    help: 'Label that the node must have, for example nvidia.com/gpu.product=NVIDIA-A100-SXM4-80GB.',
    absent: 'none',
    option: '--kubernetes-node-selector <LABEL=VALUE>',
  }),
  row('tolerations', {
    label: 'Tolerations',
    term: 'tolerations',
    help: 'Taints that are tolerated, as kubectl writes them: nvidia.com/gpu:NoSchedule.',
    absent: 'none',
    option: '--kubernetes-tolerations <list>',
  }),
  row('serviceAccount', {
    label: 'Service account',
    term: 'service-account',
    help: 'Service account of the pod, for its image pull secrets; its token is not mounted.',
    absent: 'that of the namespace',
    option: '--kubernetes-service-account <name>',
  }),
  row('activeDeadlineS', {
    label: 'Active deadline',
    term: 'active-deadline-seconds',
    help: 'How long the pod may run, counted from when it is on a node.',
    unit: 's',
    absent: 'no limit',
    option: '--kubernetes-deadline <time>',
  }),
];
