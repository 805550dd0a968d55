import { ActionIcon, Popover } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import type { Topic } from '../fields/field';
import { topicText } from './topic-text';

/** "What does this do?", opened on demand beside the label. */
export function TopicHelp({ topic }: { topic: Topic }) {
  const { title, paragraphs } = topicText[topic];
  return (
    <Popover width={360} position="bottom-start" withArrow shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size={18} aria-label={`Help: ${title}`}>
          <IconHelpCircle size={15} aria-hidden="true" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={title}>
        <div className="topic" tabIndex={0} data-autofocus>
          <h3>{title}</h3>
          {paragraphs.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
