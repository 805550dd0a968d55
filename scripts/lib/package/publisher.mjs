import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../say.mjs';

const isHttps = (text) => URL.canParse(text) && new URL(text).protocol === 'https:';

/**
 * Who publishes a package, of publisher.json, the one file that a fork edits.
 * @returns {{maintainer: string, homepage: string | null, updateFeed: string | null}}
 */
export function readPublisher(root) {
  const file = join(root, 'publisher.json');
  let given;
  try {
    given = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new SetupError(`publisher.json cannot be read: ${error.message}`);
  }
  const { maintainer, homepage = null, updateFeed = null, ...others } = Object(given);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new SetupError(`publisher.json has an unknown field "${unknown}".`);
  if (typeof maintainer !== 'string' || !/^[^<>\n]*\S[^<>\n]*(?:<[^<>\s]+@[^<>\s]+>)?$/.test(maintainer)) {
    throw new SetupError('"maintainer" of publisher.json must be a name, such as "Ada <ada@your.org>".');
  }
  for (const [name, value] of Object.entries({ homepage, updateFeed })) {
    if (value !== null && !(typeof value === 'string' && isHttps(value)))
      throw new SetupError(`"${name}" of publisher.json must be an https address or null.`);
  }
  return { maintainer, homepage, updateFeed };
}

/** What a release to others needs and publisher.json does not have yet. @returns {string[]} sentences */
export const missingOfRelease = ({ maintainer, homepage }) => [
  ...(maintainer.includes('@')
    ? []
    : ['"maintainer" has no e-mail address, which a deb names: "Name <name@your.org>".']),
  ...(homepage === null ? ['"homepage" is null: set the address of your fork.'] : []),
];
