import type { ModelConfig } from '../../triton/model-config';
import { ensembleModels } from '../../triton/model-traits';
import { meantBackends } from '../read-repository';
import type { ConfigChange } from '../repository-fit';

/** A reason not to load, and what would remove it. */
export interface RuleProblem {
  readonly message: string;
  readonly remedy: string;
  readonly triton: string | null;
  readonly changes: readonly ConfigChange[];
  /** Field that it is about; absent: that of the first change. */
  readonly at?: string;
}

type Rule = (config: ModelConfig, name: string, backend: string) => readonly RuleProblem[];

const platforms: Readonly<Record<string, string>> = {
  tensorflow_graphdef: 'tensorflow',
  tensorflow_savedmodel: 'tensorflow',
  tensorrt_plan: 'tensorrt',
  onnxruntime_onnx: 'onnxruntime',
  pytorch_libtorch: 'pytorch',
};

const nameRule: Rule = ({ name: written }, name) =>
  written === '' || written === name
    ? []
    : [
        {
          message: `config.pbtxt calls the model "${written}", its folder is "${name}"`,
          remedy: `Write name: "${name}", or leave it out.`,
          triton: `unexpected directory name '${name}' for model '${written}', directory name must equal model name`,
          changes: [{ path: 'name', value: name }],
        },
      ];

const backendRule: Rule = ({ backend = '', platform = '' }, name, found) => {
  const known = platforms[platform];
  if (found === '') {
    return [
      {
        message: 'config.pbtxt names no backend, and none can be inferred from the files',
        remedy: 'Write backend: "onnxruntime", or the one that is to load the model.',
        triton: `Invalid model name: Could not determine backend for model '${name}' with no backend in model configuration. Expected model name of the form 'model.<backend_name>'.`,
        changes: [],
      },
    ];
  }
  if (backend === '' && platform !== '' && known === undefined && platform !== 'ensemble') {
    const meant = meantBackends.find(([pattern]) => pattern.test(platform))?.[1];
    return [
      {
        message: `"${platform}" is not a platform of Triton`,
        at: 'platform',
        remedy:
          meant === undefined
            ? 'Write backend: "NAME" in its place.'
            : `Write backend: "${meant}" in its place.`,
        triton: `unexpected platform type '${platform}' for ${name}`,
        changes:
          meant === undefined
            ? []
            : [
                { path: 'backend', value: meant },
                { path: 'platform', value: undefined },
              ],
      },
    ];
  }
  if (backend !== '' && known !== undefined && known !== backend) {
    return [
      {
        message: `platform "${platform}" and backend "${backend}" do not belong together`,
        at: 'platform',
        remedy: 'Remove one of them.',
        triton: `unexpected 'platform' and 'backend' pair, got:${platform}, ${backend}`,
        changes: [],
      },
    ];
  }
  return misnamedBackend(backend);
};

const exactBackends: ReadonlySet<string> = new Set(
  [
    ...Object.values(platforms),
    'python',
    'openvino',
    'dali',
    'fil',
    'vllm',
    'tensorrtllm',
    'identity',
  ].concat([...['repeat', 'square', 'ensemble']]),
);

function misnamedBackend(backend: string): readonly RuleProblem[] {
  const meant = meantBackends.find(([pattern]) => pattern.test(backend))?.[1];
  if (meant === undefined || exactBackends.has(backend)) return [];
  return [
    {
      message: `"${backend}" is not a backend of Triton; did you mean ${meant}?`,
      remedy: `Write backend: "${meant}".`,
      triton: `unable to find backend library for backend '${backend}', try specifying runtime on the model configuration.`,
      changes: [{ path: 'backend', value: meant }],
    },
  ];
}

const batchRule: Rule = ({ maxBatchSize, dynamicBatching }, name) => {
  if (maxBatchSize < 0) {
    return [
      {
        message: `max_batch_size is ${maxBatchSize}`,
        remedy: 'Write the maximum number of items per request, or 0 for a model without a batch axis.',
        triton: `'max_batch_size' must be non-negative value for ${name}`,
        changes: [{ path: 'max_batch_size', value: 0 }],
      },
    ];
  }
  const sizes = dynamicBatching?.preferredBatchSize ?? [];
  const wrong = sizes.filter((size) => size < 1 || size > maxBatchSize);
  const [first] = wrong;
  if (first === undefined) return [];
  const fitting = sizes.filter((size) => !wrong.includes(size));
  return [
    {
      message: `preferred_batch_size ${first} is not between 1 and max_batch_size ${maxBatchSize}`,
      remedy: 'Remove the size, or raise max_batch_size.',
      triton: `dynamic batching preferred size must be ${first < 1 ? 'positive' : '<= max batch size'} for ${name}`,
      changes: [{ path: 'dynamic_batching.preferred_batch_size', value: fitting }],
    },
  ];
};

const queueProblem = (
  message: string,
  remedy: string,
  triton: string,
  [field, value]: readonly [field: string, value?: unknown],
): RuleProblem => ({
  ...{ message, remedy, triton },
  changes: [{ path: `dynamic_batching.${field}`, value }],
});

