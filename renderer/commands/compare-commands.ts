import type { ComparisonFile, SavedComparison } from '../../main/contract/run/saved-comparison';
import { attempting } from '../components/notices';
import { copyComparison, exportComparison, openComparison } from '../views/compare/compare-tools';
import type { Workbench } from '../workbench';
import type { Action } from './command';

const exportText: Readonly<Record<ComparisonFile, string>> = {
  pdf: 'Export PDF of this comparison',
  html: 'Export HTML of this comparison',
  csv: 'Export CSV of this comparison',
  markdown: 'Export Markdown of this comparison',
};

export const compareCommands = (workbench: Workbench): readonly Action[] => [
  ...(Object.entries(exportText) as [ComparisonFile, string][]).map(([kind, title]): Action => ({
    id: `export-comparison-${kind}`,
    title,
    run: attempting(() => exportComparison(workbench, kind)),
  })),
  {
    id: 'copy-comparison',
    title: 'Copy this comparison as Markdown',
    note: 'export to the clipboard',
    run: attempting(() => copyComparison(workbench)),
  },
  {
    id: 'save-comparison',
    title: 'Save this comparison…',
    note: 'by a name, to open it again',
    run: () => workbench.overlay.getState().show('save-comparison'),
  },
];

export const savedCommands = (workbench: Workbench, saved: readonly SavedComparison[]): readonly Action[] =>
  saved.map((one) => ({
    id: `comparison ${one.name}`,
    title: `Compare: ${one.name}`,
    note: `saved comparison of ${one.runIds.length} runs`,
    run: () => openComparison(workbench, one),
  }));
