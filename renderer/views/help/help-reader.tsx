import { CloseButton, TextInput } from '@mantine/core';
import { IconArrowLeft, IconBook, IconListDetails, IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { Document } from '../../../main/contract/calls/application-calls';
import { IconButton } from '../../components/actions';
import { ErrorPanel } from '../../components/error-panel';
import { onText } from '../../handlers';
import type { PagePlace } from '../../stores/help';
import { useWorkbench } from '../../workbench';
import { articleOf } from './article';
import { HelpContents, HelpResults } from './help-lists';
import { MarkdownView } from './markdown-view';
import { type Find, searchOf } from './search';

/** The palette gives the focus back after 10 ms: the search box takes it after that. */
const focusMs = 50;

function usePageArticle(): PagePlace {
  const { route, runs } = useWorkbench();
  const shown = useStore(route, (state) => state.route);
  const hasRuns = useStore(runs, (state) => (state.value ?? []).length > 0);
  return useMemo(() => articleOf(shown, hasRuns), [shown, hasRuns]);
}

/** null: the articles are being read. */
function useFind(documents: readonly Document[]): Find | null {
  const [find, setFind] = useState<Find | null>(null);
  useEffect(() => {
    void searchOf(documents).then((made) => setFind(() => made));
  }, [documents]);
  return find;
}

function Reader({ documents, place }: { documents: readonly Document[]; place: PagePlace }) {
  const { help } = useWorkbench();
  const { open, back, close, before } = useStore(help);
  // Both end with the place that they were begun at.
  const [typed, setTyped] = useState<{ at: PagePlace; text: string } | null>(null);
  const [at, setAt] = useState(0);
  const [listed, setListed] = useState<PagePlace | null>(null);
  const search = typed?.at === place ? typed.text : '';
  const listing = listed === place;
  const input = useRef<HTMLInputElement>(null);
  const own = usePageArticle();
  const find = useFind(documents);
  const results = useMemo(() => find?.(search) ?? [], [find, search]);
  const known = useMemo(() => new Set(documents.map(({ id }) => id)), [documents]);
  useEffect(() => {
    const timer = setTimeout(() => input.current?.focus(), focusMs);
    return () => clearTimeout(timer);
  }, []);
  const searching = search.trim() !== '';
  const chosen = Math.min(at, Math.max(0, results.length - 1));
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const by = event.key === 'ArrowDown' ? 1 : -1;
      if (results.length > 0) setAt((chosen + by + results.length) % results.length);
    } else if (event.key === 'Enter') {
      const result = results[chosen];
      if (result !== undefined) open(result.place);
    }
  };
  const article = documents.find(({ id }) => id === place.page);
  const isOwn = own.page === place.page && own.heading === place.heading;
  return (
    <>
      <div className="row help-head">
        <TextInput
          ref={input}
          className="help-search"
          size="xs"
          aria-label="Search the documentation"
          placeholder="Search the documentation"
          role="combobox"
          aria-expanded={searching}
          aria-controls="help-results"
          aria-activedescendant={searching && results.length > 0 ? `help-result-${chosen}` : undefined}
          leftSection={<IconSearch size={14} aria-hidden="true" />}
          value={search}
          onChange={onText((text) => {
            setTyped({ at: place, text });
            setAt(0);
          })}
          onKeyDown={onKey}
        />
        <IconButton icon={IconArrowLeft} label="Back" disabled={before.length === 0} onClick={back} />
        <IconButton icon={IconBook} label="Article of this page" disabled={isOwn} onClick={() => open(own)} />
        <IconButton
          icon={IconListDetails}
          label="Contents"
          aria-pressed={listing}
          onClick={() => {
            setTyped(null);
            setListed(listing ? null : place);
          }}
        />
        <CloseButton aria-label="Close documentation" title="Close (Escape)" size="sm" onClick={close} />
      </div>
      {searching && find !== null ? (
        <HelpResults results={results} search={search} chosen={chosen} open={open} />
      ) : null}
      {listing && !searching ? <HelpContents documents={documents} page={place.page} open={open} /> : null}
      {article === undefined || searching || listing ? null : (
        <MarkdownView key={article.id} text={article.text} at={place} known={known} open={open} />
      )}
    </>
  );
}

export function HelpReader({ place }: { place: PagePlace }) {
  const { documents } = useWorkbench();
  const { value, error, load } = useStore(documents);
  useEffect(() => {
    if (value === null) void load();
  }, [value, load]);
  if (error !== null) return <ErrorPanel error={error} />;
  return value === null ? (
    <p className="dim help-none">Loading…</p>
  ) : (
    <Reader documents={value} place={place} />
  );
}
