import { fileLimits } from '../../contract/reader-limits';
import { processorFiles, singleWeights, tokenizerFiles, weightsIndex } from './file-names';
import { otherFolderRefusal, weightsRefusal } from './refusals';

/** A file of a commit of the hub. */
export interface HubFile {
  readonly path: string;
  readonly bytes: number;
  /** Of a file that is stored by its content; null: by its id in Git. */
  readonly sha256: string | null;
  readonly blob: string | null;
  readonly cached: boolean;
}

/** What a run reads, and what a person reads before it. */
const wanted: ReadonlySet<string> = new Set([
  ...['config.json', 'generation_config.json', 'README.md'],
  ...tokenizerFiles,
  ...processorFiles,
  ...['chat_template.json', 'modules.json', 'sentence_bert_config.json', 'config_sentence_transformers.json'],
]);
const legal = /^(LICEN[CS]E|NOTICE|USE_POLICY)(\.(md|txt))?$/i;
/** Settings of the modules of sentence-transformers. */
const moduleSettings = /^\d{1,2}_[A-Za-z]{1,40}\/config\.json$/;
const moduleWeights = /^\d{1,2}_Dense\/model\.safetensors$/;
/** As transformers writes parts; those of other programs in the same repository hold the weights again. */
const part = /^(?!consolidated)[\w-][\w.-]{0,200}-\d{5}-of-\d{5}\.safetensors$/;

const mostBytes = fileLimits.tokenizer.bytes;

function isWeights(path: string, names: ReadonlySet<string>): boolean {
  if (moduleWeights.test(path)) return true;
  // As the reader: one file where there is one, else the parts of the index.
  if (names.has(singleWeights)) return path === singleWeights;
  return path === weightsIndex || part.test(path);
}

function isOther({ path, bytes }: HubFile): boolean {
  return bytes <= mostBytes && (wanted.has(path) || legal.test(path) || moduleSettings.test(path));
}

/**
 * Configuration, weights as safetensors, tokenizer, processor and card; never a pickle or code.
 * Throws model-folder-invalid where the model would be refused as a folder.
 */
export function chooseHubFiles(id: string, files: readonly HubFile[]): readonly HubFile[] {
  const atRoot = files.filter(({ path }) => !path.includes('/'));
  const folder = new Map(atRoot.map(({ path, bytes }) => [path, { bytes }]));
  const refused = otherFolderRefusal(id, folder) ?? weightsRefusal(id, folder);
  if (refused !== null) throw refused;
  const names = new Set(folder.keys());
  return files.filter((file) => isWeights(file.path, names) || isOther(file));
}
