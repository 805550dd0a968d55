import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { createLoadTools } from '../../main/perf/load-tools';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { chosenScenarios } from './chosen-scenarios';
import { levelInput, measureAnalyzer, measureNative, type Sample } from './measure';
import { option } from './option';
import { keepApart } from './processors';
import { type BenchScenario, startBenchTriton } from './scenarios';
import { formatScenario, missed, type ScenarioResult, titleOf } from './table';
import { cutText, exitWhenCut, isCut, untilCut } from './until-cut';

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Pairs of a scenario that may give nothing before the bench goes on without it. */
const mostLost = 3;

const loadBefore = loadavg()[0] ?? 0;
const repeats = Number(option('repeats', '5'));
const only = option('only', '');
const outFile = option('out', '');
const workerFile = option('worker', '');
const childFile = option('child', '');

/** Before anything is started: a name that fits nothing ends here. */
function readChosen(): readonly BenchScenario[] {
  try {
    return chosenScenarios(only);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

const chosen = readChosen();
const triton = await startBenchTriton();
const dir = await mkdtemp(join(tmpdir(), 'workbench-bench-'));
const tool = createLoadTools({
  layout: homeLayout(defaultHome(process.env)),
  workerFile,
  env: process.env,
}).perf_analyzer;

/** Both tools in turn, the first of each pair by chance: a machine that drifts does so for both. */
async function runScenario(scenario: BenchScenario, into: ScenarioResult[]): Promise<void> {
  const native: Sample[] = [];
  const analyzer: Sample[] = [];
  const measure = await levelInput(scenario, triton, dir);
  const lost: string[] = [];
  into.push({ scenario, repeats, native, analyzer, lost });
  while (native.length < repeats && lost.length <= mostLost && !isCut()) {
    const pair: { native?: Sample; analyzer?: Sample } = {};
    const steps = [
      async () => {
        pair.native = await measureNative(measure, { childFile, workerFile });
      },
      async () => {
        pair.analyzer = await measureAnalyzer(measure, tool);
      },
    ];
    try {
      for (const step of Math.random() < 0.5 ? steps : steps.reverse()) await step();
    } catch (error) {
      if (isCut()) return;
      // perf_analyzer hangs at times; the pair is taken again, or the scenario ends with fewer, and the table says so.
      lost.push(error instanceof Error ? error.message : String(error));
      say(`${titleOf(scenario)}: pair lost: ${lost.at(-1) ?? ''}`);
      continue;
    }
    if (pair.native === undefined || pair.analyzer === undefined) continue;
    native.push(pair.native);
    analyzer.push(pair.analyzer);
    const rate = (sample: Sample) => sample.point.inferencesPerSecond.toFixed(0);
    say(
      `${titleOf(scenario)}, ${native.length} of ${repeats}: native ${rate(pair.native)}/s, perf_analyzer ${rate(pair.analyzer)}/s`,
    );
  }
}

const facts = [
  `| Date | ${new Date().toISOString().slice(0, 10)} |`,
  `| Processor | ${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} logical |`,
  `| Memory | ${(totalmem() / 2 ** 30).toFixed(0)} GiB |`,
  `| System | ${type()} ${release()} |`,
  `| Load before the start | ${loadBefore.toFixed(1)} (what else the machine was doing) |`,
  `| Node | ${process.versions.node} |`,
];

const documentOf = (
  results: readonly ScenarioResult[],
  version: string,
  note: readonly string[] = [],
): string =>
  [
    '# Built-in load generator and perf_analyzer, side by side',
    '',
    'Written by `npm run bench -- load`. Both tools measure the same model on the same Triton, in turn, the order of each pair',
    'by chance; windows of 1 s, steady within 10 % over three windows, at most five. At 16 MB windows are those',
    'that perf_analyzer has by default, 5 s: a second holds a few dozen of such requests, and perf_analyzer keeps every input',
    'and output of a window, which costs it the more the longer a window is. From concurrency 16 on they are of 2 s: what it',
    'keeps would not fit into the memory, nor would 256 of such requests. The built-in load generator discards a second of',
    "warm-up; perf_analyzer 2.50 cannot. CPU per request is that of the tool's whole process, read at the end of each window",
    'by the same clock for both, so that neither is charged its start; what it is from start to end is in the row below',
    '(most of it where a level has only some hundred requests). Goals are judged on the median of the pairs. Server, client',
    'and load share the processors: where the model does nearly nothing the rate depends on what the tool leaves to the',
    'server, and p99 is noisy. `compute`, whose columns are compared, works on one thread, and server and client have a processor',
    "each: else a client that is woken on the server's processor takes its time while the server still counts its own;",
    '`sink` answers with one value, `echo` with all that it got. `Model busy` is the rate times what the server counts as',
    "compute: near 100 % the times of the model's one instance decide the rate.",
    '',
    ...note,
    '| | |',
    '|---|---|',
    ...facts,
    `| Triton | ${version}, Python backend, CPU |`,
    `| Repeats | ${repeats} |`,
    '',
    ...results.map(formatScenario),
  ].join('\n');

try {
  const { version } = await createTritonClient(triton.httpAddress).serverMetadata();
  const results: ScenarioResult[] = [];
  const cut = await untilCut(async () => {
    for (const scenario of chosen) {
      if (isCut()) return;
      const together = scenario.goals.sameColumns === true ? keepApart(triton.pid) : () => undefined;
      try {
        await runScenario(scenario, results);
      } finally {
        together();
      }
      // Whatever comes after: what has been measured is not lost with it.
      if (outFile !== '' && !isCut()) await writeFile(outFile, documentOf(results, version));
    }
  });
  const measured = cut ? results.filter(({ native }) => native.length > 0) : results;
  const whole = measured.filter(({ native }) => native.length === repeats).length;
  const note = cut ? cutText(`${whole} of ${chosen.length} scenarios measured to their end`) : [];
  const document = documentOf(measured, version, note);
  say(`\n${document}`);
  if (cut) {
    if (outFile !== '' && measured.length > 0) await writeFile(outFile, document);
    say(`Interrupted: ${measured.length} of ${chosen.length} scenarios have figures; no goal was judged.`);
  } else {
    const wrong = results.flatMap((result) => missed(result));
    say(wrong.length === 0 ? 'Every goal is met.' : `Missed:\n${wrong.join('\n')}`);
    process.exitCode = wrong.length === 0 ? 0 : 1;
  }
} finally {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
}
exitWhenCut();
