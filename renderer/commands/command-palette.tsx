import { Kbd, Modal, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { type Command, findCommands } from './command';

export function Keys({ shortcut }: { shortcut: string }) {
  return (
    <span className="keys">
      {shortcut.split('+').map((key) => (
        <Kbd key={key} size="xs">
          {key}
        </Kbd>
      ))}
    </span>
  );
}

function Palette({ commands, onClose }: { commands: readonly Command[]; onClose: () => void }) {
  const [search, setSearch] = useState('');
  const [at, setAt] = useState(0);
  const listed = useRef<HTMLDivElement>(null);
  const found = findCommands(commands, search);
  const chosen = Math.min(at, Math.max(0, found.length - 1));
  useEffect(
    () => listed.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }),
    [chosen, search],
  );
  const take = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  return (
    <>
      <TextInput
        data-autofocus
        aria-label="Search or run a command"
        placeholder="Search or run a command"
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        leftSection={<IconSearch size={15} aria-hidden="true" />}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            const by = event.key === 'ArrowDown' ? 1 : -1;
            if (found.length > 0) setAt((chosen + by + found.length) % found.length);
          } else if (event.key === 'Enter') {
            event.preventDefault();
            take(found[chosen]);
          }
        }}
      />
      <div ref={listed} className="palette" role="listbox" id="palette-list" aria-label="Commands">
        {found.map((command, index) => (
          <div
            key={command.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            data-group={command.group === found[index - 1]?.group ? undefined : command.group}
            className="palette-entry"
            onMouseMove={() => setAt(index)}
            onClick={() => take(command)}
          >
            <span className="cut" title={command.title}>
              {command.title}
            </span>
            {command.note === undefined ? null : (
              <span className="dim cut palette-note" title={command.note}>
                {command.note}
              </span>
            )}
            {command.shortcut === undefined ? null : <Keys shortcut={command.shortcut} />}
          </div>
        ))}
      </div>
      {found.length === 0 ? <p className="dim palette-none">No command or run matches “{search}”.</p> : null}
    </>
  );
}

export function CommandPalette(props: {
  opened: boolean;
  commands: readonly Command[];
  onClose: () => void;
}) {
  return (
    <Modal.Root opened={props.opened} onClose={props.onClose} size={620} yOffset="12vh" padding={8}>
      <Modal.Overlay />
      <Modal.Content aria-label="Command palette">
        <Modal.Body>
          <Palette commands={props.commands} onClose={props.onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
