import { Anchor } from '@mantine/core';
import { attempt, noticeDone } from '../../components/notices';
import { useWorkbench } from '../../workbench';
import { type Block, linkedPage, parseMarkdown, parseSpans } from './markdown';

interface Place {
  /** The page that is shown, "guide/window". */
  readonly page: string;
  readonly known: ReadonlySet<string>;
  readonly open: (page: string) => void;
}

function Link({ text, to, place }: { text: string; to: string; place: Place }) {
  const { client } = useWorkbench();
  const page = linkedPage(place.page, to);
  if (page !== null && place.known.has(page)) {
    return (
      <Anchor
        component="button"
        type="button"
        onClick={() => {
          place.open(page);
        }}
      >
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
      onClick={() => {
        attempt(async () => {
          const { opened } = await client.call('desktop.openLink', { address: to });
          if (!opened) noticeDone('Address copied', to);
        });
      }}
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
        <Heading>
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

/** A page of the documentation. */
export function MarkdownView({ text, place }: { text: string; place: Place }) {
  return (
    <div className="document" tabIndex={0} role="region" aria-label="Page">
      {parseMarkdown(text).map((block, index) => (
        <One key={index} block={block} place={place} />
      ))}
    </div>
  );
}
