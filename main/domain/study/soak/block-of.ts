import { type SoakBlock, type SoakFigure, soakFigures, type SoakReading } from '../../../contract/study/soak';
import { largestOf, medianOf } from '../../statistics';

/** What was read at one time. */
export interface SoakSample {
  /** Of the soak, pauses not counted, milliseconds. */
  readonly atMs: number;
  readonly life: number;
  readonly requests: number | null;
  readonly reloads: number;
  readonly readings: readonly SoakReading[];
}

export const readingKey = ({ role, model }: Pick<SoakReading, 'role' | 'model'>): string =>
  model === undefined ? role : `${role} ${model}`;

const medianFigure = (readings: readonly SoakReading[], figure: SoakFigure): number | null => {
  const values = readings.flatMap((reading) => reading[figure] ?? []);
  return values.length === 0 ? null : medianOf(values);
};

/** Medians of each process over the samples, which are of one life; null without any. Pure. */
export function blockOf(samples: readonly SoakSample[]): SoakBlock | null {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return null;
  const byKey = new Map<string, SoakReading[]>();
  for (const reading of samples.flatMap(({ readings }) => readings)) {
    const key = readingKey(reading);
    byKey.set(key, [...(byKey.get(key) ?? []), reading]);
  }
  const readings = [...byKey.values()].map((all): SoakReading => {
    const { role, model } = all[0] as SoakReading;
    const figures = Object.fromEntries(soakFigures.map((figure) => [figure, medianFigure(all, figure)]));
    return {
      role,
      ...(model === undefined ? {} : { model }),
      count: largestOf(all.map(({ count }) => count)),
      ...(figures as Record<SoakFigure, number | null>),
    };
  });
  const { life, requests, reloads } = last;
  return { fromMs: first.atMs, toMs: last.atMs, life, requests, reloads, readings };
}

/** Of several processes of one kind, which are read at the same time; null where one is not known. Pure. */
export function addedReadings(readings: readonly SoakReading[]): readonly SoakReading[] {
  const byKey = new Map<string, SoakReading>();
  for (const reading of readings) {
    const key = readingKey(reading);
    const known = byKey.get(key);
    const sum = (figure: SoakFigure): number | null => {
      const [one, other] = [known?.[figure] ?? null, reading[figure]];
      return one === null || other === null ? null : one + other;
    };
    byKey.set(
      key,
      known === undefined
        ? reading
        : {
            ...reading,
            count: known.count + reading.count,
            ...(Object.fromEntries(soakFigures.map((figure) => [figure, sum(figure)])) as Record<
              SoakFigure,
              number | null
            >),
          },
    );
  }
  return [...byKey.values()];
}
