import { basename } from 'node:path';
import { invalidInput } from '../../contract/errors';
import type { AnalyzerConfig, AnalyzerLine } from '../../contract/study/analyzer-config';
import type { Core } from '../../core';
import { readText } from '../read-spec';

export interface AnalyzerOptions {
  readonly fromAnalyzer?: string;
  readonly analyzerModel?: string;
}

/** The file of `--from-analyzer`; null: not given. Throws input-invalid with the line. */
export async function readAnalyzer(
  core: Core,
  runId: string | undefined,
  { fromAnalyzer: file, analyzerModel }: AnalyzerOptions,
): Promise<AnalyzerConfig | null> {
  if (file === undefined) {
    if (analyzerModel === undefined) return null;
    throw invalidInput('--analyzer-model', 'It names a model of --from-analyzer', 'Give the file, too.');
  }
  if (runId === undefined) {
    throw invalidInput(
      '--from-analyzer',
      'It is read against a run',
      'Run the model first, and search from that run.',
    );
  }
  const text = await readText(file, '--from-analyzer');
  const fileName = file === '-' ? 'standard input' : basename(file);
  return core.handlers['searches.fromAnalyzer']({ runId, text, fileName, model: analyzerModel ?? null });
}

const lineText = ({ line, option, text }: AnalyzerLine): string => `    line ${line}  ${option}: ${text}`;

/** Every option of the file: what is taken, and what is not. */
export function analyzerLines({ model, taken, left }: AnalyzerConfig): readonly string[] {
  return [
    `Configuration of Model Analyzer, model ${model}`,
    `  Taken: ${taken.length}`,
    ...taken.map(lineText),
    `  Not taken: ${left.length}`,
    ...left.map(lineText),
    '  Options of this command replace what the file has.',
  ];
}
