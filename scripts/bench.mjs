import { basename, join, resolve } from 'node:path';
import { appEnvironment, bootstrap, needs } from './lib/bootstrap.mjs';
import { foreground } from './lib/foreground.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { say, SetupError } from './lib/say.mjs';
import { startXvfb } from './lib/xvfb.mjs';

const help = `npm run bench -- [NAME] [--repeats N] [--only TEXT] [--out FILE]
load: measures the same models on the same Triton with the built-in load generator and with perf_analyzer, in turn, and writes
docs/benchmarks.md. --only takes the scenarios whose title holds TEXT, and then writes nothing unless --out says where.
Exit code 1: the two do not agree.
generator: the built-in load generator of this tree and of another one, built, (--against FOLDER), in turn on one Triton
(--repeats N, --only TEXT): the paired ratios of CPU per request, throughput and latency with their 95 % intervals.
window: opens the built window on a run with 100,000 windows and log lines, updates it ten times per second, replays an
hour, and writes docs/benchmarks-window.md (--out elsewhere). Exit code 1: slower or larger than it may be.
start: makes the package, starts it with 200 runs in the home, and writes docs/benchmarks-start.md (--out elsewhere, --repeats
N, --against PROGRAM: in turn with an earlier package, with the paired ratio; --cold: only a start on a home that is known;
--without NAME,NAME: fields of performance that the earlier one does not know). Exit code 1: slower than it may be.
hosts: starts twenty containers with an sshd each, adds them as hosts, and writes docs/benchmarks-hosts.md (--out elsewhere,
--repeats N): start of the packaged window, the list of hosts in window and terminal. Exit code 1: the window starts slower
than it may. Needs root and Docker.
monitor: replays 24 hours in the window, updates its charts, kills servers and Python stubs that are watched, and writes
docs/benchmarks-monitor.md (--out elsewhere). Exit code 1: slower or larger than it may be, or a verdict that is late.
pipeline: ResNet-50 at full size by \`run\` and by the scripts under scripts/bench, in turn, and writes
docs/benchmarks-pipeline.md (--out elsewhere). Exit code 1: \`run\` takes longer than 1.05 times a script and 1 s.
sweep: eight levels with the defaults of \`perf\` and with those of perf_analyzer against a long reference (--reference-ms,
length of its windows), and writes docs/benchmarks-sweep.md. Exit code 1: a level lost, more than half the time, or worse.
open-loop: a server that hangs for one second under a constant rate, and writes docs/benchmarks-open-loop.md.
Exit code 1: the second is not in the latency from the schedule.
production-overload: a model of a fixed service time with a queue of 16 and with one without a limit, at twice the promised rate,
on Triton 2.36 and on that of the home, and writes docs/benchmarks-production-overload.md (--out elsewhere, --repeats N). Installs
nvidia-pytriton 0.3.0 from PyPI under bench/ of the home. Exit code 1: on 2.36 the refused share is not the part above the capacity, the
accepted are slower than a full queue, or the recovery is not that of the backlog; on the other a stall is not named.
interval: measures two levels 50 times each, with a long reference between, and writes docs/benchmarks-interval.md
(--out elsewhere; --trials N, --window-ms N, --blocks FILE for the single parts). Exit code 1: an interval covers its
reference in less than 90 % of the trials.
report: writes and prints the report of a run of 10,000 levels (--levels N), and writes docs/benchmarks-report.md. Exit code
1: its files take longer than 3 s, or the PDF longer than a minute.
cli-start: starts the verbs that only read in turn with an empty script (--pairs N, --runs N of the home), and writes
docs/benchmarks-cli-start.md. Exit code 1: one takes longer than 2.5 times the script.
search-predict: feeds the predictor of Triton's batcher with a minute of short levels, measures 40 other points (--points N, --seed N,
--point-ms N, --levels FILE for what was measured), and writes docs/benchmarks-search-predict.md. Exit code 1: the median error of throughput is above
10 %, or that of p99 above 25 %.
search-48: the search and all 48 configurations of a model under closed load, with its answers measured in pairs with the best of
all, and writes docs/benchmarks-search-48.md (--seeds N, --rounds N, --look-ms N, --pairs N). Exit code 1: worse, or too long.
search-promise: the rate that a search answers under open load, sent for two minutes, and writes docs/benchmarks-search-promise.md
(--cases N, --seconds N, --budget SECONDS, --looks FILE). Exit code 1: it does not hold, or 1.25 times the rate does.
search-kills: searches that are killed again and again and resumed, and writes docs/benchmarks-search-kills.md (--kills N,
--seed N). Exit code 1: a measurement lost or repeated, a budget exceeded, or something left. Ctrl-C keeps what they have.
search-limits: ten planted mistakes, what is said of each, and what its first suggestion brings, and writes
docs/benchmarks-search-limits.md (--mistake TEXT, --budget TIME of a try). Exit code 1: a wrong suggestion, or one that brings nothing.
search-gate: compares a model with itself, and with one that is 15 % slower, by compare --measure beside a loop that takes half
of the processors, and writes docs/benchmarks-search-gate.md (--out elsewhere; --repeats N, --minutes N). Exit code 1: more
false alarms, more inconclusive ones, or fewer found than there may be.
search-peers: \`search\` beside Model Analyzer (quick and Optuna) on the same model, server, space and target, in pairs, and writes
docs/benchmarks-search-peers.md (--pairs N, --mode quick|optuna, --trials N of Optuna). Installs triton-model-analyzer from
PyPI under bench/ of the home. Exit code 1: more than 0.35 of Optuna's time, or a worse answer by its interval.
generation: tokens of a language model beside the times that it writes into its answers, its gRPC stream beside perf_analyzer, and a
server of OpenAI's protocol beside AIPerf, in pairs, and writes docs/benchmarks-generation.md (--pairs N, --part delays|streams|frontends,
which writes nothing). Installs aiperf from PyPI under bench/ of the home. Exit code 1: a time further off than 2 ms or 5 %, a pause that is
not found, or more than 0.2 of AIPerf's CPU time per request.
huggingface-peers: the pipeline of a Hugging Face folder on Triton, as written and as \`search\` configures it, beside transformers.pipeline
behind a plain HTTP server, under closed loads of 1, 4 and 8 clients in turns, and writes docs/benchmarks-huggingface-peers.md
(--pairs N, --minutes N, --budget TIME and --p99 TIME of the search). Takes nine minutes. Exit code 1: a label or a score differs, or what was found has less throughput.
production-soak: soaks a model whose stub leaks, one whose unloading leaks in the server, and one that does not, each on a local Triton
of its own and all at the same time (--minutes N, --rate N, --reload-s N, --case stub|server|plain), and writes docs/benchmarks-production-soak.md. Needs gcc.
Exit code 1: a wrong culprit, or a slope that is not the planted one.
configs: reads each config.pbtxt below --folder DIR (--of TEXT: what it is), changes each of its values by itself, and writes
docs/benchmarks-configs.md (--out elsewhere). Exit code 1: a byte of another field differs.
All but configs, generation, huggingface-peers, search-* and production-*, one after the other, when none is named. Ctrl-C ends load,
pipeline, sweep and open-loop with what they have measured, marked as interrupted; exit code 130.`;

