import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Handlers } from '../../contract/api';
import type { SearchStrategy } from '../../contract/study/search';
import type { Study } from '../../contract/study/study';
import { duelAnswer } from '../../domain/study/duel/duel-answer';
import { duelOf } from '../../domain/study/duel/duel-study';
import { jointAnswer } from '../../domain/study/joint/joint-answer';
import { jointCommands, jointOf } from '../../domain/study/joint/joint-study';
import { searchAnswer } from '../../domain/study/search/search-answer';
import { searchOf } from '../../domain/study/search/search-study';
import { answerOfSoak, soakedOf, soakOf } from '../../domain/study/soak/soak-study';
import { answerOfUpgrade, upgradeOf } from '../../domain/study/upgrade/upgrade-study';
import type { StoredReportSettings } from '../../reports/report-settings';
import { type StudyFile, writeStudyFiles, type WrittenStudy } from '../../reports/study-files';
import type { CoreParts } from '../core-parts';
import { createReportPlaces } from '../reports/report-places';

async function reportFiles(
  study: Study,
  how: { readonly generatedAt: string; readonly settings: StoredReportSettings },
  configsOf: Handlers['searches.configs'],
): Promise<readonly StudyFile[]> {
  const { name, searched } = study;
  const soak = soakOf(study);
  if (soak !== null) {
    const { soakFiles } = await import('../../reports/soak-report');
    return soakFiles({ name, ...how, soak, soaked: soakedOf(study), answer: answerOfSoak(study, soak) });
  }
  const upgrade = upgradeOf(study);
  if (upgrade !== null) {
    const { upgradeFiles } = await import('../../reports/upgrade-report');
    const answer = answerOfUpgrade(study, upgrade);
    return upgradeFiles({ name, ...how, homeFolder: homedir(), upgrade, answer });
  }
  const duel = duelOf(study);
  if (duel !== null) {
    const { duelFiles } = await import('../../reports/duel-report');
    return duelFiles({ name, ...how, duel, answer: duelAnswer(duel, searched) });
  }
  const joint = jointOf(study);
  if (joint !== null) {
    const { jointFiles } = await import('../../reports/joint-report');
    const configs = await Promise.all(
      joint.models.map((_model, at) => configsOf({ name, model: at + 1 }).catch(() => null)),
    );
    return jointFiles({
      ...{ name, ...how, joint, searched, configs, commands: jointCommands(study, joint) },
      answer: jointAnswer(joint, searched),
    });
  }
  const { searchFiles } = await import('../../reports/search-report');
  const search = searchOf(study) as SearchStrategy;
  // Without its run there are none.
  const configs = await configsOf({ name }).catch(() => null);
  return searchFiles({
    ...{ name, ...how, search, searched, configs, answer: searchAnswer(search, searched) },
  });
}

/** Writes the report of a study that measures by itself. Throws disk-full, file-unwritable. @param out absent: in the home */
export async function writeStudyReport(
  parts: CoreParts,
  study: Study,
  configsOf: Handlers['searches.configs'],
  out?: string,
): Promise<WrittenStudy> {
  const { name } = study;
  const settings = await createReportPlaces(parts).read({ kind: 'study', name });
  const how = { generatedAt: parts.now().toISOString(), settings };
  const files = await reportFiles(study, how, configsOf);
  const dir = out === undefined ? join(parts.layout.matrices, name) : resolve(out);
  return writeStudyFiles(dir, files, parts.options.printPdf);
}
