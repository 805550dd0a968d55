import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createRequestSource,
  type RequestSource,
  type SharedPlaces,
} from '../../../../../main/perf/native/requests/request-source';
import { outputOffset, outputRegionBytes } from '../../../../../main/perf/native/requests/shared-names';
import type { LoadJob, SharedJob } from '../../../../../main/perf/native/seam/load-job';
import type { Failure } from '../../../../../main/perf/native/seam/transport';

const expected = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]);

let dir: string;
let shared: SharedJob;
let referenceFaults: (Failure | null)[];
let source: RequestSource;
/** Where the outputs of the last encoded request go. */
let asked: SharedPlaces[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'shared-'));
  referenceFaults = [null];
  shared = {
    inputRegion: 'in',
    payloads: [[{ name: 'INPUT', datatype: 'FP32', shape: [2], offset: 0, bytes: 8 }]],
    outputRegion: 'out',
    outputPath: join(dir, 'out'),
    outputNames: ['OUTPUT'],
    outputDatatypes: ['FP32'],
    outputBytes: 8,
    references: [[expected]],
    referenceFaults,
  };
  await writeFile(shared.outputPath, Buffer.alloc(outputRegionBytes(shared)));
  asked = [];
  source = createRequestSource({ shared, concurrency: 4 } as LoadJob, (_inputs, places) => {
    if (places !== null) asked.push(places);
    return Buffer.from(String(places?.outputs[0]?.place.offset));
  });
});
afterEach(async () => {
  source.close();
  await rm(dir, { recursive: true });
});

const watchedAt = () => String(outputOffset(shared, 'watched', 0));
const commonAt = () => String(outputOffset(shared, 'common', 0));
const send = (slot: number): string => source.next(slot).toString();

/** As the server does. */
async function answer(bytes: Uint8Array): Promise<void> {
  const region = await readFile(shared.outputPath);
  region.set(bytes, outputOffset(shared, 'watched', 0));
  await writeFile(shared.outputPath, region);
}

it('all requests write to the same outputs but for the one that is read back', async () => {
  expect([send(0), send(1), send(2)]).toEqual([watchedAt(), commonAt(), commonAt()]);
  expect(source.check(1)).toBeNull();
  expect(source.checked).toBe(0);
  await answer(expected);
  expect(source.check(0)).toBeNull();
  expect([source.checked, source.wrong]).toEqual([1, 0]);
  expect(asked).toHaveLength(2);
});

it('an answer that was never written, or another one, is wrong', async () => {
  await answer(expected);
  send(0);
  // What stood there before was wiped out when the request was made.
  expect(source.check(0)).toEqual({
    kind: 'wrong output',
    message: 'output OUTPUT in shared memory differs from the response over the network',
  });
  for (let count = 1; count < 100; count += 1) expect(send(1)).toBe(commonAt());
  expect(send(1)).toBe(watchedAt());
  await answer(Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 64]));
  expect(source.check(1)).not.toBeNull();
  expect([source.checked, source.wrong]).toEqual([2, 2]);
});

it('an answer to what is answered wrongly over the wire is as wrong', async () => {
  const fault = { kind: 'output not finite', message: 'OUTPUT has NaN or an infinity at value 0' };
  referenceFaults[0] = fault;
  send(0);
  await answer(expected);
  expect(source.check(0)).toEqual(fault);
  expect([source.checked, source.wrong]).toEqual([1, 1]);
});

it('a second one is read back only when the first is done with, and a failed one is done with', () => {
  send(0);
  for (let count = 0; count < 300; count += 1) expect(send(1)).toBe(commonAt());
  source.failed(0);
  expect(send(1)).toBe(watchedAt());
  expect(source.checked).toBe(0);
});
