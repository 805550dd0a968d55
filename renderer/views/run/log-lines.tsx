import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { ErrorPanel } from '../../components/error-panel';
import { useWorkbench } from '../../workbench';
import { cutAt, matchingLines } from './log-filter';

/** Pixels; as in the style sheet. */
const lineHeight = 18;
const spare = 20;

/** The lines in view and some around them; a log of 200,000 lines costs no more than a short one. */
export function LogLines(props: { search: string; follow: boolean; onFollow: (follow: boolean) => void }) {
  const { search, follow, onFollow } = props;
  const { log } = useWorkbench();
  const { lines, version, error } = useStore(log);
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 300 });
  // The list grows in place: its version, not its identity, says that it has changed.
  const { found } = useMemo(
    () => ({ version, found: matchingLines(lines, search) }),
    [lines, search, version],
  );
  const count = found?.length ?? lines.length;

  useEffect(() => {
    const element = place.current;
    if (follow && element !== null) element.scrollTop = element.scrollHeight;
  }, [follow, version, count]);

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
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, offset) => {
    const index = first + offset;
    return { index, text: lines[found?.[index] ?? index] ?? '' };
  });
  if (error !== null) return <ErrorPanel error={error} />;
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
      {count === 0 ? (
        <p className="dock-list dim">{search === '' ? 'No lines yet.' : `No line contains “${search}”.`}</p>
      ) : null}
      <div style={{ height: count * lineHeight, position: 'relative' }}>
        {shown.map(({ index, text }) => (
          <div key={index} className="log-line" style={{ transform: `translateY(${index * lineHeight}px)` }}>
            {cutAt(text, search).map((part, at) =>
              part.hit ? <mark key={at}>{part.text}</mark> : part.text,
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
