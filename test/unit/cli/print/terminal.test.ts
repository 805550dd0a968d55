import { afterEach, describe, expect, it, vi } from 'vitest';
import { printText } from '../../../../main/cli/output';
import {
  ansi,
  colorsFor,
  columnsOf,
  forStream,
  paint,
  paintState,
  useColors,
  widthOf,
  withoutAnsi,
  wrapped,
} from '../../../../main/cli/print/terminal';

afterEach(() => {
  useColors({ stdout: false, stderr: false });
});

const terminal = { isTTY: true, hasColors: (): boolean => true };

describe('colors', () => {
  it.each([
    ['a terminal', terminal, {}, [], true],
    ['a pipe', {}, {}, [], false],
    ['a terminal without colors', { isTTY: true, hasColors: (): boolean => false }, {}, [], false],
    ['TERM=dumb', terminal, { TERM: 'dumb' }, [], false],
    ['NO_COLOR', terminal, { NO_COLOR: '1' }, [], false],
    ['an empty NO_COLOR', terminal, { NO_COLOR: '' }, [], true],
    ['FORCE_COLOR on a pipe', {}, { FORCE_COLOR: '1' }, [], true],
    ['FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, [], false],
    ['NO_COLOR and FORCE_COLOR', terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }, [], false],
    ['--no-color', terminal, { FORCE_COLOR: '1' }, ['runs', '--no-color'], false],
    ['--no-color as an argument', terminal, {}, ['logs', '--', '--no-color'], true],
  ] as const)('%s', (_name, stream, env, words, expected) => {
    expect(colorsFor(stream, env, words)).toBe(expected);
  });

  it('are in a stream that has them only, and leave the text as wide as it is', () => {
    useColors({ stdout: true, stderr: false });
    const text = `${paint('bad', 'failed')} and ${paintState('done (2 steps)')}`;
    expect(widthOf(text)).toBe('failed and done (2 steps)'.length);
    expect(forStream(text, 'stdout')).toBe('\u001b[31mfailed\u001b[0m and \u001b[32mdone (2 steps)\u001b[0m');
    expect(forStream(text, 'stderr')).toBe('failed and done (2 steps)');
  });

  it('come from the program only: what a name has of them is removed', () => {
    useColors({ stdout: true, stderr: true });
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    printText(`\u001b[31mname\u001b[0m ${paint('bad', 'failed')}`);
    expect(written).toHaveBeenCalledWith('name \u001b[31mfailed\u001b[0m');
    written.mockRestore();
  });

  it('of help are removed for a stream without them', () => {
    expect(withoutAnsi(`${ansi('title', 'Usage:')} ${ansi('term', 'run')}`)).toBe('Usage: run');
  });

  it('are nowhere until a stream has them', () => {
    expect(paint('title', 'run')).toBe('run');
    expect(paintState('failed')).toBe('failed');
  });
});

describe('the width', () => {
  it('is that of a terminal that says it', () => {
    expect(columnsOf({ isTTY: true, columns: 132 })).toBe(132);
    expect(columnsOf({ isTTY: true, columns: 0 })).toBeNull();
    expect(columnsOf({ columns: 132 })).toBeNull();
  });

  it('breaks text at spaces, and no word', () => {
    expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapped('a verylongword b', 5)).toEqual(['a', 'verylongword', 'b']);
    expect(wrapped('', 5)).toEqual(['']);
  });
});
