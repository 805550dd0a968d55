import { WorkbenchError } from '../contract/errors';
import { unknownPreset } from '../contract/fields/nearest-name';
import type { CliContext } from './output';
import { presetLines } from './print/preset-lines';
import type { Verb } from './verb';

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
        throw new WorkbenchError('preset-unknown', unknownPreset(id, known));
      }
      const published = await core.handlers['presets.published']({ preset: id });
      const { detailLines } = await import('./print/preset-detail');
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
