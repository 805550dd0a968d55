import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { commitPattern } from '../../contract/own/hub';
import { innerPathSchema } from '../../contract/run/run-spec';
import { writeFileAtomic } from '../../platform/files';
import { jsonOrNull } from '../../platform/parse-json';
import { privateFile } from '../../platform/private-home';
import { withFileTurn } from '../../store/file-lease';

const keptSchema = z.strictObject({
  id: z.string(),
  revision: z.string().regex(commitPattern),
  /** References that led to the commit: "hf:acme/my-bert@main". The newest entry with one counts. */
  asked: z.array(z.string()),
  license: z.string().nullable(),
  folder: z.string(),
  files: z.array(z.strictObject({ path: innerPathSchema, bytes: z.int().min(0) })),
  at: z.string(),
});
export type KeptModel = Readonly<z.infer<typeof keptSchema>>;

const listSchema = z.strictObject({ version: z.literal(1), models: z.array(keptSchema) });

/** The cache may have been cleaned since. */
async function isComplete({ folder, files }: KeptModel): Promise<boolean> {
  for (const { path, bytes } of files) {
    const found = await stat(join(folder, path)).catch(() => null);
    if (found?.isFile() !== true || found.size !== bytes) return false;
  }
  return true;
}

/** Models of the hub that were downloaded whole, by what was asked for, so that a later run needs no network. */
export interface KeptModels {
  /** null: not kept, or no longer complete. */
  find(reference: string): Promise<KeptModel | null>;
  add(model: KeptModel): Promise<void>;
}

/** @param file `hub.json` of the home */
export function createKeptModels(file: string): KeptModels {
  const read = async (): Promise<readonly KeptModel[]> => {
    const text = await readFile(file, 'utf8').catch(() => '');
    // A damaged list keeps nothing: the hub is asked again.
    return listSchema.safeParse(jsonOrNull(text)).data?.models ?? [];
  };
  return {
    find: async (reference) => {
      const model = (await read()).find(({ asked }) => asked.includes(reference));
      return model !== undefined && (await isComplete(model)) ? model : null;
    },
    add: (model) =>
      withFileTurn(file, 'the models of the hub', async (written) => {
        const before = await read();
        const same = before.find(({ id, revision }) => id === model.id && revision === model.revision);
        const asked = [...new Set([...model.asked, ...(same?.asked ?? [])])];
        // A branch that has moved leads to the new commit only.
        const others = before
          .filter((one) => one !== same)
          .map((one) => ({ ...one, asked: one.asked.filter((name) => !asked.includes(name)) }));
        const models = [{ ...model, asked }, ...others];
        await writeFileAtomic(written, `${JSON.stringify({ version: 1, models }, null, 2)}\n`, privateFile);
      }),
  };
}
