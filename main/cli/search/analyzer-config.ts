import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { invalidInput } from '../../contract/errors';
import type { AnalyzerConfig, AnalyzerLine } from '../../contract/study/analyzer-config';
import type { SearchRequest } from '../../contract/study/search';
import type { Core } from '../../core';
import { readText } from '../read-spec';

export interface AnalyzerOptions {
  readonly fromAnalyzer?: string;
  readonly analyzerModel?: string;
}

/** A file of `--from-analyzer`. */
interface GivenFile {
  readonly text: string;
  readonly fileName: string;
  /** Of several in the file; null: not named. */
  readonly model: string | null;
}

/** null: not given. Throws input-invalid. */
async function readFile({ fromAnalyzer: file, analyzerModel }: AnalyzerOptions): Promise<GivenFile | null> {
  if (file !== undefined) {
    const text = await readText(file, '--from-analyzer');
    return { text, fileName: file === '-' ? 'standard input' : basename(file), model: analyzerModel ?? null };
  }
  if (analyzerModel === undefined) return null;
  throw invalidInput(
    '--analyzer-model',
    '--analyzer-model applies only with --from-analyzer',
    'Add the file with --from-analyzer.',
  );
}

/** A path of the file counts from the working directory, as in Model Analyzer, or from the folder of the file. */
function repositoryOf(path: string, file: string): string {
  const here = resolve(path);
  return existsSync(here) || file === '-' ? here : resolve(dirname(file), path);
}

/** What is searched, and what a configuration of Model Analyzer asks for. */
export interface AnalyzerSource {
  /** Path of the model that the file names; null: the command names what is searched. */
  readonly path: string | null;
  /** What the file asks for; null: none was given. Throws input-invalid with the line. */
  readonly read: (of: Pick<SearchRequest, 'runId' | 'choice'>) => Promise<AnalyzerConfig | null>;
}

/** @param isNamed the command names a run or a model. Throws input-invalid for neither of both. */
export async function analyzerSource(
  core: Core,
  options: AnalyzerOptions,
  isNamed: boolean,
): Promise<AnalyzerSource> {
  const file = await readFile(options);
  if (file === null) {
    if (isNamed) return { path: null, read: () => Promise.resolve(null) };
    throw invalidInput(
      '[subject]',
      'No run and no model is named',
      'Name one, for example "search latest", or a configuration of Model Analyzer with --from-analyzer.',
    );
  }
  const read: AnalyzerSource['read'] = (of) =>
    core.handlers['searches.fromAnalyzer']({ ...file, of, isOfRepository: !isNamed });
  if (isNamed) return { path: null, read };
  const { model, repository } = await core.handlers['searches.analyzerModel'](file);
  const folder = repositoryOf(repository, options.fromAnalyzer ?? '-');
  const path = join(folder, model);
  if (existsSync(path)) return { path, read };
  throw invalidInput(
    path,
    existsSync(folder) ? `The model repository has no model "${model}"` : 'The model repository is missing',
    'Correct model_repository, or search from a run: search RUN --from-analyzer FILE.',
  );
}

const lineText = ({ line, option, text }: AnalyzerLine): string => `    line ${line}  ${option}: ${text}`;

/** Every option of the file: what is taken, and what is not. */
export function analyzerLines({ model, taken, left }: AnalyzerConfig): readonly string[] {
  return [
    `Configuration of Model Analyzer, model ${model}`,
    `  Used: ${taken.length}`,
    ...taken.map(lineText),
    `  Not used: ${left.length}`,
    ...left.map(lineText),
    '  Options of this command override the file.',
  ];
}
