import { z } from 'zod';
import type { ErrorCode } from '../../contract/errors';
import { fields } from '../../contract/fields/fields';
import { capacityDocumentSchema } from '../../contract/measured/capacity-document';
import { presetJsonSchema } from '../../contract/run/preset-keys';
import { reportDocumentSchema } from '../../contract/run/report-document';
import { journalEntrySchema } from '../../contract/run/run-events';
import { runSpecSchema } from '../../contract/run/run-spec';
import { strictSchema } from './strict-schema';

interface Node {
  const?: unknown;
  description?: string;
  required?: readonly string[];
  properties?: Readonly<Record<string, Node>>;
  additionalProperties?: Node | boolean;
  items?: Node;
  anyOf?: readonly Node[];
  oneOf?: readonly Node[];
}

const branchesOf = ({ anyOf = [], oneOf = [] }: Node): readonly Node[] => [...anyOf, ...oneOf];

/** The schemas at a dotted path: one for each kind of engine that has it. */
function nodesAt(node: Node, path: readonly string[]): readonly Node[] {
  const [name, ...rest] = path;
  if (name === undefined) return [node];
  const { properties = {}, additionalProperties } = node;
  const inner =
    name === '*' && typeof additionalProperties === 'object' ? additionalProperties : properties[name];
  return [
    ...(inner === undefined ? [] : nodesAt(inner, rest)),
    ...branchesOf(node).flatMap((branch) => nodesAt(branch, path)),
  ];
}

/** A file may contain any part of a specification, so nothing is required. */
function withoutRequired(node: Node): void {
  delete node.required;
  const { properties = {}, additionalProperties, items, oneOf } = node;
  if (oneOf !== undefined) {
    node.anyOf = oneOf;
    delete node.oneOf;
  }
  const inner = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  const parts = [...Object.values(properties), ...inner, ...(items === undefined ? [] : [items])];
  for (const part of [...parts, ...branchesOf(node)]) withoutRequired(part);
}

const options = { io: 'input', unrepresentable: 'any', reused: 'ref' } as const;

function runSchema(): unknown {
  const schema = z.toJSONSchema(runSpecSchema, { ...options, reused: 'inline' }) as Node;
  withoutRequired(schema);
  for (const list of nodesAt(schema, ['performance', 'concurrency'])) {
    // A file may name the published sweep instead of listing levels.
    const { ...numbers } = list;
    for (const key of Object.keys(list)) Reflect.deleteProperty(list, key);
    list.anyOf = [numbers, { const: 'formula' }];
  }
  for (const { path, help, unit, internal = false } of fields) {
    if (internal) continue;
    for (const node of nodesAt(schema, path.split('.'))) {
      node.description = unit === undefined ? help : `${help} Unit: ${unit}.`;
    }
  }
  return schema;
}

/** Converted to JSON Schema keywords only. */
function presetSchema(): unknown {
  const text = JSON.stringify(presetJsonSchema(), (_name, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]: [string, unknown]): [string, unknown][] => {
        if (name === 'absent') return [];
        return [name === 'example' ? ['examples', [inner]] : [name, inner]];
      }),
    );
  });
  return JSON.parse(text) as unknown;
}

const schemas = {
  run: ['run.yaml, with all or any part of a specification', runSchema],
  journal: ['One line of journal.jsonl', () => z.toJSONSchema(journalEntrySchema, options)],
  report: ['report.json of a run', () => z.toJSONSchema(reportDocumentSchema, options)],
  preset: ['preset.yaml of a model folder', presetSchema],
  capacity: ['What capacity --json prints', () => z.toJSONSchema(capacityDocumentSchema, options)],
} as const satisfies Readonly<Record<string, readonly [title: string, make: () => unknown]>>;

export const schemaNames = [
  'run',
  'journal',
  'report',
  'preset',
  'capacity',
] as const satisfies readonly (keyof typeof schemas)[];

/** The JSON Schema of a document that the program reads or writes. */
export function schemaText(name: (typeof schemaNames)[number]): string {
  const [title, make] = schemas[name];
  const { $schema, ...rest } = strictSchema(make() as Record<string, unknown>);
  return `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`;
}

