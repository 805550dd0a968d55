import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { detectLocalTriton } from '../../main/engine/local/local-triton';
import { homeLayout } from '../../main/platform/layout';
import {
  exitCodeOf,
  factTable,
  type Judged,
  judgedTable,
  option,
  rangeText,
  say,
  shuffled,
} from './bench-facts';
import { median } from './pairs';
import { type Passage, type PipelineSides, runScript, runWorkbench } from './pipeline-sides';
import { cutText, exitWhenCut, isCut, untilCut } from './until-cut';

const repeats = Number(option('repeats', '5'));
const outFile = option('out', '');
const toolchainHome = option('home', '');
const ratioLimit = 1.05;
const moreS = 1;

const ways = ['run', 'steps', 'plain'] as const;
type Way = (typeof ways)[number];
const scriptOf = { steps: 'resnet50-steps.sh', plain: 'resnet50-plain.sh' } as const;

/** Seconds of `run` beyond what is allowed over a script, one a repeat; at most 0 is within. */
const beyond = (runs: readonly Passage[], scripts: readonly Passage[]) =>
  runs.map((passage, index) => passage.ownS - (ratioLimit * (scripts[index]?.ownS ?? NaN) + moreS));

function stepTable(way: string, passages: readonly Passage[]): string[] {
  const names = passages[0]?.steps.map(([name]) => name) ?? [];
  const seconds = (name: string) =>
    passages.flatMap((passage) => passage.steps.flatMap(([other, value]) => (other === name ? [value] : [])));
  return [
    `| ${way} | s |`,
    '|---|---|',
    ...names.map((name) => `| ${name} | ${rangeText(seconds(name), 2)} |`),
    `| perf_analyzer, taken off | ${rangeText(
      passages.map(({ loadS }) => loadS),
      1,
    )} |`,
    '',
  ];
}

const home = await mkdtemp(join(tmpdir(), 'workbench-pipeline-bench-'));
try {
  for (const tool of ['python', 'triton', 'perf-analyzer', 'electron']) {
    await symlink(join(toolchainHome, tool), join(home, tool));
  }
  const sides: PipelineSides = {
    app: option('app', '.'),
    home,
    batchSizes: option('batch-sizes', '1,2,4'),
    concurrency: option('concurrency', '1,2,4'),
    intervalMs: Number(option('interval-ms', '1000')),
  };
  // Files of Python, Triton and the tools come from memory for all of them; the first is not counted.
  const warmUp = async () => {
    if (option('warm-up', 'yes') !== 'no')
      await runScript({ ...sides, batchSizes: '1', concurrency: '1' }, scriptOf.plain);
  };
  const measured: Record<Way, Passage[]> = { run: [], steps: [], plain: [] };
  const measureAll = async () => {
    await warmUp();
    for (const { repeat, way } of Array.from({ length: repeats }, (_unused, index) =>
      shuffled(ways).map((one) => ({ way: one, repeat: index + 1 })),
    ).flat()) {
      const passage = way === 'run' ? await runWorkbench(sides) : await runScript(sides, scriptOf[way]);
      if (isCut()) return;
      measured[way].push(passage);
      say(
        `${repeat} of ${repeats}, ${way}: ${passage.ownS.toFixed(2)} s and ${passage.loadS.toFixed(1)} s of load`,
      );
    }
  };
  const cut = await untilCut(measureAll);
  // A repeat that was cut between the ways cannot be compared.
  const whole = Math.min(...ways.map((way) => measured[way].length));
  for (const way of ways) measured[way].splice(whole);
  const own = (way: Way) => measured[way].map(({ ownS }) => ownS);
  const judged = (way: 'steps' | 'plain', title: string): readonly Judged[] => {
    const over = beyond(measured.run, measured[way]);
    const ratios = own('run').map((seconds, index) => seconds / (own(way)[index] ?? NaN));
    return [
      { name: `${title}, s`, value: rangeText(own(way), 2), limit: '', kept: true },
      { name: `run / ${title}, paired`, value: rangeText(ratios, 2), limit: '', kept: true },
      {
        name: `run less (${ratioLimit} × ${title} + ${moreS} s), paired, s`,
        value: rangeText(over, 2),
        limit: 'median at most 0',
        kept: median(over) <= 0,
      },
    ];
  };
  const rows: readonly Judged[] = [
    { name: '`run`, s', value: rangeText(own('run'), 2), limit: '', kept: true },
    ...judged('steps', 'steps by hand'),
    ...judged('plain', 'plain script'),
  ];
  const { version } = await detectLocalTriton(homeLayout(home));
  const document = [
    '# The pipeline and the same run typed by hand',
    '',
    'Written by `npm run bench -- pipeline`. ResNet-50 at its full size, ONNX, fp32, on the local engine, 32 images through the',
    `framework and Triton, perf_analyzer at batch sizes ${sides.batchSizes} and concurrencies ${sides.concurrency} (three windows of ${sides.intervalMs} ms and a fifth): by`,
    '`run` with an empty cache, by `scripts/bench/resnet50-steps.sh`, which calls the same verbs of the toolkit, and by',
    '`scripts/bench/resnet50-plain.sh`, which does the same with two Python programs, as an engineer would, and writes only CSV',
    '(`run` writes HTML, PDF and JSON as well). Shuffled. Seconds of wall time of the whole process without those of',
    'perf_analyzer. Median [lowest–highest].',
    '',
    ...(cut ? cutText(`${whole} of ${repeats} repeats measured`) : []),
    ...factTable(version ?? 'unknown', [['Repeats', String(whole)]]),
    '',
    ...judgedTable(rows),
    '',
    'Where the time goes:',
    '',
    ...stepTable('`run`', measured.run),
    ...stepTable('steps by hand', measured.steps),
    ...stepTable('plain script', measured.plain),
  ].join('\n');
  if (whole > 0) {
    say(`\n${document}`);
    if (outFile !== '') await writeFile(outFile, document);
  }
  if (cut) say(`Interrupted: ${whole} of ${repeats} repeats measured; nothing was judged.`);
  else process.exitCode = exitCodeOf(rows);
} finally {
  await rm(home, { recursive: true, force: true });
}
exitWhenCut();
