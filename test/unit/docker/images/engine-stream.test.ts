import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type EngineEvent, readEngineEvents } from '../../../../main/docker/images/engine-stream';

const never = new AbortController().signal;

async function read(answer: Readable): Promise<EngineEvent[]> {
  const events: EngineEvent[] = [];
  await readEngineEvents(answer, never, (event) => events.push(event));
  return events;
}

it('an event of 300 MB is not held; those around it are read, the last without an end', async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, 'x');
  let most = 0;
  function* answer() {
    yield Buffer.from('{"status":"first"}\r\n{"stream":"');
    for (let count = 0; count < 300; count += 1) {
      most = Math.max(most, process.memoryUsage().heapUsed);
      yield mebibyte;
    }
    yield Buffer.from('"}\n\n{"status":"last"}');
  }
  const before = process.memoryUsage().heapUsed;
  expect(await read(Readable.from(answer(), { objectMode: false }))).toEqual([
    { status: 'first' },
    { status: 'last' },
  ]);
  expect(most - before).toBeLessThan(100 * 1024 * 1024);
});

it('rejects with the error of a connection that breaks', async () => {
  const answer = new PassThrough();
  const events = read(answer);
  answer.write('{"status":"first"}\n');
  setImmediate(() => answer.destroy(new Error('cut')));
  await expect(events).rejects.toThrow('cut');
});
