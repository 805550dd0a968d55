import type { FieldRow, ValueAt } from './field';

const hasList = (at: ValueAt, name: string): boolean => {
  const value = at(`performance.${name}`);
  return Array.isArray(value) && value.length > 0;
};
const withRates = (at: ValueAt): boolean => hasList(at, 'requestRates') || hasList(at, 'stages');
const distributionAt = (at: ValueAt) => at('performance.requestDistribution');
/** Not with a number of requests, a trace or stages, which are measured from the first request on. */
const inWindows = (at: ValueAt): boolean =>
  !(Number(at('performance.requestCount') ?? 0) > 0) &&
  at('performance.replay.file') === undefined &&
  !hasList(at, 'stages');
const withNative = (at: ValueAt): boolean => at('performance.loadTool') !== 'perf_analyzer';

/** When requests are due, and what the client does about them. */
export const arrivalFields: readonly FieldRow[] = [
  {
    path: 'performance.requestDistribution',
    group: 'online',
    label: 'Request distribution',
    term: 'request-distribution',
    help: 'Even intervals, the seeded arrivals of independent clients (Poisson), or bursts (gamma).',
    choices: { constant: 'Constant', poisson: 'Poisson', gamma: 'Gamma' },
    option: '--request-distribution <name>',
    aliases: ['--arrival-pattern', '--request-rate-mode'],
    decides: 'level',
    onlyWith: {
      text: 'request rates',
      holds: (at) => withRates(at) || hasList(at, 'requestIntervalsUs'),
    },
  },
  {
    path: 'performance.burstiness',
    group: 'online',
    label: 'Burstiness',
    term: 'burstiness',
    help: 'Shape of the gamma distribution, as in vLLM: 1 is Poisson, lower values come in bursts, higher values are more even.',
    absent: '1',
    option: '--burstiness <n>',
    aliases: ['--arrival-smoothness', '--vllm-burstiness'],
    decides: 'level',
    onlyWith: {
      text: 'gamma',
      isNeeded: true,
      holds: (at) => withRates(at) && distributionAt(at) === 'gamma',
    },
  },
  {
    path: 'performance.requestSeed',
    group: 'online',
    label: 'Request seed',
    term: 'request-seed',
    help: 'Seed of the Poisson or gamma schedule, of the choice of cancelled requests and of generated prompts: the same seed gives the same send times and prompts.',
    identifier: true,
    option: '--request-seed <n>',
    aliases: ['--random-seed'],
    decides: 'level',
    onlyWith: {
      text: 'Poisson, gamma, cancelled requests or generated prompts',
      isNeeded: true,
      holds: (at) =>
        (withRates(at) && ['poisson', 'gamma'].includes(String(distributionAt(at)))) ||
        at('performance.requestCancellationRate') !== undefined ||
        at('performance.generation.inputTokens') !== undefined,
    },
  },
  {
    path: 'performance.stages',
    group: 'online',
    label: 'Stages',
    term: 'stages',
    help: 'Parts of a level with rates of their own: a file, RATE:TIME for each (100:10s,2x:10s), or step, ramp, spike, diurnal. 1x is the request rate, which is the promised one.',
    absent: 'none',
    option: '--stages <stages>',
    wholeLevels: true,
    decides: 'level',
  },
  {
    path: 'performance.rampUpMs',
    group: 'online',
    label: 'Ramp-up',
    term: 'ramp-up',
    help: 'Time in which the rate or the concurrency rises to its value, before the warm-up.',
    unit: 'ms',
    option: '--ramp-up <time>',
    aliases: ['--request-rate-ramp-duration', '--concurrency-ramp-duration'],
    decides: 'level',
    onlyWith: {
      text: 'levels of the built-in load generator that are measured until they are steady',
      isNeeded: true,
      holds: (at) =>
        inWindows(at) && withNative(at) && !(Number(at('performance.warmupRequestCount') ?? 0) > 0),
    },
  },
  {
    path: 'performance.requestCancellationRate',
    group: 'online',
    label: 'Cancelled requests',
    term: 'request-cancellation-rate',
    help: 'Share of the requests that the client cancels, unless they are answered first.',
    unit: '%',
    option: '--request-cancellation-rate <percent>',
    wholeLevels: true,
    decides: 'level',
  },
  {
    path: 'performance.requestCancellationDelayS',
    group: 'online',
    label: 'Cancelled after',
    term: 'request-cancellation-delay',
    help: 'Time from the send to the cancellation.',
    unit: 's',
    absent: '0',
    option: '--request-cancellation-delay <time>',
    decides: 'level',
    onlyWith: {
      text: 'cancelled requests',
      isNeeded: true,
      holds: (at) => at('performance.requestCancellationRate') !== undefined,
    },
  },
  {
    path: 'performance.sliceDurationS',
    group: 'windows',
    label: 'Time slices',
    term: 'slice-duration',
    help: 'Also reports each level in slices of this length, by the time at which requests were due.',
    unit: 's',
    option: '--slice-duration <time>',
    wholeLevels: true,
    decides: 'level',
    onlyWith: { text: 'the built-in load generator', isNeeded: true, holds: withNative },
  },
];
