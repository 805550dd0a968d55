import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readProfileDocument } from '../../../main/perf/import/profile-document';
import { experimentText, joinProfiles, writeExperiment } from '../../../main/perf/profile-export';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-profile-'));
});
afterAll(() => rm(dir, { recursive: true }));

const originUs = 1_795_830_158_594_442.5;

it('the requests of all levels are one file, as perf_analyzer exports them', async () => {
  const at = (name: string) => join(dir, name);
  const level = { batchSize: 1, concurrency: 4 };
  const windows = [
    { originUs, startUs: 0, endUs: 900, times: Float64Array.from([10, 1, 30.25, 40, 2, 50, 60]) },
    { originUs, startUs: 900, endUs: 2000, times: Float64Array.from([1000, 0]) },
  ];
  await writeExperiment(at('level-2-0.profile.json'), experimentText(level, windows));
  // As the other load tool leaves it.
  await writeFile(
    at('level-10-0.profile.json'),
    '{"experiments":[{"experiment":{"mode":"request_rate","value":20.0},"requests":[],"window_boundaries":[]}],"version":"0.0.0","service_kind":"triton","endpoint":""}',
  );
  await joinProfiles(dir, at('all.json'));
  const read = readProfileDocument(await readFile(at('all.json'), 'utf8'), 'all.json');
  expect(read.map(({ mode, value }) => [mode, value])).toEqual([
    ['concurrency', 4],
    ['request_rate', 20],
  ]);
  expect(read[0]?.requests).toEqual([
    { sentNs: 1_795_830_158_594_452_500n, lastResponseNs: 1_795_830_158_594_472_750n },
    { sentNs: 1_795_830_158_594_482_500n, lastResponseNs: 1_795_830_158_594_502_500n },
    { sentNs: 1_795_830_158_595_442_500n, lastResponseNs: null },
  ]);
  expect(read[0]?.windowBoundaries).toEqual([
    ...[1_795_830_158_594_442_500n, 1_795_830_158_595_342_500n, 1_795_830_158_596_442_500n],
  ]);
});
