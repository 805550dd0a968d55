import type { Command } from 'commander';
import type { CliContext } from './context';

/** `trust` and `init`: what an own model needs before its first run. */
export function addOwnModels(program: Command, context: CliContext): void {
  program
    .command('trust')
    .description(
      'Trust the current code of a model folder or TorchScript file; any change requires trust again',
    )
    .argument('<path>', 'folder with model.py, or a .pt file')
    .action(async (path: string) => {
      const core = await context.core();
      const { code, path: full } = await core.handlers['models.trust']({ path, shapes: {}, datatypes: {} });
      const output = context.output({});
      if (code.length === 0) output.say(`${full} contains only data and needs no trust.`);
      else output.say(`Trusted ${code.length} files of ${full} with their current content:`);
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
      output.say(`Next: npm run cli -- run ${folder} --trust`);
    });
}
