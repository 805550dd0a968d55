import { z } from 'zod';
import { reportChangeSchema, type ReportSettings, reportSubjectSchema } from '../settings/report-settings';
import { call } from './call';

export const reportApi = {
  'reports.settings': call<ReportSettings>().with(reportSubjectSchema),
  /** Throws input-invalid for a file that cannot be the logo of a report. */
  'reports.checkLogo': call<null>().with(z.strictObject({ path: z.string().min(1).max(4096) })),
  /** Keeps the change, and writes the reports of a run again. Throws run-busy, and input-invalid for an unusable logo. */
  'reports.change': call<null>().with(
    z.strictObject({ subject: reportSubjectSchema, change: reportChangeSchema }),
  ),
} as const;
