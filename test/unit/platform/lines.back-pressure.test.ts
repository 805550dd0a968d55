import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BackPressure, logPressure, readGently } from '../../../main/platform/lines';

it('gives relief once what waits is within the limit', async () => {
  const pressure = new BackPressure(100);
  const received: string[] = [];
  pressure.add(250);
  const relief = pressure.relief().then(() => received.push('relief'));
  for (const bytes of [100, 49]) {
    await nextTurn();
    pressure.done(bytes);
    await nextTurn();
    expect(received).toEqual([]);
  }
  pressure.done(1);
  await relief;
  expect(pressure.waitingBytes).toBe(100);
});

it('a stream is not read while the logs have no room', async () => {
  const chunks: string[] = [];
  const much = 1024 * 1024 * 1024;
  const stream = Readable.from([Buffer.from('a'), Buffer.from('b')], { objectMode: false });
  logPressure.add(much);
  const read = readGently(stream, (chunk) => chunks.push(chunk.toString()));
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  expect(chunks).toEqual(['a']);
  logPressure.done(much);
  await read;
  expect(chunks).toEqual(['a', 'b']);
});
