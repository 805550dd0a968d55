import type { Soaked, SoakReading, SoakStrategy } from '../../main/contract/study/soak';

export const reading = (of: Partial<SoakReading>): SoakReading => ({
  ...{ role: 'server', count: 1, rss: 100e6, pss: null, virtual: 900e6, shm: 1e6, gpu: null },
  ...{ threads: 40, handles: 60 },
  ...of,
});

/** A block per minute of 20, with 600 requests each. @param grow bytes per minute of each process */
export function soaked(
  grow: { readonly server?: number; readonly stub?: number; readonly client?: number },
  { reloads = 0, minutes = 20 }: { readonly reloads?: number; readonly minutes?: number } = {},
): Soaked {
  // A little unrest, the same in every test.
  const unrest = (at: number) => 20_000 * Math.sin(at * 2.4);
  const at = (minute: number, perMinute = 0) => 100e6 + perMinute * minute + unrest(minute);
  return {
    blocks: Array.from({ length: minutes }, (_unused, minute) => ({
      ...{ fromMs: minute * 60_000, toMs: (minute + 1) * 60_000, life: 1 },
      ...{ requests: 600 * (minute + 1), reloads: reloads * (minute + 1) },
      readings: [
        reading({ rss: at(minute, grow.server) }),
        reading({ role: 'stub', model: 'ocr', rss: at(minute + 3, grow.stub) }),
        reading({
          role: 'client',
          rss: at(minute + 5, grow.client),
          shm: null,
          threads: null,
          handles: null,
        }),
      ],
    })),
    slices: [0, 1, 2, 3].map((part) => ({
      ...{ fromMs: part * 300_000, toMs: (part + 1) * 300_000, life: 1, requests: 3000, errors: 0 },
      ...{ inferencesPerSecond: 10, p50Us: 8000, p99Us: 12_000 + 100 * part },
    })),
  };
}

export const soakStrategy = (of: Partial<SoakStrategy> = {}): SoakStrategy => ({
  kind: 'soak',
  subject: { kind: 'run', runId: '20261128-120000-ocr-abcd' },
  title: 'ocr',
  level: { batchSize: 1, requestRate: 10 },
  ...{ forMs: 1_200_000, readMs: 5000, blockMs: 60_000, sliceMs: 300_000, criteria: [] },
  ...of,
});
