import { resolve } from 'node:path';
import type { Command } from 'commander';
import { WorkbenchError } from '../contract/errors';
import type { CliContext } from './context';
import { readNumber } from './read-values';
import { runDocument } from './run-json';

interface ImportOptions {
  readonly model?: string;
  readonly batchSize?: string;
  readonly json?: boolean;
}

function readBatchSize(text: string): number {
  const value = readNumber('--batch-size', text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new WorkbenchError('input-invalid', `"${text}" is not a batch size`, { where: '--batch-size' });
}

/** `import`: a file of perf_analyzer becomes a run that can be shown, reported and compared. */
export function addImport(program: Command, context: CliContext): void {
  program
    .command('import')
    .description('Import a perf_analyzer CSV file or profile export as a run')
    .argument('<file>', 'file written by perf_analyzer with -f or --profile-export-file')
    .option('--model <name>', 'model name, which the file does not contain; default: the file name')
    .option('--batch-size <n>', 'batch size, which the file does not contain; default: 1')
    .option('--json', 'print one JSON document to stdout; messages go to stderr')
    .action(async (file: string, options: ImportOptions) => {
      const output = context.output(options);
      const core = await context.core();
      const { runId, notes } = await core.importFile({
        path: resolve(file),
        ...(options.model === undefined ? {} : { model: options.model }),
        ...(options.batchSize === undefined ? {} : { batchSize: readBatchSize(options.batchSize) }),
      });
      const { state, dir } = await core.getRun(runId);
      output.say(`Imported as ${runId}`);
      output.say(`  in ${dir}`);
      for (const note of notes) output.say(`  ${note}`);
      if (output.json) output.document({ ...runDocument(state, dir), notes });
    });
}
