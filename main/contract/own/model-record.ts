import { z } from 'zod';
import { later } from '../later';
import { fileEntrySchema } from '../run/artefacts';

/** What the model card states; each part may be missing. */
export const modelCardSchema = later(() =>
  z.object({
    /** "apache-2.0"; of "other" with its name. */
    license: z.string().nullable(),
    tags: z.array(z.string()),
    /** "text-classification". */
    pipelineTag: z.string().nullable(),
    /** Models that this one was made from. */
    baseModels: z.array(z.string()),
    /** Why nothing of it could be read; absent: it was read. */
    problem: z.string().optional(),
  }),
);
export type ModelCard = Readonly<z.infer<typeof modelCardSchema>>;

export const hubPlaceSchema = later(() =>
  z.object({
    /** "acme/my-bert". */
    id: z.string(),
    /** The commit. */
    revision: z.string(),
  }),
);
export type HubPlace = Readonly<z.infer<typeof hubPlaceSchema>>;

/** What exactly was served of a Hugging Face folder, read when the run deployed it. */
export const modelRecordSchema = later(() =>
  z.object({
    /** null: the folder is not one of the hub's cache, which is named by the commit. */
    hub: hubPlaceSchema.nullable(),
    weights: z.array(fileEntrySchema),
    /** Of the file; of several that of the lines "SHA-256  name", as `sha256sum *.safetensors | sha256sum` prints it. */
    weightsSha256: z.string(),
    /** Empty: the folder has none. */
    tokenizer: z.array(fileEntrySchema),
    /** null: the folder has no README.md. */
    card: modelCardSchema.nullable(),
  }),
);
export type ModelRecord = Readonly<z.infer<typeof modelRecordSchema>>;
