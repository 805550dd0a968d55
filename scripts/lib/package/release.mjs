import { createHash } from 'node:crypto';

/** The section of CHANGELOG.md for a version, without its heading; null where it has none. Pure. */
export function changelogSection(text, version) {
  const sections = text.split(/^(?=## )/m);
  const found = sections.find((section) => section.split(/[\s[\]]+/)[1]?.replace(/^v/, '') === version);
  if (found === undefined) return null;
  return { isReleased: !/^## .*unreleased/i.test(found), text: found.replace(/^.*\n/, '').trim() };
}

/** GitHub refuses a release whose notes have more, in characters. */
const notesLimit = 125_000;

/**
 * The notes of a release: the section of the changelog, cut between two lines where GitHub would refuse it. Pure.
 * @param {string} text of the section
 */
export function releaseNotes(text, limit = notesLimit) {
  const whole = `${text}\n`;
  if (whole.length <= limit) return whole;
  const rest = '\nThe notes are longer than GitHub takes; CHANGELOG.md has all of them.\n';
  const kept = whole.slice(0, limit - rest.length);
  return `${kept.slice(0, kept.lastIndexOf('\n') + 1)}${rest}`;
}

/**
 * What keeps a tag from being released. Pure.
 * @param {{tag: string, version: string, changelog: string, missing: string[]}} facts missing: of publisher.json
 * @returns {string[]} sentences
 */
export function releaseProblems({ tag, version, changelog, missing }) {
  const section = changelogSection(changelog, version);
  return [
    ...(tag === `v${version}` ? [] : [`The tag ${tag} is not the version of package.json: v${version}.`]),
    ...(section === null ? [`CHANGELOG.md has no section "## ${version}".`] : []),
    ...(section?.isReleased === false ? [`CHANGELOG.md calls ${version} unreleased: write its date.`] : []),
    ...missing.map((one) => `publisher.json: ${one}`),
  ];
}

/**
 * latest-linux.yml of an update feed, as electron-updater reads it. Pure.
 * @param {{version: string, epoch: number, files: {name: string, content: Buffer}[]}} release packages, at least one
 */
export function updateFeed({ version, epoch, files }) {
  const entries = files.map(({ name, content }) => ({
    name,
    sum: createHash('sha512').update(content).digest('base64'),
    size: content.length,
  }));
  const [first] = entries;
  return [
    `version: ${version}`,
    'files:',
    ...entries.flatMap(({ name, sum, size }) => [
      `  - url: ${name}`,
      `    sha512: ${sum}`,
      `    size: ${size}`,
    ]),
    `path: ${first.name}`,
    `sha512: ${first.sum}`,
    `releaseDate: '${new Date(epoch * 1000).toISOString()}'`,
    '',
  ].join('\n');
}

/** Lines that `sha256sum --check` reads. Pure. */
export const checksums = (files) =>
  files
    .map(({ name, content }) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`)
    .join('');
