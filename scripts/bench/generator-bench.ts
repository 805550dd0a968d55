import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { chosenScenarios } from './chosen-scenarios';
import { levelInput, measureNative, type Sample } from './measure';
import { option } from './option';
import { pairedText } from './pairs';
import { type BenchScenario, startBenchTriton } from './scenarios';
import { titleOf } from './table';

const say = (text: string) => process.stdout.write(`${text}\n`);

const repeats = Number(option('repeats', '10'));
const now = { childFile: option('child', ''), workerFile: option('worker', '') };
const before = { childFile: option('against-child', ''), workerFile: option('against-worker', '') };

const figures: readonly (readonly [string, (sample: Sample) => number])[] = [
  ['Client CPU per request', ({ clientCpuUs }) => clientCpuUs],
  ['The same with start-up', ({ wholeCpuUs }) => wholeCpuUs],
  ['Throughput', ({ point }) => point.inferencesPerSecond],
  ['Mean latency', ({ point }) => point.avgUs ?? NaN],
];

async function measurePairs(scenario: BenchScenario, dir: string): Promise<void> {
  const measure = await levelInput(scenario, triton, dir);
  const samples: { now: Sample[]; before: Sample[] } = { now: [], before: [] };
  for (let at = 0; at < repeats; at += 1) {
    const sides = [
      async () => samples.now.push(await measureNative(measure, now)),
      async () => samples.before.push(await measureNative(measure, before)),
    ];
    // The first of a pair by turns: a machine that drifts does so for both.
    for (const side of at % 2 === 0 ? sides : sides.reverse()) await side();
    const rates = [samples.now, samples.before].map((of) => of[at]?.point.inferencesPerSecond.toFixed(0));
    say(`${titleOf(scenario)}, ${at + 1} of ${repeats}: now ${rates[0]}/s, before ${rates[1]}/s`);
  }
  say(`\n${titleOf(scenario)}, now / before:`);
  for (const [title, of] of figures) {
    say(`  ${title}: ${pairedText(samples.now.map(of), samples.before.map(of))}`);
  }
}

const chosen = chosenScenarios(option('only', ''));
say(`Load before the start: ${(loadavg()[0] ?? 0).toFixed(1)}`);
const triton = await startBenchTriton();
const dir = await mkdtemp(join(tmpdir(), 'workbench-bench-'));
try {
  for (const scenario of chosen) await measurePairs(scenario, dir);
} finally {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
}
