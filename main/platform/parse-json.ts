import { z } from 'zod';
import { fileLimits } from '../contract/reader-limits';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Lists and objects within each other; what servers and tools write has some ten. */
const mostDepth = 200;
/**
 * Values of a document: an answer of 8 MiB, the largest that is read of a server, has fewer, as those of Triton have 16
 * characters or more each. The smallest that are possible take twenty times their characters once they are parsed.
 */
const mostValues = 500_000;
/** Different keys of a document; Triton's answers have some hundred. Each that is new costs the parser most of all. */
const mostKeys = 10_000;

function checkSize(text: string, most: number): void {
  const keys = new Set<string>();
  let depth = 0;
  let values = 0;
  let from = 0;
  let to = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      from = at + 1;
      for (at += 1; at < text.length && text.charCodeAt(at) !== quote; at += 1)
        if (text.charCodeAt(at) === backslash) at += 1;
      to = at;
    } else if (code === colon) {
      keys.add(text.slice(from, to));
      if (keys.size > mostKeys)
        throw new Error(`more than ${mostKeys.toLocaleString('en-US')} different keys`);
    } else if (opening.has(code)) {
      depth += 1;
      values += 1;
      if (depth > mostDepth) throw new Error(`more than ${mostDepth} lists and objects within each other`);
    } else if (code === comma) values += 1;
    else if (closing.has(code)) depth -= 1;
    if (values > most) throw new Error(`more than ${most.toLocaleString('en-US')} values`);
  }
}

/**
 * The value of a JSON text from outside. It is looked at before: the parser keeps 50 bytes for each level of nesting and for
 * each of the smallest values, and whoever walks through the value one call for each level. Throws an Error for a text that
 * is no JSON, deeper than 200, or of more than `most` values or 10,000 different keys.
 */
export function parseJson(text: string, most = mostValues): unknown {
  checkSize(text, most);
  return JSON.parse(text) as unknown;
}

/**
 * A list from outside, which the first wrong entry ends: `z.array` goes on and keeps a finding of every one, gigabytes for
 * the millions that an answer of 8 MiB has room for.
 */
export const listOf = <Entry extends z.ZodType>(entry: Entry) =>
  z.array(z.unknown()).transform((values, context): z.output<Entry>[] => {
    const read: z.output<Entry>[] = [];
    for (const [index, value] of values.entries()) {
      const parsed = entry.safeParse(value);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const path = [index, ...(issue?.path ?? [])];
        context.issues.push({
          code: 'custom',
          message: issue?.message ?? 'Invalid entry',
          path,
          input: value,
        });
        return z.NEVER;
      }
      read.push(parsed.data);
    }
    return read;
  });

const { objects: mostObjects, members: mostMembers } = fileLimits.json;
const [brace, bracket, colonCode] = ['{', '[', ':'].map((letter) => letter.charCodeAt(0));

/**
 * The value of a JSON text from outside. Time and memory go by its objects, lists and members, so these are counted before it
 * is parsed; those in texts count as well. Throws an Error.
 */
export function parseBoundedJson(text: string): unknown {
  let objects = 0;
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (letter === brace || letter === bracket) objects += 1;
    else if (letter === colonCode) members += 1;
  }
  if (objects > mostObjects) throw new Error(`more than ${mostObjects} objects and lists`);
  if (members > mostMembers) throw new Error(`more than ${mostMembers} members of objects`);
  return JSON.parse(text);
}

/** The value of a JSON text of ours, such as a record that is made anew; null where it is none. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
