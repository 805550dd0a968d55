import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a reader is asked: by its name in the process of the readers, or how the workbench asks it otherwise. */
export interface ReadingJob {
  /** `text`: a specification whose text is in `path`, which the window and the CLI read and hand over. */
  readonly ask: 'reader' | 'text' | 'configEdit' | 'nvidiaSmi';
  readonly name?: string;
  readonly path: string;
  /** Of a text: its name decides which kind it is. */
  readonly fileName?: string;
  /** The rest of what the reader takes. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** One file that takes a reader to one of its limits. */
export interface LimitFile {
  readonly what: string;
  /** Just above a limit: refused with the limit, before it is read. */
  readonly above?: true;
  make(dir: string): Promise<ReadingJob>;
}

/** A text or bytes with what it is, before it is known which reader is to have it. */
export type Titled<Content = string> = readonly [what: string, content: () => Content];

export interface Filling {
  readonly head?: string;
  readonly piece: (index: number) => string;
  readonly tail?: string;
  /** One byte, for what no whole piece fits into. */
  readonly pad?: string;
}

/** A text of exactly so many bytes; all of its parts are ASCII. */
export function filled(bytes: number, { head = '', piece, tail = '', pad = ' ' }: Filling): string {
  const pieces: string[] = [];
  let room = bytes - head.length - tail.length;
  for (let index = 0; ; index += 1) {
    const next = piece(index);
    if (next.length > room) break;
    pieces.push(next);
    room -= next.length;
  }
  return head + pieces.join('') + pad.repeat(Math.max(0, room)) + tail;
}

const pick = <T>(values: readonly T[], random: () => number): T | undefined =>
  values[Math.floor(random() * values.length)];

/** A text of exactly so many bytes out of pieces of a language, some of them thousands of times in a row. */
export function mixed(bytes: number, pieces: readonly string[], random: () => number, head = ''): string {
  const parts = [head];
  let room = bytes - head.length;
  while (room > 0) {
    const piece = pick(pieces, random) ?? ' ';
    const most = random() < 0.1 ? room / piece.length : 2 + 60 * random();
    const part = piece.repeat(Math.max(1, Math.floor(random() * most))).slice(0, room);
    parts.push(part);
    room -= part.length;
  }
  return parts.join('');
}

/** Mixtures with numbers, as many as are lacking to twenty. */
export const upToTwenty = (handwritten: readonly Titled[], mixture: () => string): readonly Titled[] => [
  ...handwritten,
  ...Array.from({ length: Math.max(0, 20 - handwritten.length) }, (_unused, index): Titled => [
    `a mixture, ${index + 1}`,
    mixture,
  ]),
];

/** Each content in a file of this name, for the reader that `job` asks. */
export const inFiles = (
  contents: readonly Titled<string | Buffer>[],
  name: string,
  job: (path: string, dir: string) => ReadingJob,
  above?: true,
): LimitFile[] =>
  contents.map(([what, content]) => ({
    what,
    ...(above === undefined ? {} : { above }),
    async make(dir) {
      const path = join(dir, name);
      await writeFile(path, content());
      return job(path, dir);
    },
  }));
