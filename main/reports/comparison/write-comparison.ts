import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComparisonFile } from '../../contract/run/saved-comparison';
import type { Comparison } from '../../domain/comparison/comparison';
import { makeTemporaryFolder, writeOutput } from '../../platform/files';
import { comparisonPage } from './comparison-page';
import { comparisonCsv, comparisonMarkdown } from './comparison-text';

/** Every format but PDF. */
export function comparisonText(
  comparison: Comparison,
  kind: Exclude<ComparisonFile, 'pdf'>,
  generatedAt: string,
): string {
  switch (kind) {
    case 'html':
      return comparisonPage(comparison, generatedAt);
    case 'csv':
      return comparisonCsv(comparison);
    case 'markdown':
      return comparisonMarkdown(comparison);
  }
}

/** Atomic. Throws if the file cannot be written, and toolchain-missing without a printer. */
export async function writeComparison(input: {
  readonly comparison: Comparison;
  readonly kind: ComparisonFile;
  readonly path: string;
  readonly generatedAt: string;
  readonly printPdf: (htmlPath: string, pdfPath: string, signal: AbortSignal) => Promise<void>;
}): Promise<void> {
  const { comparison, kind, path, generatedAt, printPdf } = input;
  if (kind !== 'pdf') return writeOutput(path, comparisonText(comparison, kind, generatedAt));
  // Own folder, because other processes may print too.
  const folder = await makeTemporaryFolder('triton-workbench-compare-', 'report-failed');
  try {
    const page = join(folder, 'comparison.html');
    await writeFile(page, comparisonPage(comparison, generatedAt));
    await printPdf(page, path, new AbortController().signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
