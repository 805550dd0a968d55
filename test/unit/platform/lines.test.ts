import { expect, it } from 'vitest';
import { LineSplitter, maxLineBytes } from '../../../main/platform/lines';

function split(chunks: readonly Buffer[], limitBytes?: number): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), limitBytes);
  for (const chunk of chunks) splitter.add(chunk);
  splitter.end();
  return lines;
}

const whole = Buffer.from('größer\r\n\r\n10 %\r20 %\n\n☢ without an end');
const expected = ['größer', '', '10 %', '20 %', '', '☢ without an end'];

it('gives the same lines wherever the bytes are cut', () => {
  for (let cut = 0; cut <= whole.length; cut += 1) {
    expect(split([whole.subarray(0, cut), whole.subarray(cut)]), `cut at ${cut}`).toEqual(expected);
  }
  expect(split([...whole].map((byte) => Buffer.from([byte])))).toEqual(expected);
});

it('keeps the beginning of a long line, counts the rest, and takes the next line whole', () => {
  const text = `${'x'.repeat(1_000_000)}\nnext`;
  const cut = `${'x'.repeat(maxLineBytes)} … (934,464 more bytes of this line are not kept)`;
  expect(split([Buffer.from(text)])).toEqual([cut, 'next']);
  const pieces = Array.from({ length: 101 }, (_, index) =>
    Buffer.from(text.slice(index * 10_000, (index + 1) * 10_000)),
  );
  expect(split(pieces)).toEqual([cut, 'next']);
  expect(split([Buffer.from('x'.repeat(maxLineBytes))])).toEqual(['x'.repeat(maxLineBytes)]);
});

it('does not cut through a character', () => {
  expect(split([Buffer.from('ab☢☢')], 4)).toEqual(['ab … (4 more bytes of this line are not kept)']);
});

it('does not hold the chunk of which it keeps a part', () => {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  const chunk = Buffer.from('one\nkept');
  splitter.add(chunk);
  chunk.fill('z');
  splitter.end();
  expect(lines).toEqual(['one', 'kept']);
});
