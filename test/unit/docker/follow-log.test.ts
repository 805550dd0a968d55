import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type LogChannel, LogDemultiplexer, readLogStream } from '../../../main/docker/follow-log';
import { LineSplitter } from '../../../main/platform/lines';
import { rejection } from '../../support/rejection';

/** A frame as the Engine API describes it: channel, three zero bytes, length big-endian. */
function frame(channel: LogChannel, text: string): Buffer {
  const bytes = Buffer.from(text);
  const header = Buffer.alloc(8);
  header[0] = channel === 'stdout' ? 1 : 2;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

const frames = [
  frame('stdout', 'größer\nzwei'),
  frame('stderr', 'E: ☢\r\n'),
  frame('stdout', ''),
  frame('stdout', 'te Zeile\n'),
  frame('stderr', 'ohne Ende'),
];
const whole = Buffer.concat(frames);
const expected = { stdout: ['größer', 'zweite Zeile'], stderr: ['E: ☢', 'ohne Ende'] };

function collect(skip?: Record<LogChannel, number>) {
  const lines: Record<LogChannel, string[]> = { stdout: [], stderr: [] };
  const assemblers = {
    stdout: new LineSplitter((line) => lines.stdout.push(line)),
    stderr: new LineSplitter((line) => lines.stderr.push(line)),
  };
  const given: Record<LogChannel, number> = { stdout: 0, stderr: 0 };
  const demultiplexer = new LogDemultiplexer((channel, bytes) => {
    given[channel] += bytes.length;
    assemblers[channel].add(bytes);
  }, skip);
  const end = () => {
    assemblers.stdout.end();
    assemblers.stderr.end();
    return lines;
  };
  return { demultiplexer, assemblers, given, lines, end };
}

describe('the multiplexed log', () => {
  it('gives the same lines wherever it is cut', () => {
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const { demultiplexer, end } = collect();
      demultiplexer.add(whole.subarray(0, cut));
      demultiplexer.add(whole.subarray(cut));
      expect(end(), `cut at ${cut}`).toEqual(expected);
    }
  });

  it('gives the same lines byte by byte', () => {
    const { demultiplexer, end } = collect();
    for (const byte of whole) demultiplexer.add(Buffer.from([byte]));
    expect(end()).toEqual(expected);
  });

  it('goes on after a break at any byte without losing or doubling one', () => {
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const first = collect();
      first.demultiplexer.add(whole.subarray(0, cut));
      // The second stream begins at the beginning and passes over what was given.
      const second = new LogDemultiplexer(
        (channel, bytes) => {
          first.assemblers[channel].add(bytes);
        },
        { ...first.given },
      );
      second.add(whole);
      expect(first.end(), `broken at ${cut}`).toEqual(expected);
    }
  });

  it('refuses what is no such stream', () => {
    const { demultiplexer } = collect();
    expect(() => {
      demultiplexer.add(Buffer.from('HTTP/1.1 500 Internal'));
    }).toThrow('damaged');
  });

  it('ends with the stream, however that ends', async () => {
    const good = collect();
    const stream = new PassThrough();
    const done = readLogStream(stream, good.demultiplexer);
    stream.write(whole);
    setImmediate(() => stream.destroy(new Error('cut')));
    await done;
    expect(good.end()).toEqual(expected);

    const damaged = new PassThrough();
    const failing = readLogStream(damaged, collect().demultiplexer);
    damaged.write('HTTP/1.1 500 Internal');
    expect((await rejection(failing)).code).toBe('docker-failed');
    expect(damaged.destroyed).toBe(true);
  });
});

it('a line without an end does not grow without one', () => {
  const lines: string[] = [];
  const assembler = new LineSplitter((line) => lines.push(line));
  for (let index = 0; index < 100; index += 1) assembler.add(Buffer.alloc(10_000, 'x'));
  assembler.end();
  expect(lines).toEqual([`${'x'.repeat(65_536)} … (934,464 more bytes of this line are not kept)`]);
});
