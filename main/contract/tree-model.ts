import { z } from 'zod';
import { later } from './later';

/** Libraries whose files are opened as models of rows. */
export const treeLibraries = ['xgboost', 'lightgbm', 'sklearn'] as const;
export type TreeLibrary = (typeof treeLibraries)[number];

export const treeLibraryTitle: Readonly<Record<TreeLibrary, string>> = {
  xgboost: 'XGBoost',
  lightgbm: 'LightGBM',
  sklearn: 'scikit-learn',
};

const treeTasks = ['classification', 'regression', 'ranking'] as const;
export type TreeTask = (typeof treeTasks)[number];

/** Longer names and lists stay in the model's file. */
export const mostTreeNames = 1000;
export const longestTreeName = 100;

const names = z.array(z.string().max(longestTreeName)).max(mostTreeNames);

/** What of a file of XGBoost, LightGBM or skops is served, beside its tensors. */
export const treeModelSchema = later(() =>
  z.strictObject({
    library: z.enum(treeLibraries),
    task: z.enum(treeTasks),
    /** Names of the columns in their order; absent: the file has none, or too many. */
    columns: names.optional(),
    /** Number of categories by the number of the column, from 0 on. */
    categories: z.record(z.string().regex(/^\d{1,6}$/), z.int().min(1)).optional(),
    /** Names of the classes in the order of `probabilities`. */
    classes: names.optional(),
    /** Boosting rounds in use, where training stopped early; absent: all. */
    rounds: z.int().min(1).optional(),
  }),
);
export type TreeModel = z.infer<typeof treeModelSchema>;
