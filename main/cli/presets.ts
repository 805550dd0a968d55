import type { Command } from 'commander';
import { WorkbenchError } from '../contract/errors';
import { type PublishedResults, publishedValue } from '../contract/measured/baseline';
import { formatCount, formatMs, formatRate } from '../contract/numbers';
import type { Preset } from '../contract/run/preset';
import { type CliContext, formatTable, jsonHelp, type JsonOption, type Output } from './output';

function tellAll(output: Output, presets: readonly Preset[]): void {
  for (const preset of presets) {
    output.say(`${preset.id}  ${preset.title}`);
    output.say(`    ${preset.summary}`);
    output.say(`    formats ${preset.formats.join(', ')}; precisions ${preset.precisions.join(', ')}`);
    for (const { format, title, reason } of preset.notOffered ?? []) {
      output.say(`    not offered: ${format} (${title}). ${reason}`);
    }
    for (const [name, profile] of Object.entries(preset.profiles)) {
      output.say(`    --profile ${name}: ${profile.summary}`);
    }
  }
}

/** Largest throughput of each published table, with the hardware it was measured on. */
function tellPublished(output: Output, { source, tables }: PublishedResults): void {
  output.say('');
  output.say(`Published figures (${source.title}; ${source.address}, ${source.date}), not measured here:`);
  if (source.note !== undefined) output.say(source.note);
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
  output.say(
    formatTable(
      ['hardware', 'format', 'data set', 'scenario', 'levels', 'most inferences/s', 'p99 ms'],
      rows,
    ),
  );
}

function tellOne(output: Output, preset: Preset, published: PublishedResults | null): void {
  tellAll(output, [preset]);
  output.say('');
  output.say(`Data set: ${preset.origin.dataset}`);
  output.say(`Checkpoint: ${preset.origin.checkpoint}`);
  output.say(`Paper: ${preset.origin.paper}`);
  if (preset.origin.deployment !== undefined) output.say(`Deployment: ${preset.origin.deployment}`);
  const gpus = Object.keys(preset.byGpu ?? {});
  if (gpus.length > 0) {
    output.say(`Published defaults for: ${gpus.join(', ')} (--profile full --gpu ${gpus[0] ?? ''})`);
  }
  if ((preset.notes ?? []).length > 0) {
    output.say('');
    output.say('Problems of the published procedure, and the fix:');
  }
  for (const { finding, published: wrong, here } of preset.notes ?? []) {
    output.say(finding === undefined ? `  ${wrong}` : `  ${finding}: ${wrong}`);
    output.say(`      Fix: ${here}`);
  }
  if (published !== null) tellPublished(output, published);
}

/** `presets` and `presets show <id>`: what can be run, what is known of it, and what was published of it. */
export function addPresets(program: Command, context: CliContext): void {
  const presets = program.command('presets').description('List the presets');
  presets.option('--json', jsonHelp).action(async (options: JsonOption) => {
    const output = context.output(options);
    const list = (await context.core()).presets();
    if (output.json) output.document(list);
    else tellAll(output, list);
  });
  presets
    .command('show')
    .description(
      'Show a preset: origin, problems of its published procedure and their fixes, published figures',
    )
    .argument('<preset>', 'id of a preset: "presets" lists them')
    .option('--json', jsonHelp)
    .action(async (id: string, _options: JsonOption, command: Command) => {
      const output = context.output(command.optsWithGlobals<JsonOption>());
      const core = await context.core();
      const preset = core.presets().find((known) => known.id === id);
      if (preset === undefined) {
        const known = core.presets().map((one) => one.id);
        throw new WorkbenchError(
          'preset-unknown',
          `Unknown preset "${id}"; the presets are: ${known.join(', ')}`,
        );
      }
      const published = await core.handlers['presets.published']({ preset: id });
      if (output.json) output.document({ preset, published });
      else tellOne(output, preset, published);
    });
}

/** `trust` and `init`: what an own model needs before its first run. */
export function addOwnModels(program: Command, context: CliContext): void {
  program
    .command('trust')
    .description(
      'Trust the current code of a model folder, SavedModel or TorchScript file; any change requires trust again',
    )
    .argument('<path>', 'folder with model.py, SavedModel folder, or TorchScript file')
    .action(async (path: string) => {
      const core = await context.core();
      const { code, path: full } = await core.handlers['models.trust']({ path, shapes: {}, datatypes: {} });
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
      const { folder, written, kept } = await core.initModelFolder(dir);
      for (const file of written) output.say(`wrote ${file}`);
      for (const file of kept) output.say(`kept ${file}`);
      output.say(`Next: triton-workbench run ${folder} --trust`);
    });
}
