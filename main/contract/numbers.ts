const grouped = (digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const formats = [grouped(0), grouped(1), grouped(2), grouped(3)] as const;

/** Fixed decimals with thousands separators. */
export const formatFixed = (value: number, digits: 0 | 1 | 2 | 3): string => formats[digits].format(value);

/** Inferences per second: three or more significant digits, thousands separated. */
export function formatRate(inferencesPerSecond: number): string {
  if (!Number.isFinite(inferencesPerSecond)) return '–';
  const digits = inferencesPerSecond >= 1000 ? 0 : inferencesPerSecond >= 100 ? 1 : 2;
  return formatFixed(inferencesPerSecond, digits);
}

/** Microseconds as milliseconds for people, without the unit; "–" for what is not known. */
export function formatMs(us: number | null): string {
  if (us === null || !Number.isFinite(us)) return '–';
  const ms = us / 1000;
  return formatFixed(ms, ms >= 1000 ? 0 : ms >= 100 ? 1 : ms >= 1 ? 2 : 3);
}

/** A latency budget as it was typed: 20, 0.5, 1,500; milliseconds. */
export const formatBudgetMs = (budgetMs: number): string =>
  budgetMs.toLocaleString('en-US', { maximumFractionDigits: 3 });
