import { present } from '../../contract/trees';
import { limitsDocument, limitsLines } from '../../domain/measured/limits/limits';
import { startDuel } from '../compare/duel';
import { readDuration, readNumber, resolveRunId, runArgument } from '../read-values';
import type { Verb } from '../verb';

interface LimitsOptions {
  readonly try?: number;
  readonly budget?: string;
  readonly name?: string;
  readonly dryRun?: boolean;
}

/** `limits`: what limits a run, and what a suggested change brings. */
export function addLimits(program: Verb): void {
  program
    .command('limits')
    .description('Show what limits a run, and measure a suggested change against its present configuration')
    .argument('<run>', runArgument)
    .option('--try <n>', 'measure this suggestion in turns with the present configuration', (text) =>
      readNumber('--try', text),
    )
    .option('--budget <time>', 'with --try: maximum time under load, e.g. 2m; default: 5m')
    .option('--name <name>', 'with --try: name of the study; default: try-<date>-<time>')
    .option('--dry-run', 'with --try: show what would be measured; nothing is started')
    .work(async ({ core, output, exit }, given: string, options: LimitsOptions) => {
      const runId = await resolveRunId(core, given);
      const { name, dryRun, budget, try: suggestion } = options;
      if (suggestion !== undefined) {
        const budgetS = budget === undefined ? undefined : readDuration('--budget', budget, 's');
        const plan = await core.handlers['duels.plan']({
          between: { runId, suggestion },
          ...present({ name, budgetS }),
        });
        exit(await startDuel(core, plan, output, present({ dryRun })));
        return;
      }
      const { state } = await core.handlers['runs.show']({ runId });
      if (output.json) output.document(limitsDocument(state));
      else for (const line of limitsLines(state)) output.say(line);
    });
}
