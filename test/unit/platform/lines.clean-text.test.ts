import { expect, it } from 'vitest';
import { cleanLine, cleanText } from '../../../main/platform/lines';

it.each([
  ['colors', '\u001b[1;31mred\u001b[0m', 'red'],
  ['a title, ended by BEL', 'a\u001b]0;PWNED\u0007b', 'ab'],
  ['the clipboard, ended by ST', 'a\u001b]52;c;cm0gLXJm\u001b\\b', 'ab'],
  ['a title without an end', 'a\u001b]0;PWNED\nb', 'a\nb'],
  ['a device string', 'a\u001bP+q544e\u001b\\b', 'ab'],
  ['a change of the character set', 'a\u001b(0b', 'ab'],
  ['a reset', 'a\u001bcb', 'ab'],
  ['a cut sequence', 'a\u001b[31', 'a31'],
  ['an escape at the end', 'a\u001b', 'a'],
  ['a bell, a backspace, a return and C1', 'a\u0007\u0008\r\u009b\u007fb', 'ab'],
  ['nothing of brackets behind a tab', '\t[info] ]x', '\t[info] ]x'],
  ['nothing of other scripts', 'größer ☢ 好', 'größer ☢ 好'],
])('takes %s out', (_name, text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

it('a line is one line', () => {
  expect(cleanLine('a\nb\u001b[2J')).toBe('ab');
});
