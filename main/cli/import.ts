import { resolve } from 'node:path';
import { invalidInput } from '../contract/errors';
import { shellLine } from '../contract/flag-text';
import type { ImportedRuns } from '../contract/run/imported';
import { present } from '../contract/trees';
import { runDocument } from './json/run-document';
import { readNumber, readRunName, saySharedName } from './read-values';
import type { Verb } from './verb';

interface ImportOptions {
  readonly model?: string;
  readonly name?: string;
  readonly batchSize?: string;
}

function readBatchSize(text: string): number {
  const value = readNumber('--batch-size', text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw invalidInput('--batch-size', `"${text}" is not a batch size`, 'Give a whole number of at least 1.');
}

/** Files of one profile beside its first. */
const mostBeside = 2;

/** The runs of several configurations, and the command that compares them. */
function severalLines(runs: ImportedRuns['runs']): readonly string[] {
  return [
    `Imported as ${runs.length} runs, one per configuration`,
    ...runs.map(({ runId, configuration }) => `  ${runId}  ${configuration ?? ''}`),
    `To rank them: ${shellLine(['triton-workbench', 'best', '--last', String(runs.length)])}`,
  ];
}

export function addImport(program: Verb): void {
  program
    .command('import')
    .description('Import results of perf_analyzer (CSV, profile export) or Model Analyzer (CSV) as runs')
    .argument(
      '<files...>',
      'file of perf_analyzer (-f, --profile-export-file), or the metrics-*.csv of one profile of Model Analyzer',
    )
    .option('--model <name>', 'model name; default: that of the file, else the file name')
    .option(
      '--name <name>',
      'name of the run; with several runs, prefix of the name of each configuration',
      readRunName,
    )
    .option('--batch-size <n>', 'batch size, which files of perf_analyzer do not contain; default: 1')
    .work(async ({ core, output }, files: readonly string[], options: ImportOptions) => {
      const [file = '', ...others] = files.map((one) => resolve(one));
      if (others.length > mostBeside) {
        throw invalidInput(
          'files',
          `${files.length} files cannot be imported together`,
          'Give one file, or the three files of one profile of Model Analyzer.',
        );
      }
      const { runId, runs, notes } = await core.handlers['runs.import']({
        path: file,
        ...(others.length === 0 ? {} : { beside: others }),
        ...present({ model: options.model, name: options.name }),
        ...(options.batchSize === undefined ? {} : { batchSize: readBatchSize(options.batchSize) }),
      });
      if (runs.length > 1) {
        for (const line of severalLines(runs)) output.say(line);
        for (const note of notes) output.say(`  ${note}`);
        if (output.json) output.document({ runs, notes });
        return;
      }
      const { state, dir } = await core.handlers['runs.show']({ runId });
      output.say(`Imported as ${runId}`);
      output.say(`  in ${dir}`);
      for (const note of notes) output.say(`  ${note}`);
      await saySharedName(core, output.say, runId, options.name);
      if (output.json) output.document({ ...runDocument(state, dir), notes });
    }, 'print one JSON document to stdout; messages go to stderr');
}
