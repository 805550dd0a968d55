import { appendFile } from 'node:fs/promises';

/** Written by `npm run test:faults`; without it a part runs with its small numbers, as in `npm test`. */
const rowsFile = process.env['WORKBENCH_FAULTS_ROWS'];

/** True for the whole campaign, false for the short one. */
export const isWholeCampaign = rowsFile !== undefined;

/** Decides where faults hit: the same number hits the same places. */
export const campaignSeed = Number(process.env['WORKBENCH_FAULTS_SEED'] ?? '20260101');

/** How many faults: `whole` by `npm run test:faults`, `short` in `npm test`. */
export const howMany = (whole: number, short: number): number => (isWholeCampaign ? whole : short);

/** True by a command that takes whole files of which `npm test` takes some tests: `vitest.config.ts` says which. */
export const takesAll = process.env['WORKBENCH_CAMPAIGN'] === 'all';

/** All of them by `npm run test:inputs`, and in `npm test` the first and every fourth after it. */
export const someOf = <Row>(rows: readonly Row[]): readonly Row[] =>
  takesAll ? rows : rows.filter((_row, at) => at % 4 === 0);

/** One row of docs/reliability.md. */
interface CampaignRow {
  readonly what: string;
  /** Faults that were injected, as counted. */
  readonly trials: number;
  /** As counted, whether it is good or bad: "0 records lost, 0 doubled". */
  readonly result: string;
}

/** Keeps the row for docs/reliability.md. To be called before the result is judged: also a bad one stands there. */
export async function printRow(row: CampaignRow): Promise<void> {
  if (rowsFile !== undefined) await appendFile(rowsFile, `${JSON.stringify(row)}\n`);
}
