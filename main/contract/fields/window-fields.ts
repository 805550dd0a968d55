import type { FieldRow, ValueAt } from './field';

const withNative = (at: ValueAt): boolean =>
  at('performance.loadTool') !== 'perf_analyzer' || at('performance.crossCheck') === true;
/** With an exact number of requests the level ends after them, not after windows. */
const inWindows = (at: ValueAt): boolean => !(Number(at('performance.requestCount') ?? 0) > 0);
const byTime = (at: ValueAt): boolean =>
  inWindows(at) && at('performance.measurementMode') !== 'count_windows';
const byRequests = (at: ValueAt): boolean =>
  inWindows(at) && at('performance.measurementMode') === 'count_windows';
const untilSteady = { text: 'levels that are measured until they are steady', holds: inWindows };

/** A container measures a level as a whole, and a sequence must not be interrupted by other levels. */
const onceInWindows = (at: ValueAt): boolean =>
  inWindows(at) &&
  at('performance.loadTool') !== 'perf_analyzer' &&
  at('performance.crossCheck') !== true &&
  Number(at('performance.repeats') ?? 1) === 1 &&
  (at('performance.search') ?? 'none') === 'none' &&
  !(Number(at('performance.warmupRequestCount') ?? 0) > 0) &&
  at('performance.sequences') === undefined &&
  at('engine.kind') !== 'docker';

export const windowFields: readonly FieldRow[] = [
  {
    path: 'performance.measurementMode',
    group: 'windows',
    label: 'Measurement mode',
    term: 'measurement-mode',
    help: 'A window ends after a time, or after a number of requests.',
    choices: { time_windows: 'By time', count_windows: 'By requests' },
    default: 'time_windows',
    option: '--measurement-mode <mode>',
    variables: ['MEASUREMENT_MODE'],
    decides: 'level',
    onlyWith: untilSteady,
  },
  {
    path: 'performance.measurementIntervalMs',
    group: 'windows',
    label: 'Measurement window',
    term: 'measurement-interval',
    help: 'Length of a window; a level is measured until three in a row agree.',
    unit: 'ms',
    default: 5000,
    option: '--measurement-interval-ms <n>',
    aliases: ['-p', '--measurement-interval'],
    variables: ['MEASUREMENT_INTERVAL', 'MEASUREMENT_WINDOW'],
    decides: 'level',
    onlyWith: { text: 'windows by time', holds: byTime },
  },
  {
    path: 'performance.measurementRequestCount',
    group: 'windows',
    label: 'Requests per window',
    term: 'measurement-request-count',
    help: 'Minimum number of requests in a window, which lasts at least one second.',
    default: 50,
    option: '--measurement-request-count <n>',
    variables: ['REQUEST_COUNT'],
    decides: 'level',
    onlyWith: { text: 'windows by requests', holds: byRequests },
  },
  {
    path: 'performance.requestCount',
    group: 'windows',
    label: 'Requests per level',
    term: 'request-count',
    help: 'Measures exactly this many requests per level, instead of windows until it is steady. Such a level has no warm-up unless one is set.',
    zero: 'until steady',
    option: '--request-count <n>',
    wholeLevels: true,
    decides: 'level',
  },
  {
    path: 'performance.stabilityPercentage',
    group: 'windows',
    label: 'Stability',
    term: 'stability-percentage',
    help: 'Largest difference between three windows in a row for a level to be steady.',
    unit: '%',
    default: 10,
    option: '--stability-percentage <n>',
    aliases: ['-s'],
    decides: 'level',
    onlyWith: untilSteady,
  },
  {
    path: 'performance.errorPercentage',
    group: 'windows',
    label: 'Permitted failed requests',
    term: 'error-percentage',
    help: 'Maximum share of failed requests with which a level still counts as a result; perf_analyzer stops at the first failure.',
    unit: '%',
    option: '--error-percentage <n>',
    decides: 'level',
    onlyWith: { text: 'the built-in load generator', holds: withNative },
  },
  {
    path: 'performance.percentile',
    group: 'windows',
    label: 'Percentile',
    term: 'percentile',
    help: 'Percentile of the latency that decides whether windows agree, and that a search compares with its threshold, instead of the mean and the p99.',
    unit: '%',
    zero: 'mean',
    option: '--percentile <n>',
    decides: 'level',
  },
  {
    path: 'performance.maxTrials',
    group: 'windows',
    label: 'Maximum windows',
    term: 'max-trials',
    help: 'A level that is not steady after this many windows is marked, and the sweep continues.',
    default: 10,
    option: '--max-trials <n>',
    aliases: ['-r'],
    wholeLevels: true,
    decides: 'level',
    onlyWith: {
      text: 'levels that are measured until they are steady, and not in turns',
      holds: (at) => inWindows(at) && !(at('performance.inTurns') === true && onceInWindows(at)),
    },
  },
  {
    path: 'performance.warmupMs',
    group: 'windows',
    label: 'Warm-up per level',
    term: 'warmup',
    help: 'Time at the start of a level whose requests are not counted; perf_analyzer has none.',
    unit: 'ms',
    zero: 'none',
    default: 1000,
    option: '--warmup-ms <n>',
    decides: 'level',
    onlyWith: {
      text: 'the built-in load generator, without a warm-up by requests',
      holds: (at) => withNative(at) && !(Number(at('performance.warmupRequestCount') ?? 0) > 0),
    },
  },
  {
    path: 'performance.warmupRequestCount',
    group: 'windows',
    label: 'Warm-up requests per level',
    term: 'warmup-request-count',
    help: 'Requests at the start of a level that are not counted, instead of a warm-up time.',
    zero: 'none',
    option: '--warmup-request-count <n>',
    wholeLevels: true,
    decides: 'level',
  },
  {
    path: 'performance.repeats',
    group: 'windows',
    label: 'Repeats',
    term: 'repeats',
    help: 'Rounds over all levels; results show the median and the range.',
    option: '--repeats <n>',
    decides: 'step',
    essential: true,
  },
  {
    path: 'performance.crossCheck',
    group: 'windows',
    label: 'Cross-check',
    term: 'cross-check',
    help: 'Measures every level with the other load tool as well, in turns, and shows where the two differ.',
    option: '--cross-check',
    decides: 'step',
  },
  {
    path: 'performance.traceRequests',
    group: 'windows',
    label: 'Traced requests per level',
    term: 'trace',
    help: 'Requests of each level that are sent once more after all levels, with tracing of Triton on, to show where the slowest ones spend their time. They never enter the results.',
    zero: 'none',
    absent: 'none',
    option: '--trace <requests>',
    runOnly: true,
    decides: 'step',
    onlyWith: {
      text: 'a Triton that the workbench starts',
      holds: (at) => at('engine.kind') !== 'remote',
    },
  },
  {
    path: 'performance.inTurns',
    group: 'windows',
    label: 'Levels in turns',
    term: 'in-turns',
    help: 'Measures several levels in three rounds, one window of each level per round, instead of each level until it is steady.',
    absent: 'off',
    option: '--in-turns',
    runOnly: true,
    decides: 'level',
    onlyWith: {
      text: 'levels that the built-in load generator measures once, in windows, outside of containers',
      holds: onceInWindows,
    },
  },
];
