import { MantineProvider } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { act, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import type { Client } from '../../../renderer/client';
import { theme } from '../../../renderer/theme';
import { createWorkbench, type Workbench, WorkbenchProvider } from '../../../renderer/workbench';
import { createStorage } from './client-double';

/** What jsdom lacks and Mantine asks for. */
class NoObserver {
  observe(): void {
    // Nothing is laid out in jsdom.
  }
  unobserve(): void {
    // Nothing is laid out in jsdom.
  }
  disconnect(): void {
    // Nothing is laid out in jsdom.
  }
}
const noMedia = (media: string) => ({
  media,
  matches: false,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
});

export interface Mounted {
  readonly page: HTMLElement;
  readonly workbench: Workbench;
  /** The button of this name, which is its label or its text. Throws where there is none. */
  readonly button: (name: string) => HTMLElement;
  /** Clicks, and waits for what the click set going. */
  readonly click: (element: Element) => Promise<void>;
  readonly unmount: () => void;
}

/** Draws the element as the window does, in jsdom; `prepare` runs before anything is drawn. */
export async function mount(
  client: Client,
  element: ReactElement,
  prepare: (workbench: Workbench) => Promise<void> = () => Promise.resolve(),
  storage = createStorage(),
): Promise<Mounted> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  Object.assign(window, {
    ResizeObserver: NoObserver,
    IntersectionObserver: NoObserver,
    matchMedia: noMedia,
  });
  Object.assign(document, {
    fonts: { addEventListener: () => undefined, removeEventListener: () => undefined },
  });
  // Those of an earlier file: files share what they import.
  notifications.clean();
  const workbench = createWorkbench(client, storage);
  await prepare(workbench);
  const page = document.createElement('div');
  document.body.append(page);
  const root = createRoot(page);
  await act(async () => {
    root.render(
      <MantineProvider theme={theme} env="test">
        <WorkbenchProvider value={workbench}>{element}</WorkbenchProvider>
      </MantineProvider>,
    );
    await Promise.resolve();
  });
  return {
    page,
    workbench,
    button: (name) => {
      const found = [...document.querySelectorAll<HTMLElement>('button')].find(
        (one) => one.getAttribute('aria-label') === name || one.textContent.trim() === name,
      );
      if (found === undefined) throw new Error(`no button "${name}"`);
      return found;
    },
    click: async (target) => {
      await act(async () => {
        target.dispatchEvent(new MouseEvent('click', { bubbles: true }));
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      });
    },
    unmount: () => {
      act(() => {
        root.unmount();
      });
      page.remove();
    },
  };
}
