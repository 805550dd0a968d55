import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Release {
  changelogSection: (text: string, version: string) => { isReleased: boolean; text: string } | null;
  checksums: (files: readonly object[]) => string;
  releaseNotes: (text: string, limit?: number) => string;
  releaseProblems: (facts: object) => readonly string[];
  updateFeed: (release: object) => string;
}
const { controlFile } = (await import(resolve('scripts/lib/package/deb.mjs'))) as {
  controlFile: (identity: object, about: object, sizes: object) => string;
};
const { changelogSection, checksums, releaseNotes, releaseProblems, updateFeed } = (await import(
  resolve('scripts/lib/package/release.mjs')
)) as Release;

const changelog = '# Changelog\n\n## 0.2.0 (2026-12-01)\n\n- New.\n\n## 0.1.0 (unreleased)\n\n- First.\n';

describe('a tag', () => {
  const facts = { tag: 'v0.2.0', version: '0.2.0', changelog, missing: [] };

  it('is released where version, changelog and publisher fit', () => {
    expect(releaseProblems(facts)).toEqual([]);
    expect(changelogSection(changelog, '0.2.0')?.text).toBe('- New.');
  });

  it.each([
    [{ tag: 'v0.2.1' }, 'The tag v0.2.1 is not the version of package.json: v0.2.0.'],
    [{ tag: 'v0.3.0', version: '0.3.0' }, 'CHANGELOG.md has no section "## 0.3.0".'],
    [{ tag: 'v0.1.0', version: '0.1.0' }, 'CHANGELOG.md calls 0.1.0 unreleased: write its date.'],
    [{ missing: ['"homepage" is null.'] }, 'publisher.json: "homepage" is null.'],
  ])('with %j is not', (more, problem) => {
    expect(releaseProblems({ ...facts, ...more })).toEqual([problem]);
  });
});

describe('the notes of a release', () => {
  const notes = `- One.\n${'- Another line.\n'.repeat(10)}- Last.`;

  it('are the whole section where GitHub takes it', () => {
    expect(releaseNotes(notes)).toBe(`${notes}\n`);
  });

  it('end between two lines where it would refuse them, and say where the rest is', () => {
    const cut = releaseNotes(notes, 120);
    expect(cut.length).toBeLessThanOrEqual(120);
    expect(cut).toMatch(
      /^- One\.\n(?:- Another line\.\n)+\nThe notes are longer than GitHub takes; .*CHANGELOG\.md.*\n$/,
    );
    expect(cut).not.toContain('Last');
  });

  it('of the newest version of this changelog are short enough', () => {
    const text = readFileSync('CHANGELOG.md', 'utf8');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const section = changelogSection(text, version)?.text ?? '';
    expect(section.length).toBeGreaterThan(1000);
    expect(releaseNotes(section).length).toBeLessThanOrEqual(125_000);
  });
});

it('the update feed lists each package with the checksum that electron-updater compares', () => {
  const content = Buffer.from('deb');
  const feed: unknown = parse(
    updateFeed({
      version: '0.2.0',
      epoch: 0,
      files: [
        { name: 'a.deb', content },
        { name: 'a.AppImage', content: Buffer.from('image') },
      ],
    }),
  );
  const sum = createHash('sha512').update('deb').digest('base64');
  expect(feed).toMatchObject({
    version: '0.2.0',
    files: [
      { url: 'a.deb', sha512: sum, size: 3 },
      { url: 'a.AppImage', size: 5 },
    ],
    path: 'a.deb',
    sha512: sum,
    releaseDate: '1970-01-01T00:00:00.000Z',
  });
});

it('checksums are lines of sha256sum', () => {
  const sum = createHash('sha256').update('x').digest('hex');
  expect(checksums([{ name: 'a.deb', content: Buffer.from('x') }])).toBe(`${sum}  a.deb\n`);
});

describe('the workflow of a release', () => {
  interface Workflow {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
  }
  const workflow = parse(readFileSync('.github/workflows/release.yml', 'utf8')) as Workflow;
  // Of SchemaStore (Apache-2.0), as check-jsonschema 0.39.0 carries it.
  const schema = JSON.parse(readFileSync('test/fixtures/github/workflow.schema.json', 'utf8')) as Record<
    string,
    unknown
  >;
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);

  it('is valid by the published schema', () => {
    isValid(workflow);
    expect(isValid.errors ?? []).toEqual([]);
    expect(isValid({ ...workflow, jobs: { package: { steps: [] } } }), 'a job without a machine').toBe(false);
  });

  it('installs the libraries of the window that the deb depends on', () => {
    const identity = { name: 'triton-workbench', version: '0.1.0', test: false };
    const about = { maintainer: 'Ada <ada@your.org>', homepage: null, description: 'What it is' };
    const control = controlFile(identity, about, { installedKib: 1, arch: 'x64' });
    const depends = /^Depends: (.*)$/m.exec(control)?.[1]?.split(', ') ?? [];
    const libraries = depends.flatMap((one) => one.match(/^lib(?!python)\S+/) ?? []);
    const installs = Object.values(workflow.jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run = '' }) => (run.includes('apt-get update') ? run.split(/\s+/) : [])),
    );
    expect(libraries).toContain('libnss3');
    expect(installs).toEqual(expect.arrayContaining(libraries));
  });

  it('runs scripts that this repository has, by the names that they have', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const commands = Object.values(workflow.jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run = '' }) => run),
    );
    const called = commands.flatMap((run) => [...run.matchAll(/npm (?:run )?(?!ci|install)(\S+)/g)]);
    const names = called.map(([, name]) => name);
    expect(names).toContain('package');
    for (const name of names) expect(Object.keys(scripts)).toContain(name);
  });
});
