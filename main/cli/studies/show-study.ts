import type { StudySummary } from '../../contract/study/study';
import { studyStateText } from '../../contract/words';
import type { Core } from '../../core';
import { matrixColumns, matrixDocument } from '../../domain/measured/matrix';
import { durationText } from '../../domain/run/time-left';
import { duelAnswer } from '../../domain/study/duel/duel-answer';
import { duelOf } from '../../domain/study/duel/duel-study';
import { jointAnswer } from '../../domain/study/joint/joint-answer';
import { jointOf } from '../../domain/study/joint/joint-study';
import { searchAnswer } from '../../domain/study/search/search-answer';
import { searchOf } from '../../domain/study/search/search-study';
import { answerOfSoak, soakOf } from '../../domain/study/soak/soak-study';
import { detailOf } from '../../domain/study/study-detail';
import { answerOfUpgrade, upgradeOf } from '../../domain/study/upgrade/upgrade-study';
import { duelLines } from '../compare/duel';
import { formatError } from '../print/format-error';
import { jointLines } from '../search/joint';
import { answerLines, configsOf } from '../search/search';
import { soakDocumentOf, soakLines } from '../soak/work-on-soak';
import { lengthTable, tableOf } from '../study';
import { upgradeLines } from '../upgrade/work-on-upgrade';
import type { Answer } from '../verb';

/** Why a study cannot be resumed by its name. */
function notKept({ state, isKept }: StudySummary): readonly string[] {
  if (state === 'damaged') return ['  its journal is damaged: it can be removed, but not continued'];
  if (state === 'newer')
    return ['  written by a newer version of the workbench: update this one to continue it'];
  return isKept ? [] : ['  written by an earlier version: continue it with run --matrix FILE --resume'];
}

/** `studies show`: its runs, and the answer of its kind. */
export async function shownStudy(core: Core, name: string): Promise<Answer> {
  const shown = await core.handlers['studies.show']({ name });
  const { study, summary, results } = shown;
  const { secondsLeft, underWay } = detailOf(shown, Date.now());
  const { runs, ...document } = matrixDocument(name, results);
  const search = study === null ? null : searchOf(study);
  const duel = study === null ? null : duelOf(study);
  const about = { study: { ...summary, secondsLeft, underWay } };
  const joint = study === null ? null : jointOf(study);
  const soak = study === null ? null : soakOf(study);
  const upgrade = study === null ? null : upgradeOf(study);
  const configs = search === null ? null : await configsOf(core, name);
  const documentOf = () => {
    if (study !== null && search !== null) {
      return { ...about, search, answer: searchAnswer(search, study.searched), configs };
    }
    if (study !== null && joint !== null) {
      return { ...about, joint, answer: jointAnswer(joint, study.searched) };
    }
    if (study !== null && duel !== null) {
      return { ...about, duel, answer: duelAnswer(duel, study.searched) };
    }
    if (study !== null && soak !== null) {
      return { ...about, ...soakDocumentOf(soak, answerOfSoak(study, soak)) };
    }
    if (study !== null && upgrade !== null) {
      return { ...about, upgrade, answer: answerOfUpgrade(study, upgrade) };
    }
    return { ...document, ...about, runs };
  };
  const ownLines = () => {
    if (study !== null && search !== null) return answerLines(search, study.searched, configs);
    if (study !== null && joint !== null) return jointLines(joint, study.searched);
    if (study !== null && soak !== null) return soakLines(answerOfSoak(study, soak));
    if (study !== null && upgrade !== null) return upgradeLines(answerOfUpgrade(study, upgrade));
    return study === null || duel === null
      ? [tableOf(matrixColumns(results), results), lengthTable(results)].filter((text) => text !== null)
      : duelLines(duel, study.searched);
  };
  return {
    document: documentOf(),
    lines: () => [
      `${name}: ${studyStateText(summary)}, ${summary.sentence}`,
      ...(secondsLeft === null ? [] : [`  about ${durationText(secondsLeft)} left`]),
      ...underWay.map((line) => `  ${line}`),
      ...notKept(summary),
      ...(summary.error === null ? [] : [formatError(summary.error)]),
      ...ownLines(),
    ],
  };
}
