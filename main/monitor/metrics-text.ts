/** One value of the Prometheus text format. */
export interface MetricValue {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const lineForm = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?[ \t]+(\S+)(?:[ \t]+-?\d+)?[ \t]*$/;
const labelForm = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,\s*|$)/y;

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_all, character: string) => (character === 'n' ? '\n' : character));

function parseLabels(text: string): Readonly<Record<string, string>> | null {
  const labels: Record<string, string> = {};
  labelForm.lastIndex = 0;
  while (labelForm.lastIndex < text.length) {
    const match = labelForm.exec(text);
    if (match === null) return null;
    labels[match[1] ?? ''] = unescaped(match[2] ?? '');
  }
  return labels;
}

/** "+Inf", "-Inf" and "NaN" are Prometheus' own; Number() knows the other forms of Go. */
function parseValue(text: string): number | null {
  if (/^\+?Inf$/i.test(text)) return Infinity;
  if (/^-Inf$/i.test(text)) return -Infinity;
  if (/^NaN$/i.test(text)) return NaN;
  const value = Number(text);
  return Number.isNaN(value) ? null : value;
}

/**
 * The values of Prometheus' text format 0.0.4 in their order; comments, types and lines that cannot be read are left out.
 * Source: prometheus.io, "Exposition formats".
 */
export function parseMetrics(text: string): readonly MetricValue[] {
  const values: MetricValue[] = [];
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const match = lineForm.exec(trimmed);
    if (match === null) continue;
    const labels = parseLabels(match[2] ?? '');
    const value = parseValue(match[3] ?? '');
    if (labels !== null && value !== null) values.push({ name: match[1] ?? '', labels, value });
  }
  return values;
}
