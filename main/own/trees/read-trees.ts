import { basename } from 'node:path';
import type { WorkbenchError } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import { parseBoundedJson } from '../../platform/parse-json';
import { type FileWindow, openModelFile } from '../../platform/zip-directory';
import { fileRefused } from '../model-files';
import { recognizedRefusal } from '../recognize-file';
import type { TreesFacts } from './facts';
import { lightgbmFacts } from './lightgbm';
import { Refused } from './refusals';
import { skopsFacts } from './skops';
import { parseUbjson } from './ubjson';
import { xgboostFacts } from './xgboost';

const most = fileLimits.trees;

/** The whole file. Throws an Error for a larger one. */
function contentOf(file: FileWindow, mostBytes: number): Buffer {
  if (file.size > mostBytes) throw new Error(`it has ${file.size} bytes, at most ${mostBytes} are read`);
  return file.bytes(0, file.size);
}

/** A `{` and a length in place of a quoted name. */
const isUbjson = (file: FileWindow): boolean => /[iUIlL#$]/.test(String.fromCharCode(file.byte(1)));

function factsOf(file: FileWindow): TreesFacts {
  const first = String.fromCharCode(file.byte(0));
  if (first === 'P') return skopsFacts(file);
  if (first === 't') return lightgbmFacts(contentOf(file, most.bytes).toString('utf8'));
  if (first === '{' && isUbjson(file))
    return xgboostFacts(parseUbjson(contentOf(file, most.bytes)), 'UBJSON');
  return xgboostFacts(parseBoundedJson(contentOf(file, most.jsonBytes).toString('utf8')), 'JSON');
}

function refusalOf(path: string, error: unknown): WorkbenchError {
  const name = basename(path);
  if (error instanceof Refused) return fileRefused(path, `${name}: ${error.message}`, error.remedy);
  const reason = error instanceof Error ? error.message : String(error);
  return fileRefused(
    path,
    `${name} is not a valid model of XGBoost, LightGBM or skops: ${reason}`,
    'Save or copy the file again.',
  );
}

/**
 * A file of XGBoost (JSON, UBJSON), LightGBM (text) or skops: what it is, without its library and without executing
 * anything. Every tree is walked, as the libraries believe their files. Throws model-file-invalid.
 */
export function readTrees(path: string): TreesFacts {
  const file = openModelFile(path);
  try {
    return factsOf(file);
  } catch (error) {
    throw (error instanceof Refused ? null : recognizedRefusal(path, 'trees')) ?? refusalOf(path, error);
  } finally {
    file.close();
  }
}
