import { join } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../../contract/errors';
import {
  type ReportChange,
  reportChangeSchema,
  type ReportText,
  reportTextSchema,
} from '../../contract/run/report-look';
import { writeFileAtomic } from '../../platform/files';
import { readBoundedFile } from '../../platform/read-bounded-file';
import { readLogo } from './logo';

const houseSchema = z.strictObject({
  logo: z
    .strictObject({ name: z.string(), kind: z.enum(['png', 'jpg', 'svg']), base64: z.base64() })
    .nullable(),
  without: reportChangeSchema.shape.without.unwrap(),
});

/** What a report is written with beside the figures. */
export type ReportLook = ReportText & Readonly<z.infer<typeof houseSchema>>;

/** Where it is kept: logo and sections for every report of a home, title and notes with the run. */
export interface LookPlaces {
  /** `report-look.json` of the home. */
  readonly house: string;
  /** `results` of the run. */
  readonly results: string;
}

export const plainLook: ReportLook = { logo: null, without: [], title: '', notes: '' };
const mostBytes = 1024 * 1024;

/** null: nothing was chosen. */
async function read<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema> | null> {
  const unreadable = (problem: string, cause?: unknown): WorkbenchError =>
    new WorkbenchError('report-failed', `What the report is to look like cannot be read: ${problem}`, {
      where: path,
      remedy: 'Remove this file, and choose title, notes, logo and sections again.',
      cause,
    });
  const found = await readBoundedFile(path, mostBytes);
  if ('problem' in found) {
    if (found.problem === 'it does not exist') return null;
    throw unreadable(found.problem);
  }
  try {
    return schema.parse(JSON.parse(found.text));
  } catch (error) {
    throw unreadable('it is damaged', error);
  }
}

const textFile = ({ results }: LookPlaces): string => join(results, 'report-text.json');

/** Throws report-failed where a file of it is damaged. */
export async function readReportLook(places: LookPlaces): Promise<ReportLook> {
  const house = await read(places.house, houseSchema);
  const text = await read(textFile(places), reportTextSchema);
  return { ...plainLook, ...house, ...text };
}

/** Keeps what is asked for from now on; what is absent of the change stays. Throws input-invalid for a logo that is none. */
export async function changeReportLook(places: LookPlaces, change: ReportChange): Promise<ReportLook> {
  const { logo, without, title, notes } = change;
  const before = await readReportLook(places);
  const next: ReportLook = {
    logo: logo === undefined ? before.logo : logo === null ? null : await readLogo(logo),
    without: without ?? before.without,
    title: title?.trim() ?? before.title,
    notes: notes?.trim() ?? before.notes,
  };
  if (logo !== undefined || without !== undefined)
    await writeFileAtomic(
      places.house,
      `${JSON.stringify({ logo: next.logo, without: next.without })}\n`,
      0o600,
    );
  if (title !== undefined || notes !== undefined)
    await writeFileAtomic(
      textFile(places),
      `${JSON.stringify({ title: next.title, notes: next.notes })}\n`,
      0o600,
    );
  return next;
}