const folder = join(repoRoot, 'out', 'bench');

/** Every process that a bench starts, by its file under scripts/bench. */
const programs = [
  ...['bench', 'window/window-bench', 'monitor-bench', 'pipeline-bench', 'sweep-bench', 'open-loop-bench'],
  'production-overload-bench',
  ...[
    'generator-bench',
    'generation/generation-bench',
    'interval-bench',
    'native-child',
    'report/report-bench',
    'cli/cli-start-bench',
    'configs/configs-bench',
    'predict/search-predict-bench',
    'window/start-bench',
    'window/hosts-bench',
    'search/search-48-bench',
    'search/search-promise-bench',
    'search/search-kills-bench',
    'search/search-limits-bench',
    'search/search-gate-bench',
    'search/search-peers-bench',
    'huggingface/huggingface-peers-bench',
    'soak/production-soak-bench',
  ],
];

const external = ['@playwright/test', 'dockerode'];

/** The bench is TypeScript over the product's own modules: one bundle for each of its processes. */
async function bundle(root = repoRoot, names = programs, into = folder) {
  const { build } = await import('vite');
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    // Playwright finds its own files beside itself, as does the ssh client of dockerode.
    ssr: { noExternal: true, external },
    build: {
      ssr: true,
      target: 'node20',
      outDir: into,
      emptyOutDir: true,
      rolldownOptions: {
        external,
        input: Object.fromEntries(
          names.map((name) => [basename(name), join(root, 'scripts', 'bench', `${name}.ts`)]),
        ),
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

/** In turn with that of another tree, which `npm run build` has built. */
async function benchGenerator({ home }, args) {
  const against = args[args.indexOf('--against') + 1];
  if (!args.includes('--against') || against === undefined)
    throw new SetupError('generator needs --against FOLDER: another tree, built with npm run build.');
  const own = [];
  for (const [of, root] of [
    ['', repoRoot],
    ['against-', resolve(against)],
  ]) {
    // Each by itself: one that shares files with other benches starts otherwise.
    const child = join(root, 'out', 'bench-child');
    await bundle(root, ['native-child'], child);
    own.push(`--${of}worker`, join(root, 'out', 'main', 'load-worker.cjs'));
    own.push(`--${of}child`, join(child, 'native-child.mjs'));
  }
  return foreground(process.execPath, [join(folder, 'generator-bench.mjs'), ...own, ...args], {
    env: appEnvironment(home),
  });
}

function benchInterval({ home }, args) {
  const own = [
    ...['--worker', join(repoRoot, 'out', 'main', 'load-worker.cjs')],
    ...(args.includes('--out') ? [] : ['--out', join(repoRoot, 'docs', 'benchmarks-interval.md')]),
  ];
  return foreground(process.execPath, [join(folder, 'interval-bench.mjs'), ...own, ...args], {
    env: appEnvironment(home),
  });
}

/** `name`: window or monitor, which are both measured in the window. */
async function benchWindow({ home, layout }, name, args) {
  const display = await startXvfb();
  const own = [
    ...['--app', repoRoot, '--home', home, '--electron', layout.electron],
    ...(args.includes('--out') ? [] : ['--out', join(repoRoot, 'docs', `benchmarks-${name}.md`)]),
  ];
  try {
    return await foreground(process.execPath, [join(folder, `${name}-bench.mjs`), ...own, ...args], {
      env: { ...appEnvironment(home), DISPLAY: display.display },
    });
  } finally {
    display.stop();
  }
}

/** `name`: start or hosts. The packaged program, made anew, so that what is measured is what is installed. */
async function benchPackage({ home }, name, args) {
  const made = await foreground(process.execPath, [
    join(repoRoot, 'scripts', 'package.mjs'),
    '--test',
    'dir',
  ]);
  if (made !== 0) return made;
  const unpacked = process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`;
  const display = await startXvfb();
  const own = [
    ...['--program', join(repoRoot, 'dist', unpacked, 'triton-workbench'), '--home', home],
    ...['--cli', join(repoRoot, 'out', 'main', 'cli.cjs')],
    ...(args.includes('--out') ? [] : ['--out', join(repoRoot, 'docs', `benchmarks-${name}.md`)]),
  ];
  try {
    return await foreground(process.execPath, [join(folder, `${name}-bench.mjs`), ...own, ...args], {
      env: { ...process.env, DISPLAY: display.display },
    });
  } finally {
    display.stop();
  }
}

/** Measured from the command line, without a window. */
function benchPlain({ home }, name, args) {
  const own = [
    ...['--app', repoRoot, '--home', home],
    ...['--worker', join(repoRoot, 'out', 'main', 'load-worker.cjs')],
    ...['--cli', join(repoRoot, 'out', 'main', 'cli.cjs')],
    ...(args.includes('--out') ? [] : ['--out', join(repoRoot, 'docs', `benchmarks-${name}.md`)]),
  ];
  return foreground(process.execPath, [join(folder, `${name}-bench.mjs`), ...own, ...args], {
    env: appEnvironment(home),
  });
}

/** In the order in which all of them run. */
const benches = {
  load: (context, _name, args) => benchLoad(context, args),
  generator: (context, _name, args) => benchGenerator(context, args),
  window: benchWindow,
  start: benchPackage,
  hosts: benchPackage,
  monitor: benchWindow,
  interval: (context, _name, args) => benchInterval(context, args),
  pipeline: benchPlain,
  sweep: benchPlain,
  'open-loop': benchPlain,
  'production-overload': benchPlain,
  report: benchPlain,
  'cli-start': benchPlain,
  'search-48': benchPlain,
  'search-predict': benchPlain,
  'search-promise': benchPlain,
  'search-kills': benchPlain,
  'search-limits': benchPlain,
  'search-gate': benchPlain,
  'search-peers': benchPlain,
  'production-soak': benchPlain,
  generation: benchPlain,
  'huggingface-peers': benchPlain,
  configs: benchPlain,
};
const names = Object.keys(benches);

/** What no bench would do must not end in one that ran and said that every goal is met. */
function checkAsked(named, rest) {
  const [first] = rest;
  if (named === null && first !== undefined && !first.startsWith('-')) {
    throw new SetupError(`Unknown bench "${first}": choose from ${names.join(', ')}.`);
  }
  if (rest.includes('--only') && named !== null && !['load', 'generator'].includes(named)) {
    throw new SetupError(`--only names scenarios of the bench "load"; "${named}" has none.`);
  }
  if (rest.at(-1) === '--only')
    throw new SetupError('--only needs a text: a part of the title of a scenario.');
}

const withoutTriton = ['cli-start', 'configs'];
const withoutElectron = [
  ...withoutTriton,
  ...['load', 'generator', 'generation', 'sweep', 'open-loop', 'production-overload', 'interval'],
  ...['search-predict', 'search-gate'],
];

/** What a bench needs of clone and home; null: all of them. */
function needsOf(named) {
  if (named === 'huggingface-peers') return needs.huggingFace;
  return [
    ...['modules', 'build'],
    ...(withoutTriton.includes(named) ? [] : ['python', 'triton', 'perf-analyzer']),
    ...(withoutElectron.includes(named) ? [] : ['electron']),
  ];
}

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const named = names.find((name) => name === args[0]) ?? null;
  const rest = named === null ? args : args.slice(1);
  checkAsked(named, rest);
  const context = await bootstrap(needsOf(named));
  await bundle();
  // What is asked of the load tools alone says nothing to the window.
  const alone = named === null && rest.length > 0;
  // Without another tree there is nothing to compare the generator with.
  const asked = (name) =>
    named === null
      ? name === 'load' ||
        (!alone &&
          name !== 'generator' &&
          !/^(configs$|generation$|huggingface-|search-|production-)/.test(name))
      : named === name;
  const codes = [];
  for (const name of names.filter(asked)) codes.push(await benches[name](context, name, rest));
  return codes.find((code) => code !== 0) ?? 0;
});
