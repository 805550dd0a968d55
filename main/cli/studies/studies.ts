import { formatBytes } from '../../contract/numbers';
import type { StudySummary } from '../../contract/study/study';
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
import { askToRemove, formatError, formatTable, printText } from '../output';
import { localTime } from '../print/local-time';
import { paintState } from '../print/terminal';
import { addReportOptions, keepReportChange, reportChangeOf, type ReportOptions } from '../runs/report';
import type { Verb } from '../verb';

const studyArgument = 'name of a study, as in "studies list"';

const studyStateText = ({ state, interrupted }: Pick<StudySummary, 'state' | 'interrupted'>): string =>
  interrupted ? `${state} (interrupted)` : state;

/** On demand: a list of studies needs none of what measures them. */
async function loadMeasuring() {
  const [search, joint, duel, soak, upgrade, study] = await Promise.all([
    import('../search/search'),
    import('../search/joint'),
    import('../compare/duel'),
    import('../soak/work-on-soak'),
    import('../upgrade/work-on-upgrade'),
    import('../study'),
  ]);
  return { ...search, ...joint, ...duel, ...soak, ...upgrade, ...study };
}

/** Why a study cannot be resumed by its name. */
function notKept({ state, isKept }: StudySummary): readonly string[] {
  if (state === 'damaged') return ['  its journal is damaged: it can be removed, but not continued'];
  if (state === 'newer')
    return ['  written by a newer version of the workbench: update this one to continue it'];
  return isKept ? [] : ['  written by an earlier version: continue it with run --matrix FILE --resume'];
}

function addReadVerbs(program: Verb): void {
  program
    .command('list', { isDefault: true })
    .description('List studies, newest first')
    .reading(async ({ core }) => {
      const found = await core.handlers['studies.list'](undefined);
      const rows = found.map((study) => [
        ...[study.name, paintState(studyStateText(study)), study.sentence],
        localTime(study.updatedAt),
      ]);
      const header = ['study', 'state', 'runs', 'updated'];
      const none = 'No studies yet. Start one: run --matrix FILE';
      return { document: found, lines: () => (found.length === 0 ? none : formatTable(header, rows)) };
    });
  program
    .command('show')
    .description('Show a study: its runs, and the result of each so far')
    .argument('<study>', studyArgument)
    .answer(async ({ core }, name: string) => {
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
      const {
        answerLines,
        configsOf,
        duelLines,
        jointLines,
        soakDocumentOf,
        soakLines,
        tableOf,
        upgradeLines,
      } = await loadMeasuring();
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
          ? [tableOf(matrixColumns(results), results)]
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
    });
}

const stops = [
  {
    verb: 'pause',
    description: 'Start no further run, and stop the run in progress before its next level or step',
    said: 'Pausing',
  },
  { verb: 'cancel', description: 'Start no further run, and cancel those in progress', said: 'Cancelling' },
] as const;

function addStops(program: Verb): void {
  for (const { verb, description, said } of stops) {
    program
      .command(verb)
      .description(`${description}; continue the study with "studies resume"`)
      .argument('<study>', studyArgument)
      .answer(async ({ core }, name: string) => {
        await core.handlers[`studies.${verb}`]({ name });
        return { document: { name, requested: true }, lines: () => `${said} ${name}.` };
      });
  }
}

interface ResumeOptions {
  readonly out?: string;
  readonly trust?: boolean;
  readonly allowRemoteLoad?: boolean;
  readonly detach?: boolean;
  readonly verbose?: boolean;
}

