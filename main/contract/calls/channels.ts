/** Between window and core, on Electron's wire. On their own: what loads before every page needs nothing else of the contract. */
export const channels = {
  call: 'workbench:call',
  event: 'workbench:event',
  /** From preload only: the path of what was dropped. */
  given: 'workbench:given',
} as const;
