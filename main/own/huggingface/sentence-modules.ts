import { join } from 'node:path';
import { type HuggingFaceModel, poolingModes } from '../../contract/run/hugging-face';
import { isTree, type Tree } from '../../contract/trees';
import { shortText, shortValue } from '../../platform/lines';
import { folderRefused } from '../model-files';
import { ConfigNumbers } from './config-numbers';
import { singleWeights } from './file-names';
import { type FolderFiles, folderFiles, readJson, readTree, requireFile } from './folder-files';
import { weightsRefusal } from './refusals';
import { readWeights } from './weights';

const listFile = 'modules.json';
const mostModules = 16;

type Pooling = NonNullable<HuggingFaceModel['pooling']>;

/** What sentence-transformers adds to the encoder. */
export interface SentenceModules {
  readonly pooling: Pooling;
  /** Layers behind the pooling, by the folder of each; their values of a vector. */
  readonly dense: readonly { readonly path: string; readonly size: number }[];
  readonly normalize: boolean;
  /** Longest text in tokens; null where it says none. */
  readonly longest: number | null;
}

interface Module {
  /** Last part of the class name: "Pooling". */
  readonly kind: string;
  readonly path: string;
}

function moduleOf(folder: string, value: unknown): Module {
  const { type, path } = isTree(value) ? value : {};
  const isKnown = typeof type === 'string' && /^sentence_transformers\.[\w.]{1,120}$/.test(type);
  const isPlain = typeof path === 'string' && /^[\w-]{0,64}$/.test(path);
  if (isKnown && isPlain) return { kind: type.slice(type.lastIndexOf('.') + 1), path };
  throw folderRefused(
    join(folder, listFile),
    `${listFile} names a module that sentence-transformers does not have itself: ${shortValue(type)}`,
    'Code of a folder is not run. Give a folder of Transformer, Pooling, Dense and Normalize only.',
  );
}

/** "pooling_mode_mean_tokens": true, or, since version 5, "pooling_mode": "mean". */
function modesOf(config: Tree): readonly string[] {
  const { pooling_mode: mode } = config;
  if (typeof mode === 'string') return [mode];
  return Object.entries(config)
    .filter(([name, value]) => name.startsWith('pooling_mode_') && value === true)
    .map(([name]) => name.replace(/^pooling_mode_/, '').replace(/_tokens?$/, ''));
}

async function poolingOf(folder: string, { path }: Module): Promise<Pooling> {
  const place = join(folder, path);
  const config = await readTree(place, await folderFiles(folder, path), 'config.json');
  const modes = modesOf(config ?? {});
  const [mode] = modes;
  const known = modes.length === 1 ? poolingModes.find((one) => one === mode) : undefined;
  if (known !== undefined) return known;
  const found = modes.length === 0 ? 'none' : shortText(modes.join(', '));
  throw folderRefused(
    join(place, 'config.json'),
    `The pooling of this sentence-transformers folder is not served: ${found}`,
    `Supported: exactly one of ${poolingModes.join(', ')}. Remove ${listFile} to serve the vectors of the tokens.`,
  );
}

/** As Dense of sentence-transformers names them; none is the hyperbolic tangent. */
const activations = /^torch\.nn\.modules\.(?:activation\.Tanh|linear\.Identity)$/;

/** A layer behind the pooling. Throws model-folder-invalid. */
async function denseOf(folder: string, { path }: Module): Promise<{ path: string; size: number }> {
  const place = join(folder, path);
  const files = await folderFiles(folder, path);
  const config = (await readTree(place, files, 'config.json')) ?? {};
  const { activation_function: activation = 'torch.nn.modules.activation.Tanh' } = config;
  if (path === '' || typeof activation !== 'string' || !activations.test(activation)) {
    throw folderRefused(
      join(place, 'config.json'),
      `The activation of this layer of sentence-transformers is not served: ${shortValue(activation)}`,
      `Only Tanh and Identity are supported. Remove ${listFile} to serve the vectors of the tokens.`,
    );
  }
  const refused = weightsRefusal(place, files);
  if (refused !== null) throw refused;
  requireFile(place, files, singleWeights);
  const size = new ConfigNumbers(place, 'config.json', config).size('out_features');
  const { tensors } = await readWeights(place, files);
  const rows = tensors.get('linear.weight')?.shape[0];
  if (size !== null && rows === size) return { path, size };
  throw folderRefused(
    join(place, 'config.json'),
    `config.json says out_features is ${size ?? 'nothing'}, but linear.weight has ${rows ?? 'no'} rows`,
    'Use the config.json that was saved with these weights.',
  );
}

/** null where the folder is not one of sentence-transformers. Throws model-folder-invalid. */
export async function readSentenceModules(
  folder: string,
  files: FolderFiles,
): Promise<SentenceModules | null> {
  const list = await readJson(folder, files, listFile);
  if (list === null) return null;
  const at = join(folder, listFile);
  if (!Array.isArray(list) || list.length > mostModules) {
    throw folderRefused(at, `${listFile} does not hold a list of modules`, 'Download or copy it again.');
  }
  const [encoder, pooling, ...rest] = list.map((one) => moduleOf(folder, one));
  // Vectors of length 1 come last.
  const layers = rest.slice(0, rest.findLastIndex(({ kind }) => kind === 'Dense') + 1);
  const others = rest.slice(layers.length);
  const isKnown =
    layers.every(({ kind }) => kind === 'Dense') && others.every(({ kind }) => kind === 'Normalize');
  if (encoder?.kind !== 'Transformer' || pooling?.kind !== 'Pooling' || !isKnown) {
    const kinds = list.map((one) => moduleOf(folder, one).kind).join(', ');
    throw folderRefused(
      at,
      `These modules of sentence-transformers are not served: ${shortText(kinds)}`,
      `Only Transformer, Pooling, Dense and Normalize are supported, in this order. Remove ${listFile} to serve the vectors of the tokens.`,
    );
  }
  if (encoder.path !== '') {
    throw folderRefused(
      at,
      `The encoder of this sentence-transformers folder is in its folder ${encoder.path}`,
      `Save it again with a newer sentence-transformers, or give that folder: ${join(folder, encoder.path)}`,
    );
  }
  const sentence = await readTree(folder, files, 'sentence_bert_config.json');
  const numbers = new ConfigNumbers(folder, 'sentence_bert_config.json', sentence ?? {});
  const dense: SentenceModules['dense'][number][] = [];
  for (const layer of layers) dense.push(await denseOf(folder, layer));
  return {
    pooling: await poolingOf(folder, pooling),
    dense,
    normalize: others.length > 0,
    longest: numbers.size('max_seq_length'),
  };
}
