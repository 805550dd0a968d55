import { mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { MonitorSample } from '../../../main/contract/monitor/monitor';
import {
  readRecording,
  readRecordingHead,
  recordingHead,
  RecordingWriter,
  replayRecording,
} from '../../../main/monitor/recording';
import { sample } from './fixtures';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-recording-'));
  path = join(dir, 'one.jsonl');
  const writer = await RecordingWriter.create(path, recordingHead('http://localhost:8000', new Date(0)));
  await Promise.all([0, 1, 2].map((second) => writer.append(sample(second * 1000))));
  await writer.close();
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function readAll(): Promise<{ readonly samples: MonitorSample[]; readonly damaged: number }> {
  const samples: MonitorSample[] = [];
  let damaged = 0;
  const onDamaged = (count: number) => {
    damaged = count;
  };
  for await (const one of readRecording(path, onDamaged)) samples.push(one);
  return { samples, damaged };
}

it('names its server and its start, and nothing of another file', async () => {
  expect(await readRecordingHead(path)).toMatchObject({
    url: 'http://localhost:8000',
    startedAt: new Date(0).toISOString(),
  });
  await writeFile(path, 'not a recording\n');
  expect(await readRecordingHead(path)).toBeNull();
  expect(await readRecordingHead(join(dir, 'none.jsonl'))).toBeNull();
});

it('gives back what was written', async () => {
  expect(await readAll()).toEqual({ samples: [sample(0), sample(1000), sample(2000)], damaged: 0 });
});

it('cut at any byte behind its head, it gives whole samples alone, in their order', async () => {
  const whole = await readFile(path);
  const head = whole.indexOf('\n') + 1;
  for (let length = head; length <= whole.length; length += 41) {
    await writeFile(path, whole.subarray(0, length));
    const { samples, damaged } = await readAll();
    expect(samples).toEqual([sample(0), sample(1000), sample(2000)].slice(0, samples.length));
    const newlines = whole.subarray(head, length).filter((byte) => byte === 10).length;
    expect(samples.length).toBeGreaterThanOrEqual(newlines);
    expect(damaged).toBeLessThanOrEqual(1);
  }
});

it('a damaged line in the middle is left out and counted', async () => {
  const lines = (await readFile(path, 'utf8')).split('\n');
  lines[2] = '{"atMs":"late"}';
  await writeFile(path, lines.join('\n'));
  const { samples, damaged } = await readAll();
  expect(samples.map(({ atMs }) => atMs)).toEqual([0, 2000]);
  expect(damaged).toBe(1);
});

it('is never written over, and what is no recording is refused', async () => {
  await expect(RecordingWriter.create(path, recordingHead('', new Date(0)))).rejects.toMatchObject({
    code: 'input-invalid',
  });
  await truncate(path, 10);
  await expect(readAll()).rejects.toMatchObject({ code: 'input-invalid' });
  await truncate(path, 0);
  await expect(readAll()).rejects.toMatchObject({ code: 'input-invalid' });
  path = join(dir, 'none.jsonl');
  await expect(readAll()).rejects.toMatchObject({ code: 'input-invalid' });
});

it('plays in order as fast as it goes, and stops when told', async () => {
  const times: number[] = [];
  const stop = new AbortController();
  const options = { path, speed: 0, onDamaged: () => undefined, signal: stop.signal };
  await replayRecording({ ...options, onSample: ({ atMs }) => void times.push(atMs) });
  expect(times).toEqual([0, 1000, 2000]);
  const some: number[] = [];
  await replayRecording({
    ...options,
    speed: 1000,
    onSample: ({ atMs }) => {
      some.push(atMs);
      stop.abort();
    },
  });
  expect(some).toEqual([0]);
});

it('that is a folder is an error with the reason, not a fault of the workbench', async () => {
  const reading = readRecording('/tmp', () => undefined).next();
  await expect(reading).rejects.toMatchObject({
    code: 'input-invalid',
    message: '/tmp cannot be read (EISDIR)',
    where: '/tmp',
  });
});

it('a line of 300 MB is not held: it is damaged, and the samples behind it are read', async () => {
  const whole = await readFile(path);
  const head = whole.indexOf('\n') + 1;
  const file = await open(path, 'w');
  await file.write(whole.subarray(0, head));
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 300; count += 1) await file.write(Buffer.alloc(1024 * 1024, 'x'));
  await file.write('\n');
  await file.write(whole.subarray(head));
  await file.close();
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 5);
  const { samples, damaged } = await readAll();
  clearInterval(watch);
  expect(samples).toEqual([sample(0), sample(1000), sample(2000)]);
  expect(damaged).toBe(1);
  expect(most - before).toBeLessThan(150 * 1024 * 1024);
});

it('a sample of a server with thousands of models is read whole', async () => {
  const large = sample(0);
  const models = Array.from({ length: 2000 }, (_, index) => ({ ...large.models[0], name: `model-${index}` }));
  const text = JSON.stringify({ ...large, models });
  expect(text.length).toBeGreaterThan(65_536);
  await writeFile(path, `${JSON.stringify(recordingHead('', new Date(0)))}\n${text}\n`);
  const { samples, damaged } = await readAll();
  expect(samples[0]?.models).toHaveLength(2000);
  expect(damaged).toBe(0);
});
