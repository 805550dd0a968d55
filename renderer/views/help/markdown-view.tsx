import { Anchor } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { attempting, noticeDone } from '../../components/notices';
import { useWorkbench } from '../../workbench';
import { type Block, headingName, linkedPage, type PagePlace, parseMarkdown, parseSpans } from './markdown';

interface Place {
  /** The page that is shown, "guide/window". */
  readonly page: string;
  readonly known: ReadonlySet<string>;
  /** Where it begins; another object with each link that is followed. */
  readonly at: PagePlace;
  readonly open: (place: PagePlace) => void;
}

function Link({ text, to, place }: { text: string; to: string; place: Place }) {
  const { client } = useWorkbench();
  const linked = linkedPage(place.page, to);
  if (linked !== null && place.known.has(linked.page)) {
    return (
      <Anchor component="button" type="button" onClick={() => place.open(linked)}>
        {text}
      </Anchor>
    );
  }
  if (!to.startsWith('https:')) return <>{text}</>;
  return (
    <Anchor
      component="button"
      type="button"
      title={to}
      onClick={attempting(async () => {
        const { opened } = await client.call('desktop.openLink', { address: to });
        if (!opened) noticeDone('Address copied', to);
      })}
    >
      {text}
    </Anchor>
  );
}

function Spans({ text, place }: { text: string; place: Place }) {
  return (
    <>
      {parseSpans(text).map((span, index) => {
        if (span.kind === 'code') return <code key={index}>{span.text}</code>;
        if (span.kind === 'strong') return <strong key={index}>{span.text}</strong>;
        return span.kind === 'link' ? (
          <Link key={index} text={span.text} to={span.to} place={place} />
        ) : (
          <span key={index}>{span.text}</span>
        );
      })}
    </>
  );
}

function One({ block, place }: { block: Block; place: Place }) {
  switch (block.kind) {
    case 'heading': {
      const Heading = (['h2', 'h3', 'h4'] as const)[Math.min(block.level, 3) - 1] ?? 'h4';
      return (
        <Heading data-heading={headingName(block.text)}>
          <Spans text={block.text} place={place} />
        </Heading>
      );
    }
    case 'paragraph':
      return (
        <p>
          <Spans text={block.text} place={place} />
        </p>
      );
    case 'code':
      return <pre tabIndex={0}>{block.text}</pre>;
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul';
      return (
        <List>
          {block.items.map((item, index) => (
            <li key={index}>
              <Spans text={item} place={place} />
            </li>
          ))}
        </List>
      );
    }
    case 'table':
      return (
        <table>
          <thead>
            <tr>
              {block.head.map((cell, index) => (
                <th key={index} scope="col">
                  <Spans text={cell} place={place} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {block.rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td key={column}>
                    <Spans text={cell} place={place} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      );
  }
}

/** A page of the documentation; it has the focus, and begins at the heading that a link named. */
export function MarkdownView({ text, place }: { text: string; place: Place }) {
  const region = useRef<HTMLDivElement>(null);
  const { at } = place;
  useEffect(() => {
    const { current } = region;
    if (current === null) return;
    current.focus({ preventScroll: true });
    const headings = [...current.querySelectorAll<HTMLElement>('[data-heading]')];
    const heading = headings.find((one) => one.dataset['heading'] === at.heading);
    // Not by scrollIntoView, which moves what lies around the page too.
    const from = current.getBoundingClientRect().top - current.scrollTop;
    current.scrollTop = heading === undefined ? 0 : heading.getBoundingClientRect().top - from;
  }, [at]);
  return (
    <div ref={region} className="document" tabIndex={0} role="region" aria-label="Page">
      {parseMarkdown(text).map((block, index) => (
        <One key={index} block={block} place={place} />
      ))}
    </div>
  );
}
