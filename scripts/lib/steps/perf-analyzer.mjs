import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { downloadFailure } from '../download-failure.mjs';
import { repoRoot } from '../layout.mjs';
import { say, SetupError } from '../say.mjs';
import { hashParts, hashTree, replaceFolder, stampMatches, writeStamp } from '../stamp.mjs';
import { pipFlags } from './python.mjs';
import { pythonFacts } from './python-facts.mjs';

const version = 'perf_analyzer 1';
const requirements = join('resources', 'requirements', 'perf-analyzer.txt');
const unpack = `
import glob, os, sys, zipfile
wheel = glob.glob(os.path.join(sys.argv[1], "*.whl"))[0]
with zipfile.ZipFile(wheel) as archive:
    name = next(n for n in archive.namelist() if n.endswith(".data/data/bin/perf_analyzer"))
    with open(sys.argv[2], "wb") as out:
        out.write(archive.read(name))
`;

function stampOf(context) {
  return hashParts(version, context.home, context.pythonStamp, hashTree(repoRoot, [requirements]));
}

export function perfAnalyzerReady(context) {
  return stampMatches(join(context.layout.perfAnalyzerFolder, '.stamp'), stampOf(context));
}

/** Takes the binary out of the tritonclient wheel and lends it two libraries of nvidia-pytriton. */
export async function installPerfAnalyzer(context) {
  const { layout } = context;
  const fresh = `${layout.perfAnalyzerFolder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  for (const folder of ['bin', 'lib', 'wheel']) mkdirSync(join(fresh, folder), { recursive: true });
  say('perf_analyzer (14 MB)');
  const wheel = join(fresh, 'wheel');
  const pipArgs = [
    'download',
    ...pipFlags,
    '--no-deps',
    '--only-binary=:all:',
    '--require-hashes',
    '--dest',
    wheel,
  ];
  const log = context.logFile('perf-analyzer.log');
  const got = await command(layout.python, ['-m', 'pip', ...pipArgs, '-r', join(repoRoot, requirements)], {
    log,
    name: 'perf_analyzer',
  });
  if (got.code !== 0) throw downloadFailure('perf_analyzer', got.output, log);
  const binary = join(fresh, 'bin', 'perf_analyzer');
  const unpacked = await command(layout.python, ['-I', '-c', unpack, wheel, binary], { log });
  if (unpacked.code !== 0) {
    throw new SetupError(`The perf_analyzer wheel could not be unpacked: see ${log}, then try again.`);
  }
  chmodSync(binary, 0o755);
  rmSync(wheel, { recursive: true });
  const facts = await pythonFacts(layout.python);
  const libraries = join(facts.sitePackages, 'nvidia_pytriton.libs');
  const names = readdirSync(libraries);
  for (const [link, pattern] of [
    ['libb64.so.0d', /^libb64-.*\.so\.0d$/],
    ['libcudart.so.12', /^libcudart-.*\.so\.12/],
  ]) {
    symlinkSync(
      join(
        libraries,
        names.find((name) => pattern.test(name)),
      ),
      join(fresh, 'lib', link),
    );
  }
  const env = { ...process.env, LD_LIBRARY_PATH: join(fresh, 'lib') };
  const run = await command(binary, ['--version'], { env, log });
  if (!/Perf Analyzer/i.test(run.output)) {
    throw new SetupError(`perf_analyzer does not run on this machine: see ${log}, then try again.`);
  }
  writeStamp(join(fresh, '.stamp'), stampOf(context));
  replaceFolder(fresh, layout.perfAnalyzerFolder);
}