const levelRule: Rule = ({ dynamicBatching = {} }, name) => {
  const { priorityLevels = 0, defaultPriorityLevel = 0, priorityQueuePolicy = {} } = dynamicBatching;
  const [levels, usual] = [Number(priorityLevels), Number(defaultPriorityLevel)];
  if (levels === 0) return [];
  const isWithin = (level: number) => level >= 1 && level <= levels;
  const other = Object.keys(priorityQueuePolicy).find((key) => !isWithin(Number(key)));
  const found: RuleProblem[] = [];
  if (!isWithin(usual)) {
    found.push(
      queueProblem(
        `default_priority_level is ${usual}, and there are ${levels} levels`,
        'Write the level of requests that name none.',
        `default priority level must be in range [1, ${levels}] for ${name}`,
        ['default_priority_level', levels],
      ),
    );
  }
  if (other !== undefined) {
    found.push(
      queueProblem(
        `priority_queue_policy is for level ${other}, and there are ${levels} levels`,
        'Write the policy of one of the levels, or remove it.',
        `priority queue policy must have priority level in range [1, ${levels}] for ${name}`,
        ['priority_queue_policy'],
      ),
    );
  }
  return found;
};

const orderRule: Rule = ({ dynamicBatching = {} }, name) => {
  const { preserveOrdering = false, priorityLevels = 0, defaultQueuePolicy = {} } = dynamicBatching;
  const { timeoutAction, defaultTimeoutMicroseconds = 0 } = defaultQueuePolicy;
  if (!preserveOrdering) return [];
  const found: RuleProblem[] = [];
  if (Number(priorityLevels) > 1) {
    found.push(
      queueProblem(
        'preserve_ordering keeps the order of requests, which priority levels change',
        'Remove one of the two.',
        `Only one priority level is allowed when 'preserve_ordering' is true for ${name}`,
        ['preserve_ordering'],
      ),
    );
  }
  if (timeoutAction === 'DELAY' && Number(defaultTimeoutMicroseconds) > 0) {
    found.push(
      queueProblem(
        'preserve_ordering keeps the order of requests, which the timeout action DELAY changes',
        'Write timeout_action: REJECT, or remove preserve_ordering.',
        `Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for ${name}`,
        ['default_queue_policy.timeout_action', 'REJECT'],
      ),
    );
  }
  return found;
};

const axesRule: Rule = (config, name) =>
  (['input', 'output'] as const).flatMap((side) =>
    config[side].flatMap(({ name: tensor, dims }, index): readonly RuleProblem[] =>
      dims.every((size) => size >= 1 || size === -1)
        ? []
        : [
            {
              message: `the ${side} ${tensor} has dims [${dims.join(', ')}]`,
              remedy: 'Give a size of at least 1, or -1 for an axis that varies.',
              triton: `model ${side} '${tensor}' dimension must be integer >= 1, or -1 to indicate a variable-size dimension for ${name}`,
              changes: [
                { path: `${side}[${index}].dims`, value: dims.map((size) => (size >= 1 ? size : -1)) },
              ],
            },
          ],
    ),
  );

const groupRule: Rule = ({ instanceGroup = [] }, name) =>
  instanceGroup.flatMap(({ kind, gpus = [], name: group = '' }, index): readonly RuleProblem[] =>
    (kind === 'KIND_CPU' || kind === 'KIND_MODEL') && gpus.length > 0
      ? [
          {
            message: `instance_group[${index}] is ${kind} and names GPUs`,
            remedy: 'Remove gpus, or write kind: KIND_GPU.',
            triton: `instance group ${group === '' ? `${name}_${index}` : group} of model ${name} has kind ${kind} but specifies one or more GPUs`,
            changes: [{ path: `instance_group[${index}].gpus`, value: undefined }],
          },
        ]
      : [],
  );

const ensembleRule: Rule = (config, name, backend) => {
  const steps = ensembleModels(config).length;
  const has = config['ensembleScheduling'] !== undefined;
  const problem = (message: string, remedy: string, triton: string, path: string, value?: unknown) => ({
    ...{ message, remedy, triton },
    changes: [{ path, value }],
  });
  if (backend !== 'ensemble') {
    return has
      ? [
          {
            ...problem(
              'ensemble_scheduling is for platform "ensemble" only',
              'Write platform: "ensemble".',
              `ensemble scheduling cannot be set for model '${name}' whose platform is not ensemble`,
              'platform',
              'ensemble',
            ),
            at: 'ensemble_scheduling',
          },
        ]
      : [];
  }
  if (!has || steps === 0) {
    const message = has
      ? `must specify 'step' for ensemble '${name}'`
      : `ensemble scheduling must be set for ensemble ${name} whose platform is ensemble`;
    const at = has ? 'ensemble_scheduling' : 'platform';
    return [
      { message: 'The ensemble has no steps', remedy: 'Write them.', triton: message, changes: [], at },
    ];
  }
  const extra = [
    ['instanceGroup', 'instance_group', 'instance group should not be specified'],
    ['optimization', 'optimization', 'optimization should not be specified'],
    ['modelWarmup', 'model_warmup', 'model_warmup can not be specified'],
  ] as const;
  return extra.flatMap(([field, path, triton]) =>
    config[field] === undefined
      ? []
      : [problem(`An ensemble has no ${path}`, 'Remove it.', `${triton} for ensemble '${name}'`, path)],
  );
};

const rules: readonly Rule[] = [
  nameRule,
  backendRule,
  batchRule,
  levelRule,
  orderRule,
  axesRule,
  groupRule,
  ensembleRule,
];

/** What Triton's own validation refuses in a configuration by itself. Pure. */
export const configProblems = (config: ModelConfig, name: string, backend: string): readonly RuleProblem[] =>
  rules.flatMap((rule) => rule(config, name, backend));
