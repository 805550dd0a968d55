import type { Command } from 'commander';
import { WorkbenchError } from '../contract/errors';
import { type ComparedValue, compareLevels } from '../contract/measured/compare-levels';
import {
  type Criterion,
  judgeComparison,
  type JudgedLevel,
  type Outcome,
  outcomeOfAll,
  parseCriterion,
  ratioText,
  sweepsOf,
} from '../contract/measured/comparison-gate';
import { comparisonSentences, meaningOf, ratioWords } from '../contract/measured/comparison-text';
import { formatMeasured, formatRate, missing } from '../contract/numbers';
import type { RunState } from '../contract/run/run-state';
import { sweepTitle } from '../contract/run/sweep';
import type { CliContext } from './context';
import { exitCodes, formatTable } from './output';
import { resolveRunId } from './read-values';

interface CompareOptions {
  readonly failIf?: readonly string[];
  readonly markdown?: boolean;
  readonly json?: boolean;
}

const exitOf: Readonly<Record<Outcome, number>> = {
  within: exitCodes.done,
  outside: exitCodes.outside,
  unclear: exitCodes.unclear,
};
const outcomeText: Readonly<Record<Outcome, string>> = {
  within: 'within',
  outside: 'outside',
  unclear: 'cannot be told: the noise is larger than the distance, or not known',
};

const header = [
  ...['Level', 'Batch', 'Throughput A', 'Throughput B', 'B/A'],
  ...['p99 A [ms]', 'p99 B [ms]', 'B/A'],
] as const;

const wordsOf = (value: ComparedValue | undefined, higherIsBetter: boolean): string =>
  value === undefined ? missing : ratioWords(value, meaningOf(value, higherIsBetter));

/** A table a sweep: every level that one of the two has measured. */
function tablesOf(first: RunState, second: RunState) {
  const sweeps = [...new Set([...sweepsOf(first), ...sweepsOf(second)])];
  return sweeps.map((sweep) => {
    const levels = compareLevels([first, second], sweep);
    const rows = levels.map(({ level, batchSize, runs: [a = null, b = null] }) => [
      ...[String(level), String(batchSize)],
      ...[formatRate(a?.throughput.value), formatRate(b?.throughput.value)],
      wordsOf(b?.throughput, true),
      ...[formatMeasured(a?.p99Ms.value), formatMeasured(b?.p99Ms.value)],
      wordsOf(b?.p99Ms, false),
    ]);
    return { title: sweepTitle[sweep], levels, rows };
  });
}

const markdownTable = (rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

function judgedLine({ criterion, sweep, level, batchSize, outcome, ...ratio }: JudgedLevel): string {
  const size = sweep === 'batchSize' ? '' : `, batch size ${batchSize}`;
  const at = `${sweepTitle[sweep].toLowerCase()} ${level}${size}`;
  return `${criterion.text}: ${at}: ${ratioText(ratio)}, ${outcomeText[outcome]}`;
}

function verdictLines(criteria: readonly Criterion[], judged: readonly JudgedLevel[]): readonly string[] {
  return criteria.flatMap((criterion) => {
    const own = judged.filter((one) => one.criterion === criterion);
    if (own.length === 0) return [`${criterion.text}: cannot be told: the runs have no level in common`];
    const telling = own.filter(({ outcome }) => outcome !== 'within');
    if (telling.length === 0) {
      return [
        `${criterion.text}: within at ${own.length === 1 ? 'the common level' : `all ${own.length} common levels`}`,
      ];
    }
    return telling.map(judgedLine);
  });
}

/** `compare`: two runs level by level, and a gate for CI that knows the noise. */
export function addCompare(program: Command, context: CliContext): void {
  program
    .command('compare')
    .description('Compare run B with run A, level by level, noise taken into account')
    .argument('<run-a>', 'the run to compare with: an id, the beginning of one, latest or latest~N')
    .argument('<run-b>', 'the run to judge')
    .option(
      '--fail-if <criterion...>',
      'exit with code 3 if a common level is beyond it, as "p99>1.1x" or "throughput<0.95x", and with 4 if that cannot be told',
    )
    .option('--markdown', 'Markdown, for a pull request')
    .option('--json', 'print one JSON document to stdout')
    .action(async (a: string, b: string, options: CompareOptions) => {
      const output = context.output(options);
      const core = await context.core();
      const criteria = (options.failIf ?? []).map(parseCriterion);
      const [idA, idB] = [await resolveRunId(core, a), await resolveRunId(core, b)];
      if (idA === idB) throw new WorkbenchError('input-invalid', `${a} and ${b} are the same run`);
      const [{ state: first }, { state: second }] = [await core.getRun(idA), await core.getRun(idB)];
      const tables = tablesOf(first, second);
      const judged = judgeComparison(first, second, criteria);
      const outcome = criteria.length === 0 ? null : outcomeOfAll(judged);
      const sentences = tables.flatMap(({ title, levels }) =>
        comparisonSentences(levels, ['A', 'B']).map((sentence) => `${title}: ${sentence}`),
      );
      const verdict = verdictLines(criteria, judged);
      if (output.json) {
        const levels = Object.fromEntries(tables.map((table) => [table.title, table.levels]));
        output.document({ a: idA, b: idB, outcome, judged, sentences, levels });
      } else if (options.markdown === true) {
        output.say(`**A** \`${idA}\`, **B** \`${idB}\`\n`);
        for (const { title, rows } of tables) output.say(`#### ${title}\n\n${markdownTable(rows)}\n`);
        for (const line of [...sentences, ...verdict]) output.say(`- ${line}`);
      } else {
        output.say(`A: ${idA}`);
        output.say(`B: ${idB}`);
        for (const { title, rows } of tables) output.say(`\n${title}\n${formatTable([...header], rows)}`);
        output.say('');
        for (const line of [...sentences, ...verdict]) output.say(line);
      }
      if (outcome !== null) context.exit(exitOf[outcome]);
    });
}
