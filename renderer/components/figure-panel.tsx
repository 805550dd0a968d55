/** A number that is read first, with what it is and what it comes from. */
export function FigurePanel({
  figure: { label, value, unit, note },
}: {
  figure: { readonly label: string; readonly value: string; readonly unit: string; readonly note: string };
}) {
  return (
    <div className="panel figure">
      <div className="dim small">{label}</div>
      <div className="figure-value">
        {value} <small>{unit}</small>
      </div>
      <div className="dim small figure-note">{note}</div>
    </div>
  );
}
