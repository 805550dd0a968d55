import { z } from 'zod';

/** What can be left out of a report. Its first page, and problems and warnings, are always there. */
export const reportSections = [
  'accuracy',
  'environment',
  'levels',
  'published',
  'parameters',
  'steps',
  'commands',
  'reading',
] as const;
const reportSectionSchema = z.enum(reportSections);
export type ReportSection = z.infer<typeof reportSectionSchema>;

export const sectionTitles: Readonly<Record<ReportSection, string>> = {
  accuracy: 'Accuracy',
  environment: 'Environment',
  levels: 'Offline and online scenario',
  published: 'Published figures',
  parameters: 'Parameters',
  steps: 'Steps',
  commands: 'Commands',
  reading: 'How to read the numbers',
};

/** What somebody wrote for the report of one run; empty: nothing. Kept with the run. */
export const reportTextSchema = z.strictObject({
  title: z.string().max(120),
  notes: z.string().max(4000),
});
export type ReportText = Readonly<z.infer<typeof reportTextSchema>>;

/** What a report is written with; what is absent stays as it was. Logo and sections are kept for every report of the home. */
export const reportChangeSchema = reportTextSchema.partial().extend({
  /** Path of a PNG, JPEG or SVG file; null: none. */
  logo: z.string().min(1).max(4096).nullable().optional(),
  without: z.array(reportSectionSchema).max(reportSections.length).readonly().optional(),
});
export type ReportChange = Readonly<z.infer<typeof reportChangeSchema>>;

/** How the reports of a run are written as it is. */
export interface ReportSettings extends ReportText {
  /** Name of the file that it was taken from; null: none. */
  readonly logo: string | null;
  readonly without: readonly ReportSection[];
}
