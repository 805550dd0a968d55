import { join } from 'node:path';
import { appEnvironment, bootstrap } from './lib/bootstrap.mjs';
import { foreground } from './lib/foreground.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { say } from './lib/say.mjs';
import { startXvfb } from './lib/xvfb.mjs';

const help = `npm run bench -- [load|window] [--repeats N] [--only TEXT] [--out FILE]
load: measures the same models on the same Triton with the native load generator and with perf_analyzer, in turn, and writes
docs/benchmarks.md. --only takes the scenarios whose title holds TEXT, and then writes nothing unless --out says where.
Exit code 1: the two do not agree.
window: opens the built window on a run with 100,000 windows and log lines, updates it ten times a second, replays an
hour, and writes docs/benchmarks-window.md (--out elsewhere). Exit code 1: slower or larger than it may be.
Both, one after the other, when neither is named.`;

const folder = join(repoRoot, 'out', 'bench');

/** The bench is TypeScript over the product's own modules: one bundle for each of its two processes. */
async function bundle() {
  const { build } = await import('vite');
  await build({
    root: repoRoot,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    // Playwright finds its own files beside itself.
    ssr: { noExternal: true, external: ['@playwright/test'] },
    build: {
      ssr: true,
      target: 'node20',
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: {
        external: ['@playwright/test'],
        input: {
          bench: join(repoRoot, 'test', 'bench', 'bench.ts'),
          'window-bench': join(repoRoot, 'test', 'bench', 'window-bench.ts'),
          'native-child': join(repoRoot, 'test', 'bench', 'native-child.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
}

function benchLoad({ home }, args) {
  const own = [
    ...['--worker', join(repoRoot, 'out', 'main', 'load-worker.cjs')],
    ...['--child', join(folder, 'native-child.mjs')],
    ...(args.includes('--only') || args.includes('--out')
      ? []
      : ['--out', join(repoRoot, 'docs', 'benchmarks.md')]),
  ];
  return foreground(process.execPath, [join(folder, 'bench.mjs'), ...own, ...args], {
    env: appEnvironment(home),
  });
}

async function benchWindow({ home, layout }, args) {
  const display = await startXvfb();
  const own = [
    ...['--app', repoRoot, '--home', home, '--electron', layout.electron],
    ...(args.includes('--out') ? [] : ['--out', join(repoRoot, 'docs', 'benchmarks-window.md')]),
  ];
  try {
    return await foreground(process.execPath, [join(folder, 'window-bench.mjs'), ...own, ...args], {
      env: { ...appEnvironment(home), DISPLAY: display.display },
    });
  } finally {
    display.stop();
  }
}

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const named = args[0] === 'load' || args[0] === 'window' ? args[0] : null;
  const rest = named === null ? args : args.slice(1);
  const context = await bootstrap([
    ...['modules', 'build', 'python', 'triton', 'perf-analyzer'],
    ...(named === 'load' ? [] : ['electron']),
  ]);
  await bundle();
  const load = named === 'window' ? 0 : await benchLoad(context, rest);
  // What is asked of the load tools alone says nothing to the window.
  const alone = named === null && rest.length > 0;
  const window = named === 'load' || alone ? 0 : await benchWindow(context, rest);
  return load === 0 ? window : load;
});
