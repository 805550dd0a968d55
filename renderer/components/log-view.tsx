import { useEffect, useMemo, useRef } from 'react';
import { levelOfLine } from '../format/log-level';
import { cutAt } from '../format/log-search';
import { lineAtRow, topsOf, withoutTabs } from '../format/wrapped-rows';
import type { LineList } from '../stores/logs/line-ring';
import { useScrolled } from './use/use-scrolled';

/** Pixels; as in the style sheet. */
const lineHeight = 18;
const sidePadding = 24;
/** Width of a letter of the 12 px fixed-width fonts: 0.6 em in all of them. */
const letterWidth = 7.23;
const spare = 20;

/** Only the lines in view are in the document. */
export function LogView(props: {
  lines: LineList;
  /** Changes with `lines`, which is mutated in place. */
  version: number;
  search: string;
  marked: number | null;
  follow: boolean;
  onFollow: (follow: boolean) => void;
  /** Breaks long lines instead of scrolling sideways. */
  wrap?: boolean;
  empty: string;
}) {
  const { lines, version, search, marked, follow, onFollow, wrap = false } = props;
  const place = useRef<HTMLDivElement>(null);
  const [view, scrolled] = useScrolled(place);
  const count = lines.length;
  const columns = Math.max(1, Math.floor((view.width - sidePadding) / letterWidth));
  const { tops } = useMemo(
    () => ({ version, tops: wrap ? topsOf(lines, columns) : null }),
    [wrap, lines, columns, version],
  );
  const topOf = (index: number): number => (tops === null ? index : (tops[index] ?? 0)) * lineHeight;
  const indexAt = (px: number): number => {
    const row = Math.floor(px / lineHeight);
    return tops === null ? row : lineAtRow(tops, Math.max(0, row));
  };
  const markedTop = marked === null ? null : topOf(marked);

  useEffect(() => {
    const element = place.current;
    if (follow && element !== null) element.scrollTop = element.scrollHeight;
  }, [follow, version, count, tops]);

  useEffect(() => {
    const element = place.current;
    if (markedTop === null || element === null) return;
    const inView =
      markedTop >= element.scrollTop && markedTop + lineHeight <= element.scrollTop + element.clientHeight;
    if (!inView) element.scrollTop = markedTop - element.clientHeight / 2;
  }, [markedTop]);

  const first = Math.max(0, indexAt(view.top) - spare);
  const last = Math.min(count, indexAt(view.top + view.height) + 1 + spare);
  const inReach = Array.from({ length: Math.max(0, last - first) }, (_unused, offset) => ({
    index: first + offset,
    text: withoutTabs(lines.at(first + offset) ?? ''),
  }));
  return (
    <div
      ref={place}
      className={wrap ? 'log mono wrapped' : 'log mono'}
      role="log"
      aria-label="Log"
      aria-live="off"
      tabIndex={0}
      onScroll={(event) => {
        const element = event.currentTarget;
        const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < lineHeight;
        // Only the reader scrolls upwards.
        if (element.scrollTop < view.top && !atEnd && follow) onFollow(false);
        scrolled();
      }}
    >
      {count === 0 ? <p className="column dock-list dim">{props.empty}</p> : null}
      <div style={{ height: topOf(count), position: 'relative' }}>
        {inReach.map(({ index, text }) => (
          <div
            key={index}
            className={index === marked ? 'log-line marked' : 'log-line'}
            data-level={levelOfLine(text) ?? undefined}
            style={{ transform: `translateY(${topOf(index)}px)` }}
          >
            {cutAt(text, search).map((part, at) =>
              part.hit ? <mark key={at}>{part.text}</mark> : part.text,
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
