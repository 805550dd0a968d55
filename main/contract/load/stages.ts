import { z } from 'zod';
import { formatRate, formatTyped } from '../numbers';

/** Named load shapes, in multiples of the request rate. */
export const loadShapes = ['step', 'ramp', 'spike', 'diurnal'] as const;
type LoadShape = (typeof loadShapes)[number];

const rateText = String.raw`\d+(?:\.\d+)?x?`;
const timeText = String.raw`\d+(?:\.\d+)?(?:ms|s|m|h)`;
const stagePattern = new RegExp(`^(${rateText})(?:-(${rateText}))?:(${timeText})$`);
const shapePattern = new RegExp(`^(${loadShapes.join('|')})(?::(${timeText}))?(?::(\\d+(?:\\.\\d+)?)x)?$`);

export const isStageText = (text: string): boolean => stagePattern.test(text) || shapePattern.test(text);

/** Forms of a stage, for messages. */
export const stageForms =
  'Give RATE:TIME for each stage, as in 100:10s,200:10s, with 2x for a multiple of the request rate and 100-200:30s for a ramp, or one of step, ramp, spike, diurnal, as in step:1m:3x.';

/** Rate and duration of each part of a level, or one named shape. */
export const stagesSchema = z
  .array(z.string().refine(isStageText, { error: stageForms }))
  .min(1)
  .max(1000);

/** Requests per second, which change evenly from one rate to the other. */
export interface Stage {
  readonly fromRate: number;
  readonly toRate: number;
  readonly seconds: number;
}

const unitS: Readonly<Record<string, number>> = { ms: 1e-3, s: 1, m: 60, h: 3600 };

function secondsOf(text: string): number {
  const [, amount = '0', unit = 's'] = /^([\d.]+)([a-z]+)$/.exec(text) ?? [];
  return Number(amount) * (unitS[unit] ?? 1);
}

interface Shape {
  readonly seconds: number;
  /** Of the request rate. */
  readonly peak: number;
  /** Multiples of the request rate at the start and the end of a part, and its share of the time. */
  readonly parts: (peak: number) => readonly (readonly [from: number, to: number, share: number])[];
}

const hours = 24;
/** Lowest rate of a day. */
const night = 0.25;

const shapes: Readonly<Record<LoadShape, Shape>> = {
  step: {
    ...{ seconds: 40, peak: 2 },
    parts: (peak) => [
      [1, 1, 1 / 4],
      [peak, peak, 1 / 4],
      [1, 1, 1 / 2],
    ],
  },
  ramp: {
    ...{ seconds: 60, peak: 2 },
    parts: (peak) => [
      [0, peak, 2 / 3],
      [1, 1, 1 / 3],
    ],
  },
  spike: {
    ...{ seconds: 30, peak: 4 },
    parts: (peak) => [
      [1, 1, 1 / 3],
      [peak, peak, 1 / 15],
      [1, 1, 3 / 5],
    ],
  },
  diurnal: {
    ...{ seconds: 120, peak: 1 },
    parts: (peak) => {
      const at = (hour: number) =>
        night + ((peak - night) * (1 - Math.cos((2 * Math.PI * hour) / hours))) / 2;
      return Array.from({ length: hours }, (_unused, hour) => [at(hour), at(hour + 1), 1 / hours]);
    },
  },
};

function stagesOfShape(text: string, rate: number): readonly Stage[] | null {
  const [, name, time, factor] = shapePattern.exec(text) ?? [];
  const shape = loadShapes.find((one) => one === name);
  if (shape === undefined) return null;
  const { seconds, peak, parts } = shapes[shape];
  const whole = time === undefined ? seconds : secondsOf(time);
  return parts(factor === undefined ? peak : Number(factor)).map(([from, to, share]) => ({
    ...{ fromRate: from * rate, toRate: to * rate },
    seconds: share * whole,
  }));
}

function stageOf(text: string, rate: number): Stage | null {
  const [, from, to = from, time] = stagePattern.exec(text) ?? [];
  if (from === undefined || to === undefined || time === undefined) return null;
  const rateOf = (typed: string) => (typed.endsWith('x') ? Number(typed.slice(0, -1)) * rate : Number(typed));
  return { fromRate: rateOf(from), toRate: rateOf(to), seconds: secondsOf(time) };
}

/** The stages of a level. Texts of other forms, which the schema refuses, are left out. @param rate the promised one */
export const stagesOf = (texts: readonly string[], rate: number): readonly Stage[] =>
  texts.flatMap((text) => stagesOfShape(text, rate) ?? stageOf(text, rate) ?? []);

/** Where no request rate is given: that of the first stage; null where it is a multiple of one. */
export function firstRateOf([first = '']: readonly string[]): number | null {
  const [, from = 'x'] = stagePattern.exec(first) ?? [];
  return from.endsWith('x') || Number(from) === 0 ? null : Number(from);
}

const secondsIn = (stages: readonly Stage[]): number => stages.reduce((sum, { seconds }) => sum + seconds, 0);

/** Requests that are due in all stages, on average. */
export const requestsIn = (stages: readonly Stage[]): number =>
  stages.reduce((sum, { fromRate, toRate, seconds }) => sum + ((fromRate + toRate) / 2) * seconds, 0);

/** Largest rate of the stages. */
export const peakRateOf = (stages: readonly Stage[]): number =>
  stages.reduce((most, { fromRate, toRate }) => Math.max(most, fromRate, toRate), 0);

/** "100 requests/s for 10 s, 200 for 10 s", "0 to 200 for 40 s"; of many stages their number and their range. */
export function stagesText(stages: readonly Stage[]): string {
  if (stages.length > 8) {
    const least = stages.reduce((most, { fromRate, toRate }) => Math.min(most, fromRate, toRate), Infinity);
    return `${stages.length} stages of ${formatRate(least)} to ${formatRate(peakRateOf(stages))} requests/s in ${formatTyped(secondsIn(stages))} s`;
  }
  return stages
    .map(({ fromRate, toRate, seconds }, index) => {
      const rate =
        fromRate === toRate ? formatRate(fromRate) : `${formatRate(fromRate)} to ${formatRate(toRate)}`;
      return `${rate}${index === 0 ? ' requests/s' : ''} for ${formatTyped(seconds)} s`;
    })
    .join(', ');
}
