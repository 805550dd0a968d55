import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { classInstances } from './class-instances.mjs';
import { command } from './command.mjs';
import { repoRoot } from './layout.mjs';
import { sheetRules } from './rules/sheet-rules.mjs';
import { treeRules } from './rules/tree-rules.mjs';
import { say, seconds } from './say.mjs';

const bin = (name) => join(repoRoot, 'node_modules', '.bin', name);
const pythonFolders = [
  'resources',
  join('docs', 'examples'),
  join('scripts', 'bench'),
  join('scripts', 'huggingface'),
  join('scripts', 'trees'),
  join('scripts', 'vectors'),
  join('test', 'python'),
].filter((path) => existsSync(join(repoRoot, path)));

/** The compiler is TypeScript 7; what reads programs by themselves still does it with TypeScript 6, whose API 7 lacks. */
const compiler = (project) => [
  process.execPath,
  [join(repoRoot, 'node_modules', 'typescript-7', 'bin', 'tsc'), '-p', project],
];

function tools(python) {
  const module = (...args) => [python, ['-m', ...args]];
  return [
    // An unused exception from a rule is one as well.
    { name: 'oxlint', run: [bin('oxlint'), []] },
    { name: 'class instances', list: classInstances },
    { name: 'tsc', run: compiler('.') },
    // What runs with Node has no DOM, and the window has nothing of Node.
    { name: 'tsc main', run: compiler('tsconfig.main.json') },
    { name: 'tsc renderer', run: compiler('tsconfig.renderer.json') },
    { name: 'prettier', run: [bin('prettier'), ['--check', '.', '--log-level=warn']] },
    { name: 'depcruise', run: [bin('depcruise'), ['electron', 'main', 'renderer']] },
    { name: 'ruff check', run: module('ruff', 'check', ...pythonFolders) },
    { name: 'ruff format', run: module('ruff', 'format', '--check', ...pythonFolders) },
    { name: 'mypy', run: module('mypy') },
    { name: 'knip', run: [bin('knip'), ['--no-progress']] },
    // What only tests use is not used.
    { name: 'knip production', run: [bin('knip'), ['--no-progress', '--production']] },
    // The site of docs/: a link that leads nowhere, or a page that its navigation lacks, ends its build.
    { name: 'docs', run: [bin('vitepress'), ['build', 'docs']] },
    // Loaded only now, as the last one.
    { name: 'schemas', list: async () => (await import('./schemas/json-schemas.mjs')).outdatedSchemas() },
    { name: 'tree', list: () => Promise.resolve([...treeRules(), ...sheetRules()]) },
    // Loaded only now: it reads programs with TypeScript, which is installed with the other packages.
    { name: 'banned phrases', list: async () => (await import('./banned-phrases.mjs')).bannedPhrases() },
  ];
}

async function verdict(tool) {
  const startMs = performance.now();
  let problem;
  if (tool.list) {
    problem = (await tool.list()).join('\n');
  } else {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
    const [program, args] = tool.run;
    const done = await command(program, args, { cwd: repoRoot, env, collect: true });
    problem = done.code === 0 ? '' : `${done.output}${done.errors}`.trimEnd() || `exit code ${done.code}`;
  }
  say(`${problem === '' ? '✓' : '✗'} ${tool.name} (${seconds(startMs)})`);
  if (problem !== '') say(problem.replace(/^/gm, '    '));
  return problem === '';
}

/** Runs every tool, two at a time, and says each one's verdict. Resolves with the number that failed. */
export async function runCheck(python) {
  const waiting = tools(python);
  let failed = 0;
  const work = async () => {
    for (let tool = waiting.shift(); tool; tool = waiting.shift()) if (!(await verdict(tool))) failed += 1;
  };
  await Promise.all([work(), work()]);
  return failed;
}
