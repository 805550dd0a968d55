import type { TreeLibrary, TreeTask } from '../../contract/tree-model';

/** A file of XGBoost, LightGBM or skops, read without loading it. */
export interface TreesFacts {
  readonly library: TreeLibrary;
  /** "JSON", "UBJSON", "text" or "skops". */
  readonly format: string;
  /** Of the library that wrote it; null where the file does not state it. */
  readonly version: string | null;
  /** What it is, for people: "gbtree with binary:logistic". */
  readonly estimator: string;
  readonly task: TreeTask;
  /** Columns of the input. */
  readonly features: number;
  /** Their names in order; empty where the file has none. */
  readonly columns: readonly string[];
  /** Number of categories by column. */
  readonly categories: Readonly<Record<string, number>>;
  /** Of a classifier; 0 otherwise. */
  readonly classes: number;
  readonly classNames: readonly string[];
  /** A classifier without them gives labels only. */
  readonly hasProbabilities: boolean;
  /** Values per row where it is not a classifier. */
  readonly values: number;
  /** null where the estimator has none. */
  readonly trees: number | null;
  /** Boosting rounds: in the file, and those in use where training stopped early. */
  readonly rounds: number | null;
  readonly roundsInUse: number | null;
}
