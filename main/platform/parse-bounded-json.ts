import { fileLimits } from '../contract/reader-limits';

const { objects: mostObjects } = fileLimits.json;
const openings: ReadonlySet<number> = new Set(['{', '['].map((letter) => letter.charCodeAt(0)));

/**
 * The value of a JSON text from outside. Time and memory go by its objects and lists, three bytes each at least, so these are
 * counted before it is parsed; those in texts count as well. Throws an Error.
 */
export function parseBoundedJson(text: string): unknown {
  let objects = 0;
  for (let at = 0; at < text.length; at += 1) if (openings.has(text.charCodeAt(at))) objects += 1;
  if (objects > mostObjects) throw new Error(`more than ${mostObjects} objects and lists`);
  return JSON.parse(text);
}
