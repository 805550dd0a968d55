import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ReportChange, ReportSubject } from '../../contract/settings/report-settings';
import { studySpecSchema } from '../../contract/study/study';
import {
  changeReportSettings,
  readReportSettings,
  type SettingsPaths,
  type StoredReportSettings,
} from '../../reports/report-settings';
import type { CoreParts } from '../core-parts';

export interface ReportPlaces {
  /** Throws run-unknown, and report-failed for damaged files. */
  read(subject: ReportSubject): Promise<StoredReportSettings>;
  /** Absent fields stay. Throws as `read`, and input-invalid for an unusable logo. */
  change(subject: ReportSubject, change: ReportChange): Promise<StoredReportSettings>;
}

/** Where the words of each report are kept: with its run or study; in the home for what has no folder of its own. */
export function createReportPlaces({
  store,
  layout,
  monitor,
}: Pick<CoreParts, 'store' | 'layout' | 'monitor'>): ReportPlaces {
  const apart = (kind: string, key: string): string =>
    join(
      layout.home,
      'report-texts',
      `${kind}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`,
    );
  const folderOf = async (subject: ReportSubject): Promise<string> => {
    switch (subject.kind) {
      case 'run':
        return (await store.folderOf(subject.runId)).results;
      case 'study':
        return join(layout.matrices, studySpecSchema.shape.name.parse(subject.name));
      case 'comparison':
        return apart('comparison', [...new Set(subject.runIds)].join('\n'));
      case 'monitor':
        return apart('monitor', monitor.watchedName());
    }
  };
  const pathsOf = async (subject: ReportSubject): Promise<SettingsPaths> => ({
    house: layout.reportSettings,
    results: await folderOf(subject),
  });
  return {
    read: async (subject) => readReportSettings(await pathsOf(subject)),
    change: async (subject, change) => changeReportSettings(await pathsOf(subject), change),
  };
}
