import { join } from 'node:path';
import { appEnvironment, bootstrap } from './lib/bootstrap.mjs';
import { foreground } from './lib/foreground.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { say } from './lib/say.mjs';

const help = `npm run bench -- [--repeats N] [--only TEXT] [--out FILE]
Measures the same models on the same Triton with the native load generator and with perf_analyzer, in turn, and writes
docs/benchmarks.md. --only takes the scenarios whose title holds TEXT, and then writes nothing unless --out says where.
Exit code 1: the two do not agree.`;

const folder = join(repoRoot, 'out', 'bench');

/** The bench is TypeScript over the product's own modules: one bundle for each of its two processes. */
async function bundle() {
  const { build } = await import('vite');
  await build({
    root: repoRoot,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: {
        input: {
          bench: join(repoRoot, 'test', 'bench', 'bench.ts'),
          'native-child': join(repoRoot, 'test', 'bench', 'native-child.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
}

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const { home } = await bootstrap(['modules', 'build', 'python', 'triton', 'perf-analyzer']);
  await bundle();
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
});
