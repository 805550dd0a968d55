import { SetupError } from './say.mjs';

/** Why the suite cannot start, in a sentence with its remedy; null where a GPU is reported. Pure. */
export function gpuProblem({ started, code, output }) {
  if (!started)
    return 'npm run test:gpu needs an NVIDIA GPU: nvidia-smi is not installed. Install the NVIDIA driver on a machine with a GPU and run the command again there.';
  if (code !== 0)
    return `npm run test:gpu needs an NVIDIA GPU: nvidia-smi failed with exit code ${code}. Run nvidia-smi and fix what it reports.`;
  return /<gpu id=/.test(output)
    ? null
    : 'npm run test:gpu needs an NVIDIA GPU: nvidia-smi lists none. Run nvidia-smi -L to see what the driver finds.';
}

function chosenGpu(gpus, wanted) {
  if (wanted === null) {
    const load = ({ load: { gpuPercent, memoryUsedBytes } }) => [gpuPercent ?? 0, memoryUsedBytes ?? 0];
    const [idlest] = [...gpus].sort((a, b) => {
      const [one, other] = [load(a), load(b)];
      return one[0] - other[0] || one[1] - other[1] || a.index - b.index;
    });
    return idlest;
  }
  return gpus.find(
    ({ index, uuid, mig }) =>
      String(index) === wanted || uuid === wanted || mig.devices.some((slice) => slice.uuid === wanted),
  );
}

/**
 * What containers are given: the GPU, or in MIG mode each of its slices. Throws a SetupError where there is none.
 * @param gpus of `detect --json`
 * @param wanted index, UUID of a GPU or UUID of a MIG device; null: the idlest GPU
 */
export function devicesOf(gpus, wanted) {
  const gpu = chosenGpu(gpus, wanted);
  if (gpu === undefined) {
    const known = gpus.map(({ index, uuid, name }) => `${index} (${name}, ${uuid ?? 'no UUID'})`).join(', ');
    throw new SetupError(`--gpu ${wanted}: this machine has ${known}.`);
  }
  const { name, uuid, mig } = gpu;
  if (mig.enabled !== true) {
    if (uuid !== null) return [{ id: uuid, gpu: name, slice: null }];
    throw new SetupError(`The driver reports no UUID for GPU ${gpu.index} (${name}): update the driver.`);
  }
  const slices = mig.devices.filter(
    ({ uuid: id }) => id !== null && (wanted === id || !/^MIG-/.test(wanted ?? '')),
  );
  if (slices.length === 0)
    throw new SetupError(
      `GPU ${gpu.index} (${name}) is in MIG mode without a MIG device that has a UUID: create one (sudo nvidia-smi mig -cgi <profile> -C) or leave MIG mode (sudo nvidia-smi -i ${gpu.index} -mig 0).`,
    );
  return slices.map((slice) => ({ id: slice.uuid, gpu: name, slice: slice.index }));
}

/** Whose published defaults a GPU takes: its own, else the newest GPU's of the document; null where it has none. */
const publishedFor = ({ byGpu = {} }, name) => {
  const known = Object.keys(byGpu);
  const words = name.split(/[^A-Za-z0-9]+/);
  return known.find((gpu) => words.includes(gpu)) ?? (known.includes('A100') ? 'A100' : (known[0] ?? null));
};

/**
 * The runs of the suite: on the first device every preset at its published format and as a TensorRT plan where it has
 * one; on each further slice the first preset alone, which shows that the slice is given and used. Pure.
 */
export function jobsOf(presets, devices, { wanted = [] } = {}) {
  const unknown = wanted.find((id) => !presets.some((preset) => preset.id === id));
  if (unknown !== undefined)
    throw new SetupError(
      `Unknown preset "${unknown}"; the presets are: ${presets.map(({ id }) => id).join(', ')}.`,
    );
  const chosen = presets.filter(({ id }) => wanted.length === 0 || wanted.includes(id));
  const jobOf = (preset, format, device) => {
    const published = publishedFor(preset, device.gpu);
    return {
      id: [
        preset.id,
        format ?? 'published',
        ...(device.slice === null ? [] : [`slice-${device.slice}`]),
      ].join('-'),
      preset: preset.id,
      device,
      published,
      args: [
        ...['--profile', 'full', '--gpu', published ?? 'none'],
        ...['--engine', 'docker', '--images', 'ngc', '--gpus', device.id],
        ...(format === null ? [] : ['--format', format]),
      ],
    };
  };
  const [first, ...others] = devices;
  const onFirst = chosen.flatMap((preset) => {
    const published =
      preset.byGpu?.[publishedFor(preset, first.gpu)]?.defaults?.format ?? preset.defaults.format;
    const hasPlan = preset.formats.includes('trt') && published !== 'trt';
    return [null, ...(hasPlan ? ['trt'] : [])].map((format) => jobOf(preset, format, first));
  });
  const onOthers = others.flatMap((device) =>
    chosen.slice(0, 1).map((preset) => jobOf(preset, null, device)),
  );
  return [...onFirst, ...onOthers];
}

/** The same jobs where nothing is said of a GPU: the quick profile on the CPU of this machine. */
export const jobsOnCpu = (presets, { wanted = [] } = {}) =>
  jobsOf(presets, [{ id: 'cpu', gpu: 'CPU', slice: null }], { wanted })
    .filter(({ args }) => !args.includes('--format'))
    .map((job) => ({ ...job, published: null, args: ['--profile', 'quick', '--engine', 'local'] }));

