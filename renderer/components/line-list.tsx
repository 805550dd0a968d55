/** Sentences, one below the other. */
export const LineList = ({ lines }: { lines: readonly string[] }) => (
  <ul className="doubts-list">
    {lines.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
);
