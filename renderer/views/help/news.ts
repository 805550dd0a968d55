/**
 * What CHANGELOG.md says of the versions newer than `since`: Markdown from their headings on, newest first. Without
 * `since`, or where the changelog does not name it, the newest version only.
 */
export function newsSince(changelog: string, since: string | null): string {
  const sections = changelog.split(/^(?=## )/m).filter((section) => section.startsWith('## '));
  const known = sections.findIndex((section) => since !== null && versionOf(section) === since);
  return sections.slice(0, Math.max(1, known)).join('').trim();
}

const versionOf = (section: string): string | undefined =>
  /^## \[?v?(\d+\.\d+\.\d+[\w.-]*)/.exec(section)?.[1];

/** "0.2.0" of "0.2.0-test.electron.25.1.1": a package for tests is of the version that it tests. */
export const releaseOf = (version: string): string => version.replace(/-.*$/, '');
