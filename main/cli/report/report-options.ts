import type { Command } from 'commander';
import { WorkbenchError } from '../../contract/errors';
import { type ReportChange, type ReportSection, reportSections } from '../../contract/run/report-look';

export interface ReportOptions {
  readonly title?: string;
  readonly notes?: string;
  readonly logo?: string;
  readonly sections?: string;
  readonly without?: string;
}

const names = reportSections.join(', ');

/** What the reports of a run are written with. */
export const addReportOptions = (command: Command): Command =>
  command
    .option('--title <text>', 'title of the report, saved with the run; "" removes it')
    .option('--notes <text>', 'what the reader should know, below the verdict; kept with the run')
    .option(
      '--logo <file>',
      'PNG, JPEG or SVG of at most 256 KiB at the head of every further report; "none" removes it',
    )
    .option('--sections <names>', `what every further report has: "all", or some of ${names}`)
    .option('--without <names>', 'what every further report leaves out, of the same names');

function readSections(text: string, option: string): readonly ReportSection[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => {
      const section = reportSections.find((known) => known === name);
      if (section !== undefined) return section;
      throw new WorkbenchError('input-invalid', `"${name}" is not a section of a report`, {
        where: option,
        remedy: `The sections are ${names}. The first page, problems and warnings are always there.`,
      });
    });
}

function leftOut({ sections, without }: ReportOptions): readonly ReportSection[] | undefined {
  if (sections !== undefined && without !== undefined) {
    throw new WorkbenchError('input-invalid', '--sections and --without say the same thing twice', {
      where: '--sections',
      remedy: 'Give one of them.',
    });
  }
  if (without !== undefined) return readSections(without, '--without');
  if (sections === undefined) return undefined;
  if (sections.trim() === 'all') return [];
  const kept = readSections(sections, '--sections');
  return reportSections.filter((section) => !kept.includes(section));
}

/** Throws input-invalid. */
export function reportChangeOf(options: ReportOptions): ReportChange {
  const { title, notes, logo } = options;
  const without = leftOut(options);
  for (const [option, text, most] of [
    ['--title', title, 120],
    ['--notes', notes, 4000],
  ] as const) {
    if (text === undefined || text.length <= most) continue;
    throw new WorkbenchError('input-invalid', `The text has ${text.length} characters`, {
      where: option,
      remedy: `Use at most ${most}.`,
    });
  }
  return {
    ...(title === undefined ? {} : { title }),
    ...(notes === undefined ? {} : { notes }),
    ...(logo === undefined ? {} : { logo: logo === 'none' ? null : logo }),
    ...(without === undefined ? {} : { without }),
  };
}
