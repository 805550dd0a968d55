import type { Command } from 'commander';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import {
  type ReportChange,
  reportParts,
  type ReportSection,
  reportSections,
  type ReportSubject,
} from '../../contract/settings/report-settings';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { reportLines } from '../print/report-lines';
import { readBudgetMs, resolveRunId, runArgument } from '../read-values';
import type { Verb } from '../verb';

export interface ReportOptions {
  readonly title?: string;
  readonly customer?: string;
  readonly author?: string;
  readonly notes?: string;
  readonly logo?: string;
  readonly sections?: string;
  readonly without?: string;
}

const names = [...Object.keys(reportParts), ...reportSections].join(', ');

/** What a report says of itself and has, for every verb that writes one. */
export const addReportOptions = <Of extends Command>(command: Of): Of =>
  command
    .option('--title <text>', 'title of the report, saved for this run, study or comparison; "" removes it')
    .option('--customer <text>', 'customer at the head of each page, saved likewise')
    .option('--author <text>', 'author of all further reports, at the foot of each page')
    .option('--notes <text>', 'notes for the reader below the answer, saved likewise')
    .option(
      '--logo <file>',
      'PNG, JPEG or SVG of at most 256 KiB at the head of all further reports; "none" removes it',
    )
    .option('--sections <names>', `contents of all further reports: "all", "summary", or some of ${names}`)
    .option('--without <names>', 'contents that all further reports omit, by the same names');

function readSections(text: string, option: string): readonly ReportSection[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'summary')
    .flatMap((name): readonly ReportSection[] => {
      const [, part] = Object.entries(reportParts).find(([known]) => known === name) ?? [];
      if (part !== undefined) return part;
      const section = reportSections.find((known) => known === name);
      if (section !== undefined) return [section];
      throw new WorkbenchError('input-invalid', `"${name}" is not a section of a report`, {
        where: option,
        remedy: `The sections are ${names}. The first page, problems and warnings are always there.`,
      });
    });
}

function leftOut({ sections, without }: ReportOptions): readonly ReportSection[] | undefined {
  if (sections !== undefined && without !== undefined) {
    throw new WorkbenchError('input-invalid', '--sections and --without cannot be used together', {
      where: '--sections',
      remedy: 'Give one of them.',
    });
  }
  if (without !== undefined) {
    const left = readSections(without, '--without');
    return reportSections.filter((section) => left.includes(section));
  }
  if (sections === undefined) return undefined;
  if (sections.trim() === 'all') return [];
  const kept = readSections(sections, '--sections');
  return reportSections.filter((section) => !kept.includes(section));
}

export function reportChangeOf(options: ReportOptions): ReportChange {
  const { title, customer, author, notes, logo } = options;
  const without = leftOut(options);
  for (const [option, text, most] of [
    ['--title', title, 120],
    ['--customer', customer, 120],
    ['--author', author, 120],
    ['--notes', notes, 4000],
  ] as const) {
    if (text === undefined || text.length <= most) continue;
    throw invalidInput(option, `The text has ${text.length} characters`, `Use at most ${most}.`);
  }
  return {
    ...present({ title, customer, author, notes, without }),
    ...(logo === undefined ? {} : { logo: logo === 'none' ? null : logo }),
  };
}

/** Throws input-invalid for options of a report without one. */
export function requireReportFile(options: ReportOptions, option: string): ReportChange {
  const change = reportChangeOf(options);
  const [first] = Object.keys(change);
  if (first === undefined) return change;
  const name = first === 'without' && options.sections !== undefined ? 'sections' : first;
  throw invalidInput(`--${name}`, 'No report is written', `Add ${option}.`);
}

/** Keeps what was given for a report that is written next. */
export async function keepReportChange(
  core: Core,
  subject: ReportSubject,
  options: ReportOptions,
): Promise<void> {
  const change = reportChangeOf(options);
  if (Object.keys(change).length > 0) await core.handlers['reports.change']({ subject, change });
}

export function addReport(program: Verb): void {
  const report = program
    .command('report')
    .description('Write the reports of a run again from its journal, even if the run has not finished')
    .argument('<run>', runArgument)
    .option(
      '--p99-budget-ms <ms>',
      'p99 budget of the run, in milliseconds; saved with the run',
      readBudgetMs,
    );
  addReportOptions(report)
    .checking(reportChangeOf)
    .answer(async ({ core }, given: string, options: ReportOptions & { readonly p99BudgetMs?: number }) => {
      const change = reportChangeOf(options);
      const runId = await resolveRunId(core, given);
      // Checked before the run is changed.
      if (typeof change.logo === 'string') await core.handlers['reports.checkLogo']({ path: change.logo });
      const { p99BudgetMs } = options;
      if (p99BudgetMs !== undefined) await core.handlers['runs.setBudget']({ runId, p99BudgetMs });
      const reports = await core.handlers['runs.writeReports']({ runId, change });
      return {
        document: { runId, reports },
        lines: () => reportLines(reports),
      };
    });
}
