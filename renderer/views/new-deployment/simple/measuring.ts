import { baseDefaults } from '../../../../main/contract/fields/fields';
import type { Preset } from '../../../../main/contract/run/preset';
import { getAt, type Keys } from '../../../../main/contract/trees';
import type { Option } from '../fields/field';

interface Length {
  readonly measurementIntervalMs: number;
  readonly maxTrials: number;
}

export const lengthKeys = {
  measurementIntervalMs: ['performance', 'measurementIntervalMs'],
  maxTrials: ['performance', 'maxTrials'],
} as const;

export interface Measuring extends Option, Length {}

const quick: Length = { measurementIntervalMs: 500, maxTrials: 4 };

function lengthAt(read: (keys: Keys) => unknown): Length | null {
  const [measurementIntervalMs, maxTrials] = [
    read(lengthKeys.measurementIntervalMs),
    read(lengthKeys.maxTrials),
  ];
  return typeof measurementIntervalMs === 'number' && typeof maxTrials === 'number'
    ? { measurementIntervalMs, maxTrials }
    : null;
}

function publishedLength({ byGpu = {}, defaults }: Preset): Length | null {
  const [first] = Object.values(byGpu);
  return first === undefined
    ? null
    : lengthAt((keys) => getAt(first.defaults, keys) ?? getAt(defaults, keys) ?? getAt(baseDefaults, keys));
}

const same = (a: Length, b: Length): boolean =>
  a.measurementIntervalMs === b.measurementIntervalMs && a.maxTrials === b.maxTrials;

export const lengthText = ({ measurementIntervalMs, maxTrials }: Length): string =>
  `Windows of ${measurementIntervalMs / 1000} s, at most ${maxTrials} per level.`;

/**
 * Shortest first; what is the same as the defaults is offered once.
 * @param isByCount windows end by requests, so that their length has no effect
 */
export function measuringOptions(
  preset: Preset,
  defaultOf: (keys: Keys) => unknown,
  isByCount: boolean,
): readonly Measuring[] {
  const standard = lengthAt(defaultOf);
  if (standard === null) return [];
  const why = isByCount ? 'Here, windows end after a number of requests.' : undefined;
  const option = (value: string, label: string, length: Length, note: string): Measuring => ({
    value,
    label,
    ...length,
    note: `${lengthText(length)} ${note}`,
    why: same(length, standard) ? undefined : why,
  });
  const published = publishedLength(preset);
  const long = lengthAt((keys) => getAt(baseDefaults, keys));
  const all = [
    option('quick', 'Short', quick, 'For a first look.'),
    option('standard', 'Standard', standard, 'Default.'),
    ...(published === null
      ? []
      : [option('published', 'Published', published, 'As in the published document.')]),
    ...(published === null && long !== null
      ? [option('long', 'Long', long, 'The defaults of perf_analyzer.')]
      : []),
  ];
  return all.filter((one) => one.value === 'standard' || !same(one, standard));
}

export function chosenMeasuring(
  options: readonly Measuring[],
  valueAt: (keys: Keys) => unknown,
): Measuring | undefined {
  const length = lengthAt(valueAt);
  return length === null ? undefined : options.find((option) => same(option, length));
}
