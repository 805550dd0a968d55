import type { RunSummary } from '../../../main/contract/api';
import { formatCount } from '../../../main/contract/numbers';
import { runStatusText } from '../../format/words';
import { type ChosenFacets, type Facet, facetCounts, facets } from './filter-runs';

const facetText: Readonly<Record<Facet, string>> = {
  status: 'State',
  preset: 'Model',
  engine: 'Engine',
  tag: 'Tag',
};

const mostChips = 8;

const isStatus = (value: string): value is keyof typeof runStatusText => Object.hasOwn(runStatusText, value);

export function FilterChips(props: {
  runs: readonly RunSummary[];
  chosen: ChosenFacets;
  titleOf: (preset: string) => string;
  onChange: (chosen: ChosenFacets) => void;
}) {
  const { runs, chosen, onChange } = props;
  const textOf = (facet: Facet, value: string): string => {
    if (facet === 'status' && isStatus(value)) return runStatusText[value];
    return facet === 'preset' ? props.titleOf(value) : value;
  };
  const groups = facets
    .map((facet) => ({ facet, counts: facetCounts(runs, facet) }))
    .filter(({ facet, counts }) => counts.length > (facet === 'tag' ? 0 : 1));
  if (groups.length === 0) return null;
  return (
    <div className="chips">
      {groups.map(({ facet, counts }) => (
        <div
          key={facet}
          className="row wrap chip-group"
          role="group"
          aria-label={`Filter by ${facetText[facet]}`}
        >
          <span className="dim">{facetText[facet]}</span>
          {counts.slice(0, mostChips).map(([value, count]) => {
            const values = chosen[facet] ?? [];
            const pressed = values.includes(value);
            return (
              <button
                key={value}
                type="button"
                className="plain-button chip"
                aria-pressed={pressed}
                onClick={() =>
                  onChange({
                    ...chosen,
                    [facet]: pressed ? values.filter((one) => one !== value) : [...values, value],
                  })
                }
              >
                {textOf(facet, value)} <span className="chip-count">{formatCount(count)}</span>
              </button>
            );
          })}
        </div>
      ))}
    </div>
  );
}
