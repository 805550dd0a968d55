import { expect, it } from 'vitest';
import type { LoadPoint, MeasurementWindow } from '../../../../main/contract/measured/results';
import type { LoadTool, MeasureInput } from '../../../../main/perf/load-tool';
import { measureWay } from '../../../../main/pipeline/measure/way-level';
import { pointFixture } from '../../../support/run-state';

/** Each look adds a window of the same latency: 4 ms directly, 5 ms through the gateway. */
function steadyTool(): LoadTool {
  return {
    id: 'native',
    levelInTurns: ({ sentTo }: MeasureInput) => {
      const windows: MeasurementWindow[] = [];
      const [known] = pointFixture({}).windows;
      return {
        next: (): Promise<LoadPoint> => {
          const avgUs = sentTo === undefined ? 4000 : 5000;
          windows.push({ ...known, avgUs, p99Us: avgUs, requestCount: 100 } as MeasurementWindow);
          return Promise.resolve(pointFixture({ windows: [...windows] }));
        },
      };
    },
  } as unknown as LoadTool;
}

it('says what each pair of looks came to while it measures', async () => {
  const lines: string[] = [];
  const { way } = await measureWay(
    steadyTool(),
    {
      level: { batchSize: 1, concurrency: 2 },
      protocol: 'http',
      workDir: '/none',
      onLog: (more: readonly string[]) => lines.push(...more),
    } as unknown as MeasureInput,
    { address: 'gateway:9000', tls: null },
  );
  expect(lines[0]).toBe(
    'batch size 1, concurrency 2, pair 1: mean latency 4.00 ms directly, 5.00 ms through http://gateway:9000',
  );
  expect(lines).toHaveLength(way?.pairs ?? 0);
  expect(lines.at(-1)).toContain(`pair ${way?.pairs ?? 0}:`);
});
