import {
  type SoakBlock,
  type Soaked,
  type SoakFigure,
  soakFigures,
  type SoakReading,
  type SoakRole,
} from '../../../contract/study/soak';
import { readingKey } from './block-of';
import { type Growth, growthOf } from './growth';

/** A process, or several of one kind, over the whole soak. */
export interface SoakRow {
  readonly key: string;
  readonly role: SoakRole;
  /** "Triton itself", "the Python stub of resnet". */
  readonly title: string;
  /** Of the first and the last block. */
  readonly first: SoakReading;
  readonly last: SoakReading;
  readonly growth: Readonly<Record<SoakFigure, Growth>>;
  /** What happens per hour while it is judged by its resident memory; null: not known. */
  readonly requestsPerHour: number | null;
  readonly reloadsPerHour: number;
}

const hourMs = 3_600_000;
const mib = 2 ** 20;
/** Growth over the judged part that counts: as allocators take memory, and as counts come and go. */
const leastBytes = mib / 2;
const leastShare = 0.002;
const leastCount = 2;
/** Memory is read in pages; that of a GPU in MiB. */
const pageBytes = 4096;

export const isCount = (figure: SoakFigure): boolean => figure === 'threads' || figure === 'handles';

export const titleOfReading = ({
  role,
  model,
  count,
}: Pick<SoakReading, 'role' | 'model' | 'count'>): string => {
  switch (role) {
    case 'server':
      return 'Triton itself';
    case 'stub':
      return `the Python ${count > 1 ? 'stubs' : 'stub'} of ${model ?? ''}`;
    case 'other':
      return 'another process of the server';
    case 'machine':
      return 'the machine of the server';
    case 'client':
      return 'the load generator';
  }
};

const middleOf = ({ fromMs, toMs }: Pick<SoakBlock, 'fromMs' | 'toMs'>): number => (fromMs + toMs) / 2;

/** Per hour after a time, within lives; null where nothing was counted. */
function perHour(
  blocks: readonly SoakBlock[],
  sinceMs: number,
  read: (block: SoakBlock) => number | null,
): number | null {
  let [done, spent] = [0, 0];
  for (const [at, block] of blocks.entries()) {
    const before = blocks[at - 1];
    if (before === undefined || before.life !== block.life || before.toMs < sinceMs) continue;
    const [from, to] = [read(before), read(block)];
    if (from === null || to === null) continue;
    done += Math.max(0, to - from);
    spent += block.toMs - before.toMs;
  }
  return spent === 0 ? null : (done * hourMs) / spent;
}

function growthsOf(blocks: readonly SoakBlock[], key: string): SoakRow['growth'] {
  const readings = blocks.flatMap((block) => {
    const own = block.readings.find((reading) => readingKey(reading) === key);
    return own === undefined ? [] : [{ block, own }];
  });
  const growth = (figure: SoakFigure): Growth => {
    const points = readings.flatMap(({ block, own }) => {
      const value = own[figure];
      return value === null ? [] : [{ atMs: middleOf(block), value, life: block.life }];
    });
    const level = points[0]?.value ?? 0;
    if (isCount(figure)) return growthOf(points, { least: leastCount, unit: 1 });
    const least = Math.max(leastBytes, leastShare * level);
    return growthOf(points, { least, unit: figure === 'gpu' ? mib : pageBytes });
  };
  return Object.fromEntries(soakFigures.map((figure) => [figure, growth(figure)])) as SoakRow['growth'];
}

/** Every process that was read, the server's first. Pure. */
export function soakRowsOf({ blocks }: Pick<Soaked, 'blocks'>): readonly SoakRow[] {
  const seen = new Map<string, { first: SoakReading; last: SoakReading }>();
  for (const reading of blocks.flatMap(({ readings }) => readings)) {
    const key = readingKey(reading);
    seen.set(key, { first: seen.get(key)?.first ?? reading, last: reading });
  }
  const order: readonly SoakRole[] = ['server', 'stub', 'other', 'machine', 'client'];
  return [...seen]
    .map(([key, { first, last }]): SoakRow => {
      const growth = growthsOf(blocks, key);
      const { sinceMs } = growth.rss;
      return {
        ...{ key, role: last.role, title: titleOfReading(last), first, last, growth },
        requestsPerHour: perHour(blocks, sinceMs, ({ requests }) => requests),
        reloadsPerHour: perHour(blocks, sinceMs, ({ reloads }) => reloads) ?? 0,
      };
    })
    .toSorted((one, other) => order.indexOf(one.role) - order.indexOf(other.role));
}
