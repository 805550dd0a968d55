import { z } from 'zod';
import type { UsedImage } from '../../contract/results';
import { writeFileAtomic } from '../../platform/files';
import { readBoundedFile } from '../../platform/read-bounded-file';

const knownSchema = z.strictObject({
  version: z.literal(1),
  images: z.array(
    z.strictObject({
      reference: z.string(),
      /** "sha256:…" of the image, and "name@sha256:…" of its registry where it has one. */
      id: z.string(),
      digest: z.string().nullable(),
      at: z.string(),
    }),
  ),
});
type Known = z.infer<typeof knownSchema>['images'];

const mostBytes = 1024 * 1024;
/** The oldest are forgotten: a machine has few images, and each of their tags is one entry. */
const mostImages = 1000;

/** What each reference meant when this home last used it: a tag is a name that somebody can give to another image. */
export interface KnownImages {
  /** Keeps what a reference means now, and gives what it meant before where that was another image; else null. */
  note(image: UsedImage): Promise<string | null>;
}

/** @param file `known-images.json` of the home; a damaged one knows nothing */
export function createKnownImages(file: string, now: () => Date): KnownImages {
  const turn: { tail: Promise<unknown> } = { tail: Promise.resolve() };
  const read = async (): Promise<Known> => {
    const content = await readBoundedFile(file, mostBytes);
    try {
      return 'text' in content ? knownSchema.parse(JSON.parse(content.text)).images : [];
    } catch {
      return [];
    }
  };
  const note = async ({ reference, id, digest }: UsedImage): Promise<string | null> => {
    const known = await read();
    const before = known.find((image) => image.reference === reference);
    if (before?.id === id) return null;
    const others = known.filter((image) => image.reference !== reference);
    const images = [...others, { reference, id, digest, at: now().toISOString() }].slice(-mostImages);
    await writeFileAtomic(file, `${JSON.stringify({ version: 1, images }, null, 2)}\n`);
    return before === undefined ? null : (before.digest ?? before.id);
  };
  return {
    note: (image) => {
      const done = turn.tail.then(() => note(image));
      turn.tail = done.catch(() => undefined);
      return done;
    },
  };
}
