import { z } from 'zod';

/** Sections that can be left out. First page, problems and warnings are always present. */
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

/** Title and notes of one run's report; empty: none. Stored with the run. */
export const reportTextSchema = z.strictObject({
  title: z.string().max(120),
  notes: z.string().max(4000),
});
export type ReportText = Readonly<z.infer<typeof reportTextSchema>>;

/** Absent fields stay unchanged. Logo and sections apply to every report of the home. */
export const reportChangeSchema = reportTextSchema.partial().extend({
  /** Path of a PNG, JPEG or SVG file; null: no logo. */
  logo: z.string().min(1).max(4096).nullable().optional(),
  without: z.array(reportSectionSchema).max(reportSections.length).readonly().optional(),
});
export type ReportChange = Readonly<z.infer<typeof reportChangeSchema>>;

export interface ReportSettings extends ReportText {
  /** Original file name; null: no logo. */
  readonly logo: string | null;
  readonly without: readonly ReportSection[];
}
