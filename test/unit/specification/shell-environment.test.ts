import { describe, expect, it } from 'vitest';
import { fileLimits } from '../../../main/contract/reader-limits';
import { importSpec } from '../../../main/specification/import-spec';
import { parseShellEnvironment } from '../../../main/specification/shell-environment';
import { specKind } from '../../../main/specification/spec-readers';
import { resnet50 } from './places';

// Texts of the size that the window sends at most. Those marked with (*) took longer than a test may before.
const size = 1_000_000;
const most = fileLimits.shell.bytes;

describe('a shell file of the largest size', () => {
  it('is read in one pass where an array goes over all of its lines (*)', () => {
    const lines = size / 5;
    const { variables } = parseShellEnvironment(`A=(\n${'1234\n'.repeat(lines)})\nB=2\n`);
    expect(variables.get('A')?.split(' ')).toHaveLength(lines);
    expect(variables.get('B')).toBe('2');
  });

  it('is read in one pass where an array begins many times in a line (*)', () => {
    const { variables } = parseShellEnvironment(`A=1 # ${'=('.repeat(size / 2)})\nB=2\n`);
    expect([...variables]).toEqual([
      ['A', '1'],
      ['B', '2'],
    ]);
  });

  it('is told from the other kinds in one pass where it is empty lines, or blanks (*)', () => {
    for (const text of ['\n'.repeat(size), `input${' '.repeat(size)}`]) {
      expect(specKind(text, '')).toBe('yaml');
    }
  });

  it('says each reason once for all the names of it', () => {
    let text = '';
    for (let index = 0; text.length < most - 20; index += 1) text += `V${index}=$X\n`;
    const { notes, choice } = importSpec(resnet50, text, 'a.env');
    expect(choice?.overrides).toEqual({});
    expect(notes).toHaveLength(1);
  });

  it('is refused with one byte more, with both numbers', () => {
    const { notes, choice } = importSpec(resnet50, `A=1${' '.repeat(most - 2)}`, 'a.env');
    expect(choice).toBeNull();
    expect(notes).toEqual([`The file has ${most + 1} bytes, at most ${most} of its kind are read.`]);
  });
});

describe('a value of a shell file', () => {
  it('does not double its length with every line', () => {
    let text = `A0=${'x'.repeat(1000)}\n`;
    for (let line = 1; line < 100; line += 1) text += `A${line}=$A${line - 1}$A${line - 1}\n`;
    const { variables, unknown } = parseShellEnvironment(text);
    const letters = [...variables.values()].reduce((sum, value) => sum + value.length, 0);
    expect(letters).toBeLessThan(2 * 2 ** 20);
    expect([...unknown.values()]).toContain('the values of the file are too long together');
  });

  it('is left out where its expansion has a hundred thousand within each other', () => {
    const { variables, unknown } = parseShellEnvironment(`A=${'${B:-'.repeat(100_000)}\nC=1\n`);
    expect(unknown.get('A')).toMatch(/nested too deeply/);
    expect(variables.get('C')).toBe('1');
    expect(parseShellEnvironment('A=${X:-${Y:-z}}').variables.get('A')).toBe('z');
  });
});

describe('a line of a shell file', () => {
  const read = (text: string) => Object.fromEntries(parseShellEnvironment(text).variables);

  it('may set several variables, with signs between them', () => {
    expect(read('export A=1; export B="x;y";C=3\nD=4 && E=5 # F=6\n')).toEqual({
      ...{ A: '1', B: 'x;y', C: '3', D: '4', E: '5' },
    });
    expect(read('declare -x A=1; readonly B=2\n')).toEqual({ A: '1', B: '2' });
  });

  it('sets nothing behind a command, and nothing that is not run', () => {
    expect(read('A=1; echo B=2\nC=3 || D=4\n')).toEqual({ A: '1', C: '3' });
    expect(read('A=1; if [ -n "$X" ]; then B=2; fi\nC=3\n')).toEqual({ A: '1', C: '3' });
  });

  it('ends no condition with a comment or an argument', () => {
    const text = [
      ...['# Set when the download is done', 'echo done', 'A=1', 'if [ -n "$X" ]; then'],
      ...['  # all is done', '  B=2', '  echo "x; done"', '  C=3', 'fi', 'D=4', ''],
    ].join('\n');
    expect(read(text)).toEqual({ A: '1', D: '4' });
  });

  it('ends two with two words', () => {
    expect(read('for X in 1 2; do if true; then\n  A=1\nfi; done\nB=2\n')).toEqual({ B: '2' });
  });

  it('keeps the sign of a comment in the middle of a word', () => {
    expect(read('A=/data/run#1 # B=2\n')).toEqual({ A: '/data/run#1' });
  });
});
