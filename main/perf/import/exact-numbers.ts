/** JSON.parse keeps whole numbers of fifteen digits exactly, whatever they are. */
const mostDigits = 15;

const code = (letter: string): number => letter.charCodeAt(0);
const [quote, backslash, zero, nine] = [code('"'), code('\\'), code('0'), code('9')];
/** What makes the digits before or behind it a part of another number. */
const parts: ReadonlySet<number> = new Set(['.', 'e', 'E', '+', '-'].map(code));

/** Where the text that begins at `at` is over; the end of all where it is not closed. */
function textEnd(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text.charCodeAt(end) !== quote)
    end += text.charCodeAt(end) === backslash ? 2 : 1;
  return end + 1;
}

/**
 * Whole numbers of 16 digits and more as text: nanoseconds since 1970 are beyond those that JSON.parse keeps exactly. What
 * stands in a text stays as it is. Every letter is looked at once: such files have millions of texts and numbers.
 */
export function exactNumbers(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length;) {
    const letter = text.charCodeAt(at);
    if (letter === quote) at = textEnd(text, at);
    else if (letter < zero || letter > nine) at += 1;
    else {
      const start = at;
      while (text.charCodeAt(at) >= zero && text.charCodeAt(at) <= nine) at += 1;
      if (at - start <= mostDigits) continue;
      if (parts.has(text.charCodeAt(start - 1)) || parts.has(text.charCodeAt(at))) continue;
      kept.push(text.slice(from, start), text.slice(start, at));
      from = at;
    }
  }
  // What stands between two numbers, and the numbers, take turns.
  kept.push(text.slice(from));
  return kept.join('"');
}
