import { fileLimits } from '../contract/reader-limits';

const { objects: mostObjects, members: mostMembers } = fileLimits.json;
const [brace, bracket, colon] = ['{', '[', ':'].map((letter) => letter.charCodeAt(0));

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
    else if (letter === colon) members += 1;
  }
  if (objects > mostObjects) throw new Error(`more than ${mostObjects} objects and lists`);
  if (members > mostMembers) throw new Error(`more than ${mostMembers} members of objects`);
  return JSON.parse(text);
}
