import { z } from 'zod';
import { fileLimits } from '../contract/reader-limits';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Nesting limit; real documents have about ten. */
const mostDepth = 200;
/**
 * Limit of values: Triton's use 16 characters or more each, so the maximum response of 8 MiB has fewer. Minimal values
 * take twenty times their text in memory.
 */
const mostValues = 500_000;
/** Limit of distinct keys, which are the most expensive to parse; Triton's responses have a few hundred. */
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
 * Parses untrusted JSON. Checked first, because parsing and recursion cost 50 bytes and a stack frame per level. Throws
 * an Error for invalid JSON, nesting above 200, more than `most` values or 10,000 distinct keys.
 */
export function parseJson(text: string, most = mostValues): unknown {
  checkSize(text, most);
  return JSON.parse(text) as unknown;
}

/** Stops at the first invalid entry; `z.array` collects an issue per entry, gigabytes for an 8 MiB response. */
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

/** Limits objects, lists and members before parsing, which bounds time and memory. Throws an Error. */
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

/** For own files that can be regenerated; null if invalid. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
