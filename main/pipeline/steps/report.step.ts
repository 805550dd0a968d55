import { scenarios } from '../../contract/run-events';
import { writeReports } from '../../reports/write-reports';
import { reportNames } from '../../store/report-files';
import { reportContext } from '../report-context';
import type { Step } from '../step';

/** CSV, HTML, PDF and JSON from the journal. */
export const reportStep: Step = {
  id: 'report',
  kind: 'record',
  needs: ['online', 'offline', 'accuracy'],
  deadlineS: 300,
  inputs: (run) => Promise.resolve(run.spec),
  async run(context) {
    const { run } = context;
    // The report is the last step: what it shows is the state that the run ends with.
    const lacking = run
      .state()
      .steps.some(({ id, status }) => status === 'failed' && scenarios.some((scenario) => scenario === id));
    const state = { ...run.state(), status: lacking ? ('failed' as const) : ('done' as const) };
    const files = await writeReports({
      state,
      context: await reportContext(run.preset, run.spec, {
        resources: run.services.resources,
        now: run.services.now(),
      }),
      dir: run.folder.results,
      signal: context.signal,
      printPdf: run.services.printPdf,
    });
    context.log(files.map(({ kind, path }) => `Wrote ${kind}: ${path}`));
    await run.append({ type: 'report', files: reportNames(files) });
    return {};
  },
};
