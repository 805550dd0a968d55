import { WorkbenchError } from '../contract/errors';
import { type PublishedResults, publishedValue } from '../contract/measured/baseline';
import { formatCount, formatMs, formatRate } from '../contract/numbers';
import type { Preset } from '../contract/run/preset';
import { type CliContext, formatTable } from './output';
import type { Verb } from './verb';

const presetLines = (preset: Preset): readonly string[] => [
  `${preset.id}  ${preset.title}`,
  `    ${preset.summary}`,
  `    formats ${preset.formats.join(', ')}; precisions ${preset.precisions.join(', ')}`,
  ...(preset.notOffered ?? []).map(
    ({ format, title, reason }) => `    not offered: ${format} (${title}). ${reason}`,
  ),
  ...Object.entries(preset.profiles).map(([name, { summary }]) => `    --profile ${name}: ${summary}`),
];

/** The highest throughput of each published table, with its hardware. */
function publishedLines({ source, tables }: PublishedResults): readonly string[] {
  const rows = tables.map((table) => {
    const best = table.levels.reduce((a, b) => (b[2] > a[2] ? b : a));
    const p99 = publishedValue(best, 'p99Ms');
    return [
      table.hardware,
      `${table.format} ${table.precision}`,
      table.dataset ?? '',
      table.scenario,
      formatCount(table.levels.length),
      formatRate(best[2]),
      formatMs(p99 === null ? null : p99 * 1000),
    ];
  });
  const header = ['hardware', 'format', 'data set', 'scenario', 'levels', 'most inferences/s', 'p99 ms'];
  return [
    '',
    `Published figures (${source.title}; ${source.address}, ${source.date}), not measured here:`,
    ...(source.note === undefined ? [] : [source.note]),
    formatTable(header, rows),
  ];
}

function detailLines(preset: Preset, published: PublishedResults | null): readonly string[] {
  const { origin, byGpu = {}, notes = [] } = preset;
  const gpus = Object.keys(byGpu);
  return [
    ...presetLines(preset),
    '',
    `Data set: ${origin.dataset}`,
    `Checkpoint: ${origin.checkpoint}`,
    `Paper: ${origin.paper}`,
    ...(origin.deployment === undefined ? [] : [`Deployment: ${origin.deployment}`]),
    ...gpus
      .slice(0, 1)
      .map((gpu) => `Published defaults for: ${gpus.join(', ')} (--profile full --gpu ${gpu})`),
    ...(notes.length === 0 ? [] : ['', 'Problems of the published procedure, and the fix:']),
    ...notes.flatMap(({ finding, published: wrong, here }) => [
      finding === undefined ? `  ${wrong}` : `  ${finding}: ${wrong}`,
      `      Fix: ${here}`,
    ]),
    ...(published === null ? [] : publishedLines(published)),
  ];
}

export function addPresets(program: Verb): void {
  program
    .command('presets')
    .description('List the presets')
    .reading(async ({ core }) => {
      const presets = await core.handlers['presets.list'](undefined);
      return { document: presets, lines: () => presets.flatMap(presetLines) };
    })
    .command('show')
    .description(
      'Show a preset: origin, problems of its published procedure and their fixes, published figures',
    )
    .argument('<preset>', 'id of a preset, as in "presets"')
    .reading(async ({ core }, id: string) => {
      const presets = await core.handlers['presets.list'](undefined);
      const preset = presets.find((known) => known.id === id);
      if (preset === undefined) {
        const known = presets.map((one) => one.id);
        throw new WorkbenchError(
          'preset-unknown',
          `Unknown preset "${id}"; the presets are: ${known.join(', ')}`,
        );
      }
      const published = await core.handlers['presets.published']({ preset: id });
      return { document: { preset, published }, lines: () => detailLines(preset, published) };
    });
}

export function addOwnModels(program: Verb, context: CliContext): void {
  program
    .command('trust')
    .description(
      'Trust the current code of a model folder, SavedModel or TorchScript file; after any change, trust it again',
    )
    .argument('<path>', 'folder with model.py, SavedModel folder, or TorchScript file')
    .action(async (path: string) => {
      const core = await context.core();
      const { code, path: full } = await core.handlers['models.trust']({
        ...{ path, shapes: {}, datatypes: {}, with: [], rewrite: false },
      });
      const output = context.output({});
      if (code.length === 0) output.say(`${full} contains only data and needs no trust.`);
      else {
        const files = code.length === 1 ? 'file' : 'files';
        output.say(`Trusted ${code.length} ${files} of ${full} with the current content:`);
      }
      for (const file of code) output.say(`  ${file.path}`);
    });
  program
    .command('init')
    .description('Create a ready-to-run model folder: model.py, dataloader.py, metrics.py, preset.yaml')
    .argument('<dir>', 'new or existing folder; existing files are never overwritten')
    .action(async (dir: string) => {
      const core = await context.core();
      const output = context.output({});
      const { folder, written, kept } = await core.handlers['models.init']({ dir });
      for (const file of written) output.say(`wrote ${file}`);
      for (const file of kept) output.say(`kept ${file}`);
      output.say(`Next: triton-workbench run ${folder} --trust`);
    });
}
