import { describe, expect, it } from 'vitest';
import { gpuCharts } from '../../../../main/domain/measured/points';
import { pointFixture, readingsFixture } from '../../../support/run-state';

const point = (uuids: readonly string[], load: number) =>
  pointFixture({ gpus: readingsFixture(uuids, load) });
const drawn = (...points: Parameters<typeof gpuCharts>[0]) =>
  gpuCharts(points).map(({ id, unit, lines }) => [
    `${id}, ${unit}`,
    ...lines.map(({ name, read }) => `${name}: ${points.map((one) => String(read(one))).join(' ')}`),
  ]);

describe('charts of what was read of GPUs', () => {
  it('are none where nobody read any', () => {
    expect(gpuCharts([pointFixture()])).toEqual([]);
  });

  it('have utilization and memory as shares, power and clocks, with a gap where a level has none', () => {
    expect(drawn(point(['GPU-1'], 0.5), pointFixture(), point(['GPU-1'], 1))).toEqual([
      ['gpu-load, %', 'Utilization: 50 null 100', `Memory: ${100 / 3} null 50`],
      ['gpu-power, W', 'Power: 150 null 240'],
      ['gpu-clock, MHz', 'SM clock: 1440 null 1185'],
    ]);
  });

  it('have no clocks where only Triton’s metrics were read', () => {
    const [gpu] = readingsFixture(['GPU-1'], 0.5);
    if (gpu === undefined) throw new Error('the fixture has no GPU');
    const { uuid, utilization, powerW, maxMemoryBytes, totalMemoryBytes } = gpu;
    const coarse = { uuid, utilization, powerW, maxMemoryBytes, totalMemoryBytes };
    expect(gpuCharts([pointFixture({ gpus: [coarse] })]).map(({ id }) => id)).toEqual([
      'gpu-load',
      'gpu-power',
    ]);
  });

  it('name several GPUs by the beginning of their UUIDs, and draw the mean of many', () => {
    const uuids = Array.from({ length: 8 }, (_value, index) => `GPU-0000000${index}-aaaa`);
    const names = (count: number) =>
      gpuCharts([point(uuids.slice(0, count), 1)])
        .slice(1, 2)
        .flatMap(({ lines }) => lines.map(({ name, gpu }) => `${gpu} ${name}`));
    expect(names(2)).toEqual(['0 Power, GPU-00000000', '1 Power, GPU-00000001']);
    expect(names(8)).toEqual(['0 Power, mean of 8 GPUs']);
    expect(drawn(point(uuids, 1)).at(-1)).toEqual([
      'gpu-clock, MHz',
      `SM clock, mean of 8 GPUs: ${(7 * 1440 + 1185) / 8}`,
    ]);
  });
});