/** Environment variables that the program reads or sets for child processes, or that its tests and scripts read. */
export const environmentVariables: readonly { readonly name: string; readonly what: string }[] = [
  {
    name: 'TRITON_WORKBENCH_HOME',
    what: 'The workbench home: runs, caches, tools and settings. Default: where the Settings page moved it, else `triton-workbench` in `XDG_DATA_HOME` or `~/.local/share`.',
  },
  {
    name: 'TRITON_WORKBENCH_APP',
    what: 'Folder of the program; set by the scripts of a clone. Default: two folders above the command line’s bundle.',
  },
  {
    name: 'TRITON_WORKBENCH_RESOURCES',
    what: 'Folder of presets, toolkit and serving models. Default: `resources` in the folder of the program.',
  },
  {
    name: 'TRITON_WORKBENCH_PYTHON',
    what: 'Python interpreter that `setup` makes its environments with. Default: the first of 3.11, 3.12, 3.10 and 3.9 that has a shared library, else one that uv downloads.',
  },
  {
    name: 'TRITON_WORKBENCH_CHILD_OF',
    what: 'Set by the workbench for the processes that it starts, so that the next start finds those that outlived it.',
  },
  {
    name: 'TRITON_WORKBENCH_ENGINE_ID',
    what: 'Set by the workbench for each local Triton: names the server and its shared memory.',
  },
  {
    name: 'TRITON_WORKBENCH_REPOSITORY',
    what: 'Set by the workbench for a local Triton that serves a repository as it is: that folder, from which its backends complete configurations.',
  },
  {
    name: 'TRITON_WORKBENCH_JOB',
    what: 'Set by the workbench in the pod of a Job: namespace and name of the Job, by which the program recognizes the runs that it works on.',
  },
  { name: 'TRITON_WORKBENCH_JOB_NODE', what: 'Set by the workbench in the pod of a Job: name of its node.' },
  {
    name: 'TRITON_WORKBENCH_JOB_PAUSE_S',
    what: 'Set by the workbench in the pod of a Job that has a deadline: seconds after which the run pauses.',
  },
  {
    name: 'KUBECONFIG',
    what: 'Kubeconfig files of `--engine kubernetes`, separated by colons, as kubectl reads them. Default: `~/.kube/config`, else the service account of the pod.',
  },
  {
    name: 'TRITON_WORKBENCH_CLI',
    what: 'Command that `scripts/public-models.mjs` starts as the command line. Default: `npm run -s cli --`.',
  },
  {
    name: 'TRITON_WORKBENCH_TEST_OUTCOMES',
    what: 'Set by `npm test` for its reporters: the file for the outcome of each test.',
  },
  {
    name: 'TRITON_WORKBENCH_TEST_RUN',
    what: 'Set by `npm test`: marks the processes of one test run, so that all of them end with it.',
  },
  {
    name: 'TRITON_WORKBENCH_TEST_KUBERNETES',
    what: 'Folder with the programs of the cluster of `npm run test:kubernetes`. Default: `~/.cache/triton-workbench-tests/kubernetes`.',
  },
  {
    name: 'TRITON_WORKBENCH_TEST_MOUNTS',
    what: 'Set by `npm run test:package` for itself: its mounts are already private.',
  },
  { name: 'XDG_DATA_HOME', what: 'Folder of the workbench home, where `TRITON_WORKBENCH_HOME` is not set.' },
  {
    name: 'XDG_CONFIG_HOME',
    what: 'Folder of `triton-workbench/cli.yaml`, and of `triton-workbench/home.json`, which says where the home was moved to. Default: `~/.config`.',
  },
  { name: 'DOCKER_HOST', what: 'Address of the Docker daemon. Default: the current Docker context.' },
  {
    name: 'TRITON_WORKBENCH_SSH_CONFIG',
    what: 'Configuration file of ssh for hosts and for Docker over ssh. Default: that of ssh itself, `~/.ssh/config`.',
  },
  {
    name: 'TRITON_WORKBENCH_HOST_WAIT_S',
    what: 'Seconds for which a run waits for a host that does not answer, before it fails with what was measured. Default: 900.',
  },
  {
    name: 'HTTP_PROXY',
    what: 'With HTTPS_PROXY and NO_PROXY: proxy of pip and the Python toolkit. They override the setting `network.proxy`.',
  },
  {
    name: 'HF_ENDPOINT',
    what: 'Address of the Hugging Face hub or of a mirror, for models that are named hf:ORG/NAME. Default: https://huggingface.co.',
  },
  {
    name: 'HF_TOKEN',
    what: 'Token for private and gated models of the hub. Default: the one that its own tools keep in `HF_HOME`.',
  },
  {
    name: 'HF_HOME',
    what: 'Folder of the cache of the hub, which its own tools use too. Default: `~/.cache/huggingface`.',
  },
  {
    name: 'HF_HUB_OFFLINE',
    what: '`1`: no requests to the hub; only models in the cache are used. Further variables of huggingface_hub apply too.',
  },
  {
    name: 'NO_COLOR',
    what: 'Any text turns colors off, also on a terminal, like `--no-color`. Overrides FORCE_COLOR.',
  },
  {
    name: 'FORCE_COLOR',
    what: 'Colors where the output is not a terminal. `0` or `false`: none. Default: colors on a terminal only.',
  },
];

