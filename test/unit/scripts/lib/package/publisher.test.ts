import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

interface Publisher {
  readonly maintainer: string;
  readonly homepage: string | null;
  readonly updateFeed: string | null;
}
const { missingOfRelease, readPublisher } = (await import(resolve('scripts/lib/package/publisher.mjs'))) as {
  readPublisher: (root: string) => Publisher;
  missingOfRelease: (publisher: Publisher) => readonly string[];
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'twb-publisher-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});
const given = (text: string) => {
  writeFileSync(join(root, 'publisher.json'), text);
  return () => readPublisher(root);
};

const full = { maintainer: 'Ada <ada@fork.example>', homepage: 'https://fork.example', updateFeed: null };

it('the file of this repository is read, and names nobody who does not exist', () => {
  const publisher = readPublisher('.');
  expect(publisher.maintainer).toBe('The Triton Workbench authors');
  expect(readFileSync('package.json', 'utf8')).not.toContain('example.com');
});

it('takes what a fork writes', () => {
  expect(given(JSON.stringify(full))()).toEqual(full);
  expect(missingOfRelease(full)).toEqual([]);
});

it('a release names an address and a homepage', () => {
  const missing = missingOfRelease({ ...full, maintainer: 'Ada', homepage: null });
  expect(missing).toEqual([
    '"maintainer" has no e-mail address, which a deb names: "Name <name@your.org>".',
    '"homepage" is null: set the address of your fork.',
  ]);
});

it.each([
  ['{', 'publisher.json cannot be read: '],
  ['{"maintainer": ""}', '"maintainer" of publisher.json must be a name'],
  ['{"maintainer": "A <a@b.c>\\nDepends: x"}', '"maintainer" of publisher.json must be a name'],
  ['{"maintainer": "A", "homepage": "http://a.b"}', '"homepage" of publisher.json must be an https address'],
  ['{"maintainer": "A", "updateFeed": 4}', '"updateFeed" of publisher.json must be an https address'],
  ['{"maintainer": "A", "feed": null}', 'publisher.json has an unknown field "feed"'],
])('refuses %s', (text, message) => {
  expect(given(text)).toThrow(message);
});
