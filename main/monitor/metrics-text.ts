/** One value of the Prometheus text format. */
export interface MetricValue {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Triton's own lines have some hundred characters. */
const longestLine = 64 * 1024;
/** Of one line; Triton's own have at most five. */
const mostLabels = 64;
/** The 4,096 models that a sample holds have some ten lines each. */
const mostLines = 200_000;

const lineForm = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?[ \t]+(\S+)(?:[ \t]+-?\d+)?[ \t]*$/;
const labelForm = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,\s*|$)/y;

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_all, character: string) => (character === 'n' ? '\n' : character));

function parseLabels(text: string): Readonly<Record<string, string>> | null {
  const labels: Record<string, string> = {};
  let count = 0;
  labelForm.lastIndex = 0;
  while (labelForm.lastIndex < text.length) {
    const match = labelForm.exec(text);
    count += 1;
    if (match === null || count > mostLabels) return null;
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

/** The text's lines without their newlines, one at a time: a list of them would be larger than the text. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    if (to - from <= longestLine) yield text.slice(from, to);
    from = to + 1;
  }
}

/**
 * The values of Prometheus' text format 0.0.4 in their order; comments, types and lines that cannot be read, are longer
 * than 64 KiB or have more than 64 labels are left out, and so is what follows the 200,000th line. Source: prometheus.io, "Exposition formats".
 */
export function* parseMetrics(text: string): Generator<MetricValue> {
  let lines = 0;
  for (const line of linesOf(text)) {
    if ((lines += 1) > mostLines) return;
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const match = lineForm.exec(trimmed);
    if (match === null) continue;
    const labels = parseLabels(match[2] ?? '');
    const value = parseValue(match[3] ?? '');
    if (labels !== null && value !== null) yield { name: match[1] ?? '', labels, value };
  }
}