/** Causes of each error for the reference; remedies are in `error-text.ts`. */
export const errorCauses: Readonly<Record<ErrorCode, string>> = {
  'input-invalid':
    'A value on the command line, in a form or in a file is not one that the field or option accepts.',
  'spec-invalid': 'The run specification has a field, a type or a value that run.yaml does not have.',
  'config-invalid': 'config.pbtxt cannot be parsed, or Triton would refuse one of its fields.',
  'preset-unknown': 'No preset has this id.',
  'model-folder-invalid': 'A file of the model folder is missing, or lacks what the toolkit calls.',
  'model-file-invalid':
    'The model file is damaged, of another format, or needs operators that its runtime does not have.',
  'not-trusted':
    'The run would execute code, read paths, use images or send load, and this was not approved on this machine.',
  'checkpoint-invalid':
    'The weights have other keys or shapes than the model, or are not a state dictionary.',
  'combination-unsupported':
    'This combination of format, precision, accelerator and engine is not supported.',
  'run-unknown': 'No run has this id, name or position in the list.',
  'run-busy': 'Another process is working on the run and holds its lease.',
  'run-folder-exists': 'The folder for the run already contains files.',
  'deployment-unknown': 'No deployment has this name.',
  'deployment-busy': 'Another process is starting, stopping or changing the deployment.',
  'study-unknown': 'No study has this name.',
  'study-busy': 'Another process is working on the study and holds its lease.',
  'host-unknown': 'No host of this workbench home has this name.',
  'host-unreachable':
    'ssh cannot connect to the host: it is down, its host key is unknown, or it accepts none of your keys.',
  'run-folder-unsafe':
    'The run folder has a link, pipe, socket or device where a plain file or folder belongs.',
  'journal-corrupt': 'The first line of the journal, which identifies the run, cannot be read.',
  'journal-newer':
    'The journal of a run, a study or a deployment is intact, but a newer version of the workbench wrote it.',
  'toolchain-missing':
    'Python, Triton, perf_analyzer or another tool of the engine is not installed in the workbench home.',
  'toolkit-failed': 'Export, conversion or another Python command of the toolkit ended with an error.',
  'verification-failed':
    'The outputs of the converted model differ from those of the framework by more than atol and rtol.',
  'accuracy-below-threshold':
    'An output or a metric on Triton differs from the framework by more than the run permits.',
  'job-refused':
    'The scheduler rejected the job: an option, an account or a limit of the cluster does not allow it.',
  'job-ended': 'The job ended before the run in it did: time limit, lost node, preemption or lack of memory.',
  'engine-unavailable': 'The engine of the run cannot be used on this machine now.',
  'docker-unreachable': 'No Docker daemon responds at the address in use.',
  'docker-permission': 'Your user does not have permission to open the socket of the Docker daemon.',
  'docker-failed': 'The Docker daemon responded with an error.',
  'image-missing': 'The image is not on this machine and has not been built.',
  'image-pull-failed': 'The registry or the connection ended the pull.',
  'image-build-failed': 'A step of the image build ended with an error.',
  'registry-denied': 'The registry requires a login, or the login has no access to the image.',
  'container-failed': 'A container ended with an exit code other than 0.',
  'out-of-memory': 'The kernel or Docker killed a process that used more memory than its container allows.',
  'server-start-failed': 'tritonserver exited, or was not ready before the deadline.',
  'server-gone': 'Triton exited while it was in use.',
  'server-unreachable': 'No Triton responds at the address, or it stopped responding.',
  'port-taken': 'Another process listens on the port.',
  'model-load-failed': 'Triton refused to load the model.',
  'model-not-ready': 'Triton has the model but does not serve it.',
  'model-mismatch': 'The model that the server has differs from what the run configures.',
  'inference-failed': 'Triton or the backend responded to a request with an error.',
  'load-tool-failed': 'perf_analyzer or the built-in load generator exited without a result.',
  'measurement-failed': 'A level has no result: every request failed, or the server stalled.',
  'deadline-exceeded': 'A step took longer than its limit.',
  cancelled: 'The work was cancelled.',
  'report-failed': 'A report could not be rendered, or was not written yet.',
  'download-failed': 'The connection or the server ended a download early.',
  'download-invalid': 'Size or checksum of the downloaded file differs from the published ones.',
  'disk-full': 'The file system has no space left.',
  'file-unwritable': 'The file system does not allow a file or folder to be written.',
  internal: 'An unexpected error in the workbench.',
};
