import { formatBytes } from '../../contract/numbers';
import { studyStateText } from '../../contract/words';
import type { Core } from '../../core';
import { askToRemove, formatTable, printText } from '../output';
import { localTime } from '../print/local-time';
import { noPdfLine } from '../print/report-lines';
import { paintState } from '../print/terminal';
import { addReportOptions, keepReportChange, reportChangeOf, type ReportOptions } from '../runs/report';
import type { Verb } from '../verb';
import type { ResumeOptions } from './resume-study';

const studyArgument = 'name of a study, as in "studies list"';

function addReadVerbs(program: Verb): void {
  program
    .command('list', { isDefault: true })
    .description('List studies, newest first')
    .reading(async ({ core }) => {
      const found = await core.handlers['studies.list'](undefined);
      const rows = found.map((study) => [
        ...[study.name, paintState(studyStateText(study)), localTime(study.updatedAt)],
        study.sentence,
      ]);
      const header = ['study', 'state', 'updated', 'result'];
      const none = 'No studies yet. Start one: run --matrix FILE';
      return { document: found, lines: () => (found.length === 0 ? none : formatTable(header, rows)) };
    });
  program
    .command('show')
    .description('Show a study: its runs, and the result of each so far')
    .argument('<study>', studyArgument)
    .answer(async ({ core }, name: string) => {
      const { shownStudy } = await import('./show-study');
      return shownStudy(core, name);
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
    .work(async (given, name: string, options: ResumeOptions) => {
      const { resumeStudy } = await import('./resume-study');
      await resumeStudy(given, name, options);
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
      if (problem !== null) output.say(noPdfLine(problem));
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
