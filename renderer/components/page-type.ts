import { createContext } from 'react';

/** What a page is made as; docs/design.md shows each. */
export type PageType = 'list' | 'object' | 'live' | 'compare' | 'form' | 'settings';

/** The type that `views/pages.ts` gives the page, which its frame takes. */
export const PageTypeContext = createContext<PageType>('list');
