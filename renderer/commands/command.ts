export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: 'Actions' | 'Pages' | 'Runs';
  readonly note?: string;
  /** As `keyText` writes it: "Ctrl+K". */
  readonly shortcut?: string;
  readonly run: () => void;
}

export type Action = Omit<Command, 'group'>;

const mostOfGroup = 40;

function rank(command: Command, words: readonly string[]): number {
  const title = command.title.toLowerCase();
  const [first = ''] = words;
  if (title.startsWith(first)) return 0;
  return title.split(/\s+/).some((word) => word.startsWith(first)) ? 1 : 2;
}

/** Commands in which every word occurs, by group; those whose title begins with it first, and before all the one of that very title. */
export function findCommands(commands: readonly Command[], search: string): readonly Command[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.filter((command) => {
    const text = `${command.title} ${command.note ?? ''} ${command.group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const groups = (['Actions', 'Pages', 'Runs'] as const).map((group) => {
    const own = found.filter((command) => command.group === group);
    const sorted = words.length === 0 ? own : own.toSorted((a, b) => rank(a, words) - rank(b, words));
    return sorted.slice(0, mostOfGroup);
  });
  const listed = groups.flat();
  const exact = listed.find(({ title }) => title.toLowerCase() === search.trim().toLowerCase());
  return exact === undefined ? listed : [exact, ...listed.filter((command) => command !== exact)];
}

/** A key press as shortcuts are written: "Ctrl+K", "Ctrl+Shift+L", "?"; Command counts as Ctrl. */
export function keyText(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): string {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  // A letter with Ctrl says Shift; a sign such as "?" has it in itself.
  const shift = event.shiftKey && (event.ctrlKey || event.metaKey || key.length > 1);
  return [event.ctrlKey || event.metaKey ? 'Ctrl' : '', event.altKey ? 'Alt' : '', shift ? 'Shift' : '', key]
    .filter(Boolean)
    .join('+');
}

/** Inputs that take no text: single keys are shortcuts there too. */
const textless = /^(radio|checkbox|button|submit|range|file|color)$/;

export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !textless.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}
