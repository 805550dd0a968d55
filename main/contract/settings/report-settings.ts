import { z } from 'zod';

/** Sections that can be left out. First page, problems and warnings are always present. */
export const reportSections = [
  'accuracy',
  'levels',
  'published',
  'environment',
  'parameters',
  'steps',
  'reading',
  'commands',
] as const;
const reportSectionSchema = z.enum(reportSections);
export type ReportSection = z.infer<typeof reportSectionSchema>;

/** What a reader chooses between: the answer is always there, the figures behind it, and how they came about. */
export const reportParts = {
  results: ['accuracy', 'levels', 'published'],
  record: ['environment', 'parameters', 'steps', 'reading', 'commands'],
} as const satisfies Readonly<Record<string, readonly ReportSection[]>>;
export type ReportPart = keyof typeof reportParts;

export const partTitles: Readonly<Record<ReportPart, string>> = { results: 'Results', record: 'Record' };

export const sectionTitles: Readonly<Record<ReportSection, string>> = {
  accuracy: 'Accuracy',
  levels: 'Offline and online scenario',
  published: 'Published figures',
  environment: 'Environment',
  parameters: 'Parameters',
  steps: 'Steps',
  reading: 'How to read the numbers',
  commands: 'Commands',
};

const line = z.string().max(120);

/** Of one report; empty: none. The customer is never that of another report. */
export const reportTextSchema = z.strictObject({
  title: line,
  customer: line.default(''),
  notes: z.string().max(4000),
});
export type ReportText = Readonly<z.infer<typeof reportTextSchema>>;

/** Of every report of the home. */
export const reportAuthorSchema = line;

/** Absent fields stay unchanged. Author, logo and sections apply to every report of the home. */
export const reportChangeSchema = z.strictObject({
  title: line.optional(),
  customer: line.optional(),
  notes: reportTextSchema.shape.notes.optional(),
  author: line.optional(),
  /** Path of a PNG, JPEG or SVG file; null: no logo. */
  logo: z.string().min(1).max(4096).nullable().optional(),
  without: z.array(reportSectionSchema).max(reportSections.length).readonly().optional(),
});
export type ReportChange = Readonly<z.infer<typeof reportChangeSchema>>;

/** What a report is of. Comparisons are known by their runs, monitoring by its server or recording. */
export const reportSubjectSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('run'), runId: z.string().max(200) }),
  z.strictObject({ kind: z.literal('study'), name: z.string().max(40) }),
  z.strictObject({
    kind: z.literal('comparison'),
    runIds: z.array(z.string().min(1).max(200)).min(1).max(8).readonly(),
  }),
  z.strictObject({ kind: z.literal('monitor') }),
]);
export type ReportSubject = Readonly<z.infer<typeof reportSubjectSchema>>;

export interface ReportSettings extends ReportText {
  readonly author: string;
  /** Original file name; null: no logo. */
  readonly logo: string | null;
  readonly without: readonly ReportSection[];
}
