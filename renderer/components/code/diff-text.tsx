interface ShownLine {
  readonly kind: string;
  /** With its sign. */
  readonly text: string;
}

function Line({ line: { kind, text } }: { line: ShownLine }) {
  if (kind === 'added') return <ins>{`${text}\n`}</ins>;
  return kind === 'removed' ? <del>{`${text}\n`}</del> : `${text}\n`;
}

export function DiffText({ lines }: { lines: readonly ShownLine[] }) {
  return (
    <pre className="panel-body config-changes" tabIndex={0}>
      {lines.map((line, at) => (
        <Line key={at} line={line} />
      ))}
    </pre>
  );
}

const heads = /^(---|\+\+\+) /;

function kindOf(line: string): string {
  if (heads.test(line)) return 'head';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'kept';
}

/** Of a difference as `diff -u` writes it. */
export const unifiedLines = (diff: string): readonly ShownLine[] =>
  diff
    .replace(/\n$/, '')
    .split('\n')
    .map((text) => ({ kind: kindOf(text), text }));