function addResume(program: Verb): void {
  program
    .command('resume')
    .description('Continue a study: complete runs are kept, the others continue or start')
    .argument('<study>', studyArgument)
    .option('--out <dir>', 'folder of the report; default: in the workbench home')
    .option('--trust', 'approve the files, images, hosts and clusters that its runs name')
    .option('--allow-remote-load', 'allow load on another machine (remote engine)')
    .option('--detach', 'with jobs (--engine slurm or kubernetes): submit them and return; the jobs continue')
    .option('--verbose', 'show the log of the steps')
    .work(async ({ core, output, exit }, name: string, options: ResumeOptions) => {
      const { trust = false, allowRemoteLoad = false, ...how } = options;
      const spec = await core.handlers['studies.specOf']({ name });
      const search = searchOf({ spec });
      const { workOnDuel, workOnJoint, workOnSearch, workOnSoak, workOnStudy, workOnUpgrade } =
        await loadMeasuring();
      if (search !== null) {
        exit(await workOnSearch(core, { spec, search }, output, true));
        return;
      }
      const joint = jointOf({ spec });
      if (joint !== null) {
        exit(await workOnJoint(core, { spec, joint }, output, true));
        return;
      }
      const duel = duelOf({ spec });
      if (duel !== null) {
        exit(await workOnDuel(core, { spec, duel }, output, { resume: true }));
        return;
      }
      const soak = soakOf({ spec });
      if (soak !== null) {
        exit(await workOnSoak(core, { spec, soak }, output, { resume: true }));
        return;
      }
      const upgrade = upgradeOf({ spec });
      if (upgrade !== null) {
        exit(await workOnUpgrade(core, { spec, upgrade }, output, { resume: true }));
        return;
      }
      const consent = { trust, allowRemoteLoad };
      exit(await workOnStudy(core, spec, output, { ...how, consent, resume: true }));
    }, 'print one JSON document to stdout; messages go to stderr');
}

function addReport(program: Verb): void {
  const report = program
    .command('report')
    .description('Write the report of a study again from its journal')
    .argument('<study>', studyArgument);
  addReportOptions(report)
    .checking(reportChangeOf)
    .answer(async ({ core, output }, name: string, options: ReportOptions) => {
      await core.handlers['studies.show']({ name });
      await keepReportChange(core, { kind: 'study', name }, options);
      const { files, problem } = await core.handlers['studies.report']({ name });
      if (problem !== null) output.say(formatError(problem));
      return {
        document: { name, reports: files },
        lines: () => files.map(({ kind, path }) => `${kind}: ${path}`),
      };
    });
}

interface RemoveOptions {
  readonly withRuns?: boolean;
  readonly yes?: boolean;
}

async function removalText(core: Core, name: string, withRuns: boolean): Promise<string> {
  const { runIds, runBytes } = await core.handlers['studies.size']({ name });
  const runs = `${runIds.length} ${runIds.length === 1 ? 'run' : 'runs'} (${formatBytes(runBytes)})`;
  return withRuns
    ? `Study ${name} with its reports; its ${runs} go to the trash`
    : `Study ${name} with its reports; its ${runs} stay. To remove them too, add --with-runs`;
}

function addRemove(program: Verb): void {
  program
    .command('remove')
    .description('Remove a study and its reports; shows its runs and their size, and asks')
    .argument('<study>', studyArgument)
    .option('--with-runs', 'move its runs to the trash; otherwise they stay in the list')
    .option('-y, --yes', 'do not ask')
    .work(async ({ core, output }, name: string, { withRuns = false, yes = false }: RemoveOptions) => {
      const text = await removalText(core, name, withRuns);
      if (!output.json) printText(`${text}\n`, yes ? 'stdout' : 'stderr');
      if (!yes && !(await askToRemove(output, 'studies remove', 'see "studies show"'))) {
        output.say('Nothing was removed.');
        return;
      }
      await core.handlers['studies.remove']({ name, withRuns });
      if (output.json) output.document({ name, removed: true, withRuns });
      else output.say(`${name} removed.`);
    });
}

export function addStudies(program: Verb): void {
  const studies = program
    .command('studies')
    .description('Manage studies: matrices, searches, comparisons, soaks and upgrades');
  addReadVerbs(studies);
  addReport(studies);
  addStops(studies);
  addResume(studies);
  addRemove(studies);
}
