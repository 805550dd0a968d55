import { dirname, join } from 'node:path';

/** Where the next file is offered to be saved: beside the one that was saved before. */
export class SavePlace {
  /** @param folder of the first file */
  constructor(private folder: string) {}

  pathOf(name: string): string {
    return join(this.folder, name);
  }

  saved(path: string): void {
    this.folder = dirname(path);
  }
}
