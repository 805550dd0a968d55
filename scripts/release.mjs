import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { missingOfRelease, readPublisher } from './lib/package/publisher.mjs';
import {
  changelogSection,
  checksums,
  releaseNotes,
  releaseProblems,
  updateFeed,
} from './lib/package/release.mjs';
import { manifestOf } from './lib/package/runtime.mjs';
import { sourceDate } from './lib/package/source-date.mjs';
import { say, SetupError } from './lib/say.mjs';

const help = `npm run release -- check TAG | files
check TAG  whether package.json, CHANGELOG.md and publisher.json are ready for the release of this tag, such as v0.2.0
files      gathers in dist/release the packages of dist/, the update feed latest-linux.yml, SHA256SUMS, the bill of materials and the
           notes of the release. Needs "npm run package" before.`;
const dist = join(repoRoot, 'dist');
const read = (name) => readFileSync(join(repoRoot, name), 'utf8');

function check(tag, version) {
  const missing = missingOfRelease(readPublisher(repoRoot));
  const problems = releaseProblems({ tag, version, changelog: read('CHANGELOG.md'), missing });
  if (problems.length > 0) throw new SetupError(`This cannot be released:\n${problems.join('\n')}`);
  say(`${tag} is ready to be released.`);
}

/** The deb first: the update feed names the first one where a reader takes no list. */
const packageNames = (version) =>
  readdirSync(dist)
    .filter((name) => /\.(?:deb|AppImage)$/.test(name) && name.includes(`_${version}_`))
    .sort((a, b) => Number(b.endsWith('.deb')) - Number(a.endsWith('.deb')) || (a < b ? -1 : 1));

async function gather(version) {
  const names = existsSync(dist) ? packageNames(version) : [];
  if (names.length === 0)
    throw new SetupError(`dist/ has no package of version ${version}: run "npm run package" first.`);
  const target = join(dist, 'release');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const files = names.map((name) => ({ name, content: readFileSync(join(dist, name)) }));
  for (const name of names) copyFileSync(join(dist, name), join(target, name));
  copyFileSync(join(dist, 'build', 'sbom.cdx.json'), join(target, 'sbom.cdx.json'));
  const epoch = await sourceDate(repoRoot);
  writeFileSync(join(target, 'latest-linux.yml'), updateFeed({ version, epoch, files }));
  writeFileSync(join(target, 'SHA256SUMS'), checksums(files));
  const notes = changelogSection(read('CHANGELOG.md'), version)?.text ?? '';
  writeFileSync(join(target, 'notes.md'), releaseNotes(notes));
  for (const name of readdirSync(target)) say(join('dist', 'release', name));
}

await main(async ([verb, tag, ...others]) => {
  const { version } = manifestOf(repoRoot);
  const isUsed = others.length === 0 && (verb === 'check' ? tag !== undefined : tag === undefined);
  if (verb === 'check' && isUsed) check(tag, version);
  else if (verb === 'files' && isUsed) await gather(version);
  else {
    say(help);
    return verb === '--help' || verb === '-h' ? 0 : 2;
  }
  return 0;
});
