import { useEffect, useRef } from 'react';
import type { Document } from '../../../main/contract/calls/application-calls';
import type { PagePlace } from '../../stores/help';
import type { SearchResult } from './search';

type Open = (place: PagePlace) => void;

/** What was found, as it is typed: the list of the search box. */
export function HelpResults(props: {
  results: readonly SearchResult[];
  search: string;
  /** Index of the result that Enter opens. */
  chosen: number;
  open: Open;
}) {
  const { results, search, chosen, open } = props;
  const list = useRef<HTMLDivElement>(null);
  useEffect(
    () => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }),
    [chosen, search],
  );
  return (
    <>
      <div ref={list} className="help-list" role="listbox" id="help-results" aria-label="Found">
        {results.map(({ place, title, heading, excerpt }, index) => (
          <div
            key={`${place.page} ${place.heading ?? ''}`}
            id={`help-result-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="help-result"
            onClick={() => open(place)}
          >
            <div>
              {title}
              {heading === '' ? null : <strong> › {heading}</strong>}
            </div>
            <div className="dim">
              {excerpt.map(({ text, found }, part) => (found ? <mark key={part}>{text}</mark> : text))}
            </div>
          </div>
        ))}
      </div>
      {results.length === 0 ? <p className="dim help-none">No article has “{search}”.</p> : null}
    </>
  );
}

/** Every article by group. */
export function HelpContents(props: { documents: readonly Document[]; page: string; open: Open }) {
  const { documents, page, open } = props;
  return (
    <nav className="help-list" aria-label="Contents">
      {[...new Set(documents.map(({ group }) => group))].map((group) => (
        <section key={group}>
          <h3 className="dim">{group}</h3>
          {documents
            .filter((one) => one.group === group)
            .map(({ id, title }) => (
              <button
                key={id}
                type="button"
                className="plain-button"
                aria-current={id === page ? 'page' : undefined}
                onClick={() => open({ page: id, heading: null })}
              >
                {title}
              </button>
            ))}
        </section>
      ))}
    </nav>
  );
}
