import { Anchor } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { CopyButton } from '../../components/copy-button';
import { attempting, noticeDone } from '../../components/notices';
import type { PagePlace } from '../../stores/help';
import { useWorkbench } from '../../workbench';
import { type Block, headingName, linkedPage, parseMarkdown, parseSpans } from './markdown';

interface LinkContext {
  /** Ids of the articles that there are. */
  readonly known: ReadonlySet<string>;
  /** A new object with each followed link. */
  readonly at: PagePlace;
  readonly open: (place: PagePlace) => void;
}

function Link({ text, to, context }: { text: string; to: string; context: LinkContext }) {
  const { client } = useWorkbench();
  const linked = linkedPage(context.at.page, to);
  const known = linked !== null && context.known.has(linked.page);
  if (!known && !to.startsWith('https:')) return <>{text}</>;
  const outside = attempting(async () => {
    const { opened } = await client.call('desktop.openLink', { address: to });
    if (!opened) noticeDone('Address copied', to);
  });
  return (
    <Anchor
      href={known ? `#${to}` : to}
      title={known ? undefined : to}
      onClick={(event) => {
        event.preventDefault();
        if (known) context.open(linked);
        else outside();
      }}
    >
      {text}
    </Anchor>
  );
}

function Spans({ text, context }: { text: string; context: LinkContext }) {
  return (
    <>
      {parseSpans(text).map((span, index) => {
        if (span.kind === 'code') return <code key={index}>{span.text}</code>;
        if (span.kind === 'strong') return <strong key={index}>{span.text}</strong>;
        return span.kind === 'link' ? (
          <Link key={index} text={span.text} to={span.to} context={context} />
        ) : (
          <span key={index}>{span.text}</span>
        );
      })}
    </>
  );
}

function One({ block, context }: { block: Block; context: LinkContext }) {
  switch (block.kind) {
    case 'heading': {
      const Heading = (['h2', 'h3', 'h4'] as const)[Math.min(block.level, 3) - 1] ?? 'h4';
      return (
        <Heading data-heading={headingName(block.text)}>
          <Spans text={block.text} context={context} />
        </Heading>
      );
    }
    case 'paragraph':
      return (
        <p>
          <Spans text={block.text} context={context} />
        </p>
      );
    case 'code':
      return (
        <div className="document-code">
          <pre tabIndex={0}>{block.text}</pre>
          <CopyButton text={block.text} label="Copy code" />
        </div>
      );
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul';
      return (
        <List>
          {block.items.map((item, index) => (
            <li key={index}>
              <Spans text={item} context={context} />
            </li>
          ))}
        </List>
      );
    }
    case 'table':
      return (
        <div className="table-scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {block.head.map((cell, index) => (
                  <th key={index} scope="col">
                    <Spans text={cell} context={context} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>
                      <Spans text={cell} context={context} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

/** Pixels. */
const aboveHeading = 10;

/** An article, scrolled to its place; it takes the focus where a link led here. */
export function MarkdownView({ text, ...context }: { text: string } & LinkContext) {
  const region = useRef<HTMLDivElement>(null);
  const { at } = context;
  useEffect(() => {
    const { current } = region;
    if (current === null) return;
    current.focus({ preventScroll: true });
    const headings = [...current.querySelectorAll<HTMLElement>('[data-heading]')];
    const heading = headings.find((one) => one.dataset['heading'] === at.heading);
    // Not by scrollIntoView, which moves what lies around the page too.
    const from = current.getBoundingClientRect().top - current.scrollTop + aboveHeading;
    current.scrollTop = heading === undefined ? 0 : heading.getBoundingClientRect().top - from;
  }, [at]);
  return (
    <div ref={region} className="document" tabIndex={0} role="region" aria-label="Article">
      {parseMarkdown(text).map((block, index) => (
        <One key={index} block={block} context={context} />
      ))}
    </div>
  );
}
