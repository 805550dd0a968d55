import { useEffect, useRef, useState } from 'react';
import { cutAt } from '../format/log-search';

/** Pixels; as in the style sheet. */
const lineHeight = 18;
const spare = 20;

/** The lines in view and some around them; a log of 200,000 lines costs no more than a short one. */
export function LogView(props: {
  lines: readonly string[];
  /** The list grows in place: this, not its identity, says that it has changed. */
  version: number;
  /** Indices of the only lines to show; null for all. */
  shown: readonly number[] | null;
  search: string;
  /** Index of the line that the reader has jumped to. */
  marked: number | null;
  follow: boolean;
  onFollow: (follow: boolean) => void;
  /** Instead of lines, while there are none. */
  empty: string;
}) {
  const { lines, version, shown, search, marked, follow, onFollow } = props;
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 300 });
  const count = shown?.length ?? lines.length;

  useEffect(() => {
    const element = place.current;
    if (follow && element !== null) element.scrollTop = element.scrollHeight;
  }, [follow, version, count]);

  useEffect(() => {
    const element = place.current;
    if (marked === null || element === null) return;
    const top = marked * lineHeight;
    const inView = top >= element.scrollTop && top + lineHeight <= element.scrollTop + element.clientHeight;
    if (!inView) element.scrollTop = top - element.clientHeight / 2;
  }, [marked]);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setView({ top: element.scrollTop, height: element.clientHeight });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);

  const first = Math.max(0, Math.floor(view.top / lineHeight) - spare);
  const last = Math.min(count, Math.ceil((view.top + view.height) / lineHeight) + spare);
  const inReach = Array.from({ length: Math.max(0, last - first) }, (_, offset) => {
    const index = first + offset;
    return { index, text: lines[shown?.[index] ?? index] ?? '' };
  });
  return (
    <div
      ref={place}
      className="log mono"
      role="log"
      aria-label="Log"
      aria-live="off"
      tabIndex={0}
      onScroll={(event) => {
        const element = event.currentTarget;
        const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < lineHeight;
        // Only the reader scrolls upwards.
        if (element.scrollTop < view.top && !atEnd && follow) onFollow(false);
        setView({ top: element.scrollTop, height: element.clientHeight });
      }}
    >
      {count === 0 ? <p className="dock-list dim">{props.empty}</p> : null}
      <div style={{ height: count * lineHeight, position: 'relative' }}>
        {inReach.map(({ index, text }) => (
          <div
            key={index}
            className={index === marked ? 'log-line marked' : 'log-line'}
            style={{ transform: `translateY(${index * lineHeight}px)` }}
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