const ends = (values) => [...new Set([values[0], values.at(-1)])];

/** The least and the most of each sweep, as options. @param spec of `spec --as json` */
export const levelArgs = ({ performance }) => [
  ...['--batch-sizes', ends(performance.batchSizes).join(',')],
  ...['--concurrency', ends(performance.concurrency).join(',')],
];

const number = (value) =>
  value === null || value === undefined ? '–' : Number(value.toPrecision(4)).toString();

const levelText = ({ batchSize, concurrency, inferencesPerSecond, p99Us }) =>
  `b${batchSize} c${concurrency}: ${number(inferencesPerSecond)}/s, p99 ${number(p99Us === null ? null : p99Us / 1000)} ms`;

const readingNames = {
  utilization: 'utilization',
  powerW: 'power',
  maxMemoryBytes: 'memory',
  smClockMHz: 'clock',
  throttledShare: 'throttling',
};

/** Which readings of a GPU the levels carry, and in how many of them. */
function readingsText(points) {
  const gpus = points.flatMap((point) => point.gpus ?? []);
  const seen = Object.entries(readingNames).filter(([key]) =>
    gpus.some((gpu) => (gpu[key] ?? null) !== null),
  );
  if (seen.length === 0) return 'none';
  const levels = points.filter((point) => (point.gpus ?? []).length > 0).length;
  return `${seen.map(([, name]) => name).join(', ')} in ${levels} of ${points.length} levels`;
}

function accuracyText(accuracy) {
  if (accuracy === null || accuracy === undefined) return '–';
  const differences = accuracy.outputs.map(({ maxAbsDiff }) => maxAbsDiff ?? 0);
  const metrics = accuracy.metrics.map(
    ({ name, framework, triton }) => `${name} ${number(framework)} / ${number(triton)}`,
  );
  const word = accuracy.passed ? 'passed' : `failed: ${accuracy.reasons.join(' ')}`;
  return [word, ...metrics, `largest difference ${number(Math.max(0, ...differences))}`].join('; ');
}

const levelsText = (points = []) => points.map(levelText).join('; ') || '–';

/** What was run: as planned, with the release that the run chose. */
const planText = (spec) => ({
  format: spec?.format ?? '–',
  precision: spec?.precision ?? '–',
  release: spec?.release ?? '–',
});

function resultText(steps, { code, document, errors }) {
  if (code === 0) return 'done';
  const error = steps.find(({ status }) => status === 'failed')?.error ?? document?.error;
  return `exit code ${code}: ${error?.message ?? errors.trim().split('\n').at(-1)}`;
}

/**
 * One line of the table.
 * @param spec as planned, with the `release` that the run chose; null where there is none
 * @param end `code` of the run, its `document` (null when it wrote none) and the end of its standard error
 */
export function rowOf({ id, preset, device, published }, spec, end) {
  const { steps = [], accuracy, offline = [], online = [] } = end.document ?? {};
  const points = [...offline, ...online];
  return {
    ...{ job: id, preset, ...planText(spec), published: published ?? '–' },
    gpu: device.slice === null ? device.gpu : `${device.gpu}, MIG device ${device.slice}`,
    result: resultText(steps, end),
    accuracy: accuracyText(accuracy),
    offline: levelsText(offline),
    online: levelsText(online),
    readings: points.length === 0 ? '–' : readingsText(points),
    steps: Object.fromEntries(steps.map((step) => [step.id, step.status])),
    ok: end.code === 0,
  };
}

const columns = [
  'preset',
  'format',
  'precision',
  'gpu',
  'published',
  'release',
  'result',
  'accuracy',
  'offline',
  'online',
  'readings',
];

const line = (cells) =>
  `| ${cells.map((cell) => String(cell).replaceAll('|', '/').replaceAll('\n', ' ')).join(' | ')} |`;
const head = (cells) => [line(cells), line(cells.map(() => '---'))];

/** Both tables, as Markdown: a run a line, then each run's steps. */
export function tablesOf(rows) {
  const steps = [...new Set(rows.flatMap((row) => Object.keys(row.steps)))];
  return [
    ...head(columns),
    ...rows.map((row) => line(columns.map((column) => row[column]))),
    '',
    ...head(['run', ...steps]),
    ...rows.map((row) => line([row.job, ...steps.map((step) => row.steps[step] ?? 'not run')])),
  ].join('\n');
}

/** What a report of a fault needs of `docker info`; neither names, labels, proxies nor registries. Pure. */
export function dockerFacts(info) {
  const plain = [
    'ServerVersion',
    'Driver',
    'CgroupDriver',
    'CgroupVersion',
    'KernelVersion',
    'OperatingSystem',
    'OSType',
    'Architecture',
    'NCPU',
    'MemTotal',
    'DefaultRuntime',
    'SecurityOptions',
    'CDISpecDirs',
    'DiscoveredDevices',
  ];
  return {
    ...Object.fromEntries(plain.flatMap((name) => (info[name] === undefined ? [] : [[name, info[name]]]))),
    Runtimes: Object.fromEntries(
      Object.entries(info.Runtimes ?? {}).map(([name, { path = null }]) => [name, { path }]),
    ),
  };
}
