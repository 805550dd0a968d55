import { createDrafts } from '../../../main/store/drafts';

/** Saves one draft over and over, and says the number of each that is on disk. */
async function main(): Promise<void> {
  const drafts = createDrafts(process.argv[2] ?? '');
  for (let count = 1; ; count += 1) {
    await drafts.save({
      id: 'draft',
      choice: { preset: 'resnet50', overrides: { count, filler: 'x'.repeat(50_000) } },
      page: 'model',
      updatedAt: new Date().toISOString(),
    });
    process.stdout.write(`${count}\n`);
  }
}

void main();
